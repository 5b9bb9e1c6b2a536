import { A, useLocation } from '@solidjs/router'
import { For, Show } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { Brand, LogoMark } from '#client/ui/brand.tsx'
import { IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { Tooltip } from '#client/ui/tooltip.tsx'
import { AccountButton } from './account-button.tsx'
import { t } from './messages.ts'
import { adminPages, isCurrent, ownPages, playground, type ShellPage } from './pages.ts'
import { resting } from './resting.ts'

interface NavigationProps {
  folded: boolean
  /** Whether the user can collapse it; not below 1180 pixels and not in the playground. */
  canFold: boolean
  /** Whether to show the account; the playground has it below its conversations. */
  account: boolean
  onFold(folded: boolean): void
  onSearch(): void
  onSignOut(forget?: boolean): void
}

/** The navigation of the whole product; folded, names are tooltips. */
export function Navigation(props: NavigationProps) {
  const { admin } = useSession()
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
  return (
    <nav class="shell-nav" classList={{ folded: props.folded }} aria-label={t('main')}>
      {/* Before the navigation, which it skips; every page has an element with id `content`. */}
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t('skip')}
      </button>
      <div class="shell-brand">
        <A href="/" aria-label="Parley" title={props.folded ? 'Parley' : undefined} noScroll>
          <Show when={props.folded} fallback={<Brand />}>
            <LogoMark />
          </Show>
        </A>
        <Show when={!props.folded && props.canFold}>
          <IconButton name="side" label={t('fold')} onClick={() => props.onFold(true)} />
        </Show>
      </div>
      <Show when={props.folded && props.canFold}>
        <div class="shell-fold">
          <IconButton name="side" label={t('unfold')} onClick={() => props.onFold(false)} />
        </div>
      </Show>
      <Named folded={props.folded} label={t('search')}>
        <button type="button" class="find" aria-label={props.folded ? t('search') : undefined} onClick={() => props.onSearch()}>
          <Icon name="search" />
          <Show when={!props.folded}>
            <span>{t('search')}</span>
            <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
          </Show>
        </button>
      </Named>
      <div class="shell-pages">
        <PageLink page={playground} folded={props.folded} />
        <Show when={ownPages.length > 0}>
          <hr />
        </Show>
        <For each={ownPages}>{(page) => <PageLink page={page} folded={props.folded} />}</For>
        <Show when={admin() && adminPages.length > 0}>
          <Show when={!props.folded} fallback={<hr />}>
            <h2>{t('admin')}</h2>
          </Show>
          <For each={adminPages}>{(page) => <PageLink page={page} folded={props.folded} />}</For>
        </Show>
      </div>
      <Show when={props.account}>
        <AccountButton folded={props.folded} onSignOut={props.onSignOut} />
      </Show>
    </nav>
  )
}

/** A link to a page, marked if it is the current one. */
export function PageLink(props: { page: ShellPage; folded?: boolean; onGo?: () => void }) {
  const location = useLocation()
  const current = () => isCurrent(props.page, location.pathname)
  const rests = () => (props.page.path === '/admin/channels' && resting() > 0 ? t('resting', { count: resting() }) : '')
  return (
    <Named folded={props.folded ?? false} label={[t(props.page.label), rests()].filter(Boolean).join(', ')}>
      <a
        class="shell-link"
        href={props.page.path}
        aria-current={current() ? 'page' : undefined}
        aria-label={props.folded ? [t(props.page.label), rests()].filter(Boolean).join(', ') : undefined}
        onClick={() => props.onGo?.()}
      >
        <Icon name={props.page.icon} />
        <Show when={!props.folded}>
          <span class="truncate">{t(props.page.label)}</span>
        </Show>
        <Show when={rests()}>
          <span class="shape warn" title={rests()}>
            <span class="sr-only">{rests()}</span>
          </span>
        </Show>
      </a>
    </Named>
  )
}

function Named(props: { folded: boolean; label: string; children: import('solid-js').JSX.Element }) {
  return (
    <Show when={props.folded} fallback={props.children}>
      <Tooltip label={props.label}>{props.children}</Tooltip>
    </Show>
  )
}
