import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import type { Snippet } from '#client/features/playground/conversation/snippet.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Brand } from '#client/ui/brand.tsx'
import { IconButton } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ConversationList } from './conversation-list.tsx'
import { sectionsOf } from './sections.ts'

/** The list of conversations, and the account below it. */
export function Sidebar(props: { page: PageContext; onClose?: () => void }) {
  const { playground, view } = props.page
  const [search, setSearch] = createSignal('')
  const [wanted, setWanted] = createSignal('')
  let scroller: HTMLElement | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let aborter = new AbortController()
  onCleanup(() => {
    clearTimeout(pause)
    aborter.abort(noLongerNeeded)
  })
  const type = (text: string) => {
    setSearch(text)
    clearTimeout(pause)
    pause = setTimeout(() => setWanted(text.trim()), 200)
  }
  const [hits, setHits] = createSignal<ReadonlyMap<string, Snippet>>(new Map())
  const look = async (text: string) => {
    aborter.abort(noLongerNeeded)
    aborter = new AbortController()
    const { signal } = aborter
    const found = text === '' ? new Map<string, Snippet>() : await playground.library.search(text, signal)
    if (!signal.aborted) setHits(found)
  }
  createEffect(on(wanted, (text) => void look(text)))
  const rows = createMemo(() => {
    const text = wanted().toLowerCase()
    const list = playground.library.list()
    return text === '' ? list : list.filter((row) => row.title.toLowerCase().includes(text) || hits().has(row.id))
  })
  const sections = createMemo(() => sectionsOf(rows(), Date.now()))
  const go = (id: string | null) => {
    playground.open(id)
    view.setListOpen(false)
    if (id === null) props.page.focusComposer()
  }
  return (
    <>
      <div class="flex h-[52px] flex-none items-center pr-2.5 pl-4">
        {/* Beside the page, the folded navigation on the left has the logo. */}
        <Brand bare={!props.onClose} />
        <span class="flex-1" />
        <Show when={props.onClose}>{(close) => <IconButton name="x" label={t('closeList')} onClick={() => close()()} />}</Show>
      </div>
      <div class="flex items-center gap-1.5 px-3 pb-2">
        <div class="relative flex-1">
          <span class="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3">
            <Icon name="search" />
          </span>
          <input
            data-search-conversations
            class="in quiet pl-8!"
            type="search"
            aria-label={t('searchConversations')}
            placeholder={t('search')}
            autocomplete="off"
            value={search()}
            onInput={(event) => type(event.currentTarget.value)}
          />
        </div>
        <IconButton name="plus" label={t('newChat')} class="size-8! border border-line-2 bg-raised" onClick={() => go(null)} />
      </div>
      <nav ref={scroller} class="min-h-0 flex-1 overflow-auto px-2 pb-3" aria-label={t('conversations')}>
        <Show
          when={rows().length > 0}
          fallback={
            <p class="px-2 py-1 text-[13px]/[18px] text-ink-3">
              {wanted() === '' ? t('noConversations') : t('noConversationMatches', { text: wanted() })}
            </p>
          }
        >
          <ConversationList page={props.page} sections={sections()} snippets={hits()} scroller={() => scroller} onOpen={go} />
        </Show>
      </nav>
      <AccountMenu page={props.page} />
    </>
  )
}
