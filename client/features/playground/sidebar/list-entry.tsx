import { Show } from 'solid-js'
import type { Snippet } from '#client/features/playground/conversation/snippet.ts'
import { type MessageKey, t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { ConversationRow } from './conversation-row.tsx'

/** Props of a list of conversations. */
export interface ListProps {
  page: PageContext
  /** Ids of conversations, and section titles prefixed with `#`. */
  entries: string[]
  /** The search matches by conversation. */
  snippets: ReadonlyMap<string, Snippet>
  scroller(): HTMLElement | undefined
  onOpen(id: string): void
}

/** A title or a conversation of the list. */
export function ListEntry(props: ListProps & { entry: string }) {
  return (
    <Show when={!props.entry.startsWith('#')} fallback={<Heading title={props.entry.slice(1) as MessageKey} />}>
      <Row {...props} id={props.entry} />
    </Show>
  )
}

function Heading(props: { title: MessageKey }) {
  return <h2 class="px-2 pt-3 pb-1 text-[12px] font-medium tracking-normal text-ink-3">{t(props.title)}</h2>
}

function Row(props: ListProps & { id: string }) {
  const { playground } = props.page
  const isCurrent = () => props.id === playground.conversation().id
  return (
    <Show when={playground.library.get(props.id)}>
      {(row) => (
        <ConversationRow
          page={props.page}
          row={row()}
          snippet={props.snippets.get(props.id)}
          current={isCurrent()}
          running={isCurrent() && playground.running() !== undefined}
          onOpen={() => props.onOpen(props.id)}
        />
      )}
    </Show>
  )
}
