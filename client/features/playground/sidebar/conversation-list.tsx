/** The list of conversations; a long one is virtualised. */
import { createMemo, For, Show, Suspense } from 'solid-js'
import type { Snippet } from '#client/features/playground/conversation/snippet.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { later } from '#client/ui/later.ts'
import { ListEntry } from './list-entry.tsx'
import type { Section } from './sections.ts'

const LongList = later(async () => (await import('./long-list.tsx')).LongList)

/** Up to so many rows are all mounted. */
const fewRows = 60

/** Headings and rows of all sections. */
export function ConversationList(props: {
  page: PageContext
  sections: Section[]
  snippets: ReadonlyMap<string, Snippet>
  scroller(): HTMLElement | undefined
  onOpen(id: string): void
}) {
  // Keys, not objects: a row whose conversation changes stays mounted, with its open menu.
  const entries = createMemo(() => props.sections.flatMap(({ title, rows }) => [`#${title}`, ...rows.map((row) => row.id)]))
  return (
    <Show
      when={entries().length > fewRows}
      fallback={<For each={entries()}>{(entry) => <ListEntry {...props} entries={entries()} entry={entry} />}</For>}
    >
      <Suspense>
        <LongList {...props} entries={entries()} />
      </Suspense>
    </Show>
  )
}
