/**
 * The frame around every page of a signed-in user: one navigation for playground and console, and the palette. Knows URLs,
 * but not the content of pages.
 */
import { useLocation } from '@solidjs/router'
import { createEffect, createSignal, type JSX, on, onCleanup, Show, Suspense } from 'solid-js'
import { deleteUserData, signOut } from '#client/api/account.ts'
import { useSession } from '#client/api/session.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { later } from '#client/ui/later.ts'
import { readLocalStorage, writeLocalStorage } from '#client/ui/local-storage.ts'
import { AdminBanner } from './admin-banner.tsx'
import { EnvironmentMark } from './environment-mark.tsx'
import { Navigation } from './navigation.tsx'
import { isCurrent, playground } from './pages.ts'
import { TabBar } from './tab-bar.tsx'

const RestingWatch = later(async () => (await import('./resting-watch.ts')).RestingWatch)
const Palette = later(async () => (await import('./palette.tsx')).Palette)

/** Navigation, page and palette. */
export function Shell(props: { children: JSX.Element }) {
  const session = useSession()
  const location = useLocation()
  const [unfolded, setUnfolded] = createSignal(readLocalStorage('navigation') !== 'folded')
  const [searching, setSearching] = createSignal(false)
  const roomy = createMediaQuery('(min-width: 1180px)')
  const phone = createMediaQuery('(max-width: 759px)')
  const inPlayground = () => isCurrent(playground, location.pathname)
  /** Where there is a second list beside the navigation, the navigation is collapsed. */
  const canFold = () => roomy() && !inPlayground() && location.pathname !== '/docs'
  const fold = (folded: boolean) => {
    setUnfolded(!folded)
    writeLocalStorage('navigation', folded ? 'folded' : null)
  }
  const leave = (forget = false) => {
    const { id } = session.user()
    void (forget ? deleteUserData(id) : Promise.resolve()).then(signOut).then(session.ended, session.ended)
  }

  /** Keys typed until the palette, which is loaded on first use, has the focus; undefined while it is not opening. */
  let typed: string | undefined
  const search = (open: boolean) => {
    typed = open ? '' : undefined
    setSearching(open)
  }
  /** Buffers a key that was pressed before the palette was there. */
  const keep = (event: KeyboardEvent): boolean => {
    if (typed === undefined || event.ctrlKey || event.metaKey) return false
    if (event.key === 'Escape') search(false)
    else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if (event.key.length === 1) typed += event.key
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  const press = (event: KeyboardEvent) => {
    if (event.isComposing || event.altKey || keep(event)) return
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      search(!searching())
    }
    const target = event.target
    const inField = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    if (event.key === '[' && !inField && !event.ctrlKey && !event.metaKey && canFold()) fold(unfolded())
  }
  // Before the page's own shortcuts, which leave handled keys alone.
  addEventListener('keydown', press, { capture: true })
  onCleanup(() => removeEventListener('keydown', press, { capture: true }))
  createEffect(
    on(
      () => location.pathname,
      () => search(false),
      { defer: true },
    ),
  )

  return (
    <div class="shell">
      <EnvironmentMark />
      <AdminBanner />
      <Show when={!phone()}>
        <Navigation
          folded={!canFold() || !unfolded()}
          canFold={canFold()}
          account={!inPlayground()}
          onFold={fold}
          onSearch={() => search(true)}
          onSignOut={leave}
        />
      </Show>
      <Suspense fallback={<div />}>{props.children}</Suspense>
      <Show when={phone()}>
        <TabBar onSearch={() => search(true)} onSignOut={leave} />
      </Show>
      <Suspense>
        <Show when={session.admin() && !inPlayground()}>
          <RestingWatch />
        </Show>
        <Show when={searching()}>
          <Palette
            begun={() => {
              const text = typed ?? ''
              typed = undefined
              return text
            }}
            onClose={() => search(false)}
          />
        </Show>
      </Suspense>
    </div>
  )
}
