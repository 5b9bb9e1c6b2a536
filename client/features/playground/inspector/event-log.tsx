import { createVirtualizer } from '@tanstack/solid-virtual'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import type { Trace } from '#client/features/playground/reply/trace.ts'
import { copyWithNotice } from '#client/features/playground/text/copy-with-notice.ts'
import { prettyJson } from '#client/features/playground/text/pretty-json.ts'
import { revealHiddenCharacters } from '#client/features/playground/text/reveal-hidden-characters.ts'
import { Button, IconButton } from '#client/ui/button.tsx'
import { formatBytes, formatCount } from '#client/ui/format.ts'
import { asSse, contentOf, filterEvents, medianGap } from './event-summary.ts'

const rowPx = 28

/** Numbered events of a stream with gap, size, type and content; virtualised, filtered, and copied in raw form. */
export function EventLog(props: { trace: Trace | undefined }) {
  const [filter, setFilter] = createSignal('')
  const [chosen, setChosen] = createSignal<number | null>(null)
  const all = createMemo(() => props.trace?.events() ?? [], [], { equals: false })
  const rows = createMemo(() => filterEvents(all(), filter()))
  const median = createMemo(() => medianGap(all()))
  const picked = () => all().find((event) => event.number === chosen())
  let scroller: HTMLDivElement | undefined
  const list = createVirtualizer<HTMLDivElement, HTMLElement>({
    get count() {
      return rows().length
    },
    getScrollElement: () => scroller ?? null,
    estimateSize: () => rowPx,
    overscan: 12,
  })
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = rows().findIndex((row) => row.number === chosen())
    const next = Math.min(Math.max(at + step, 0), rows().length - 1)
    setChosen(rows()[next]?.number ?? null)
    list.scrollToIndex(next)
  }
  return (
    <>
      <div class="flex items-center gap-2 p-3">
        <input
          class="in quiet"
          type="search"
          aria-label={t('filterEvents')}
          placeholder={t('filterEvents')}
          value={filter()}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <Button look="ghost" icon="copy" onClick={() => void copyWithNotice(asSse(all()))}>
          {t('copySse')}
        </Button>
      </div>
      <div class="event-row head" aria-hidden="true">
        <span>#</span>
        <span>Δ ms</span>
        <span>{t('bytes')}</span>
        <span>{t('kind')}</span>
        <span>{t('content')}</span>
      </div>
      {/* biome-ignore lint/a11y/useAriaActivedescendantWithTabindex: it has one, spelled as Solid spells it */}
      <div
        ref={scroller}
        class="min-h-0 flex-1 overflow-auto"
        tabindex="0"
        role="listbox"
        aria-label={t('tabEvents')}
        aria-activedescendant={chosen() === null ? undefined : `event-${chosen()}`}
        onKeyDown={walk}
      >
        <div class="relative" style={{ height: `${list.getTotalSize()}px` }}>
          <For each={list.getVirtualItems()}>
            {(item) => {
              const event = () => rows()[item.index]
              return (
                <Show when={event()}>
                  {(one) => (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: arrows on the list choose too
                    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
                    <div
                      id={`event-${one().number}`}
                      role="option"
                      aria-selected={one().number === chosen()}
                      class="event-row absolute inset-x-0"
                      style={{ transform: `translateY(${item.start}px)` }}
                      onClick={() => setChosen(one().number)}
                    >
                      <span>{one().number}</span>
                      <span>
                        <i
                          class="gap"
                          classList={{ slow: one().gapMs > 4 * median() && one().gapMs > 40 }}
                          style={{ width: `${gapWidth(one().gapMs)}px` }}
                        />
                        {Math.round(one().gapMs)}
                      </span>
                      <span>{one().bytes}</span>
                      <span>{one().kind}</span>
                      <span class="truncate font-mono text-ink">{revealHiddenCharacters(contentOf(one()))}</span>
                    </div>
                  )}
                </Show>
              )
            }}
          </For>
        </div>
      </div>
      <Show when={picked()}>
        {(event) => (
          <div class="max-h-[40%] overflow-auto border-t border-line bg-code px-4 py-3">
            <p class="hint flex items-center">
              <span class="flex-1">{t('eventIs', { number: event().number, gap: Math.round(event().gapMs) })}</span>
              <IconButton name="copy" small label={t('copy')} onClick={() => void copyWithNotice(event().data)} />
            </p>
            <pre class="text-[12px]/[18px] whitespace-pre-wrap">{revealHiddenCharacters(prettyJson(event().data).text)}</pre>
          </div>
        )}
      </Show>
      <footer class="num flex gap-3 border-t border-line px-4 py-2 text-[12px]/[16px] text-ink-3">
        <span>{t('eventCount', { count: props.trace?.count ?? 0 })}</span>
        <span>{formatBytes(props.trace?.bytes ?? 0)}</span>
        <span>{t('medianGap', { ms: formatCount(Math.round(median())) })}</span>
        <span class="flex-1 text-right">
          {props.trace?.ended === null ? t('streaming') : t('endedWith', { how: props.trace?.ended ?? '' })}
        </span>
      </footer>
    </>
  )
}

/** Gaps from 1 ms to a second, drawn on a logarithmic scale. */
const gapWidth = (ms: number): number => Math.min(34, Math.max(2, Math.log2(ms + 1) * 3.4))
