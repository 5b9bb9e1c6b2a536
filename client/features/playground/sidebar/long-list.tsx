/** A long list of conversations. Only rows near the viewport are mounted, so that thousands cost as much as thirty. */
import { createVirtualizer } from '@tanstack/solid-virtual'
import { createMemo, For, onMount } from 'solid-js'
import { ListEntry, type ListProps } from './list-entry.tsx'

const [headingPx, rowPx, snippetPx] = [34, 30, 20]

/** Headings and rows of all sections that are near the viewport. */
export function LongList(props: ListProps) {
  const keys = createMemo(() => props.entries, [], { equals: same })
  const list = createVirtualizer<HTMLElement, HTMLElement>({
    get count() {
      return keys().length
    },
    getScrollElement: () => props.scroller() ?? null,
    estimateSize: (index) => {
      const key = keys()[index] ?? ''
      return key.startsWith('#') ? headingPx : rowPx + (props.snippets.has(key) ? snippetPx : 0)
    },
    get getItemKey() {
      const all = keys()
      return (index: number) => all[index] ?? index
    },
    overscan: 8,
    // Before the first measurement mount as many rows as a window holds, so that none appears late.
    initialRect: { width: 240, height: 800 },
  })
  onMount(() => list.measure())
  const shown = createMemo(() => list.getVirtualItems().flatMap((item) => keys()[item.index] ?? []), [], { equals: same })
  const start = () => list.getVirtualItems()[0]?.start ?? 0
  const place = createMemo(() => new Map(keys().map((key, index) => [key, index])))
  return (
    <div style={{ height: `${list.getTotalSize()}px` }}>
      <div style={{ 'padding-top': `${start()}px` }}>
        <For each={shown()}>
          {(key) => (
            <div data-index={place().get(key) ?? 0} ref={(element) => queueMicrotask(() => list.measureElement(element))}>
              <ListEntry {...props} entry={key} />
            </div>
          )}
        </For>
      </div>
    </div>
  )
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, index) => one === b[index])
