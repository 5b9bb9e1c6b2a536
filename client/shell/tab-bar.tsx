import { useLocation, useNavigate } from '@solidjs/router'
import { createSignal, For, Show, Suspense } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { t } from './messages.ts'
import { PageLink } from './navigation.tsx'
import { adminPages, isCurrent, ownPages, playground } from './pages.ts'
import { resting } from './resting.ts'

const Sheet = later(async () => (await import('#client/ui/sheet.tsx')).Sheet)

/** Pages with their own tab on phones; the rest is behind More. */
const direct = ['/overview', '/requests', '/usage']

/** The navigation of phones: five places at the bottom, the last of which opens the rest. */
export function TabBar(props: { onSearch(): void; onSignOut(): void }) {
  const { admin } = useSession()
  const location = useLocation()
  const navigate = useNavigate()
  const [open, setOpen] = createSignal(false)
  const shown = () => [playground, ...ownPages.filter((page) => direct.includes(page.path))]
  const rest = () => ownPages.filter((page) => !direct.includes(page.path))
  const inRest = () => ![...shown()].some((page) => isCurrent(page, location.pathname))
  const close = () => setOpen(false)
  return (
    <>
      <nav class="tabbar" aria-label={t('mainShort')}>
        <For each={shown()}>
          {(page) => (
            <a href={page.path} aria-current={isCurrent(page, location.pathname) ? 'page' : undefined}>
              <Icon name={page.icon} />
              {t(page.label)}
            </a>
          )}
        </For>
        <button type="button" aria-current={inRest() ? 'true' : undefined} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="menu" />
          {t('more')}
          <Show when={admin() && resting() > 0}>
            <span class="shape warn">
              <span class="sr-only">{t('resting', { count: resting() })}</span>
            </span>
          </Show>
        </button>
      </nav>
      <Suspense>
        <Show when={open()}>
          <Sheet title={t('more')} closeLabel={t('close')} side="right" onClose={close}>
            <div class="shell-more">
              <button
                type="button"
                class="shell-link w-full"
                onClick={() => {
                  close()
                  setTimeout(() => props.onSearch())
                }}
              >
                <Icon name="search" />
                {t('search')}
              </button>
              <For each={rest()}>{(page) => <PageLink page={page} onGo={close} />}</For>
              <Show when={admin() && adminPages.length > 0}>
                <h3>{t('admin')}</h3>
                <For each={adminPages}>{(page) => <PageLink page={page} onGo={close} />}</For>
              </Show>
              <PageLink page={{ path: '/account', label: 'yourAccount', icon: 'gear' }} onGo={close} />
              <a class="shell-link" href="/docs">
                <Icon name="book" />
                {t('docs')}
              </a>
              <button
                type="button"
                class="shell-link w-full"
                onClick={() => {
                  close()
                  props.onSignOut()
                  navigate('/')
                }}
              >
                <Icon name="out" />
                {t('signOut')}
              </button>
            </div>
          </Sheet>
        </Show>
      </Suspense>
    </>
  )
}
