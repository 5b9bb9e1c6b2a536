/**
 * The turns of a conversation. Only those near the viewport are mounted, so that ten thousand messages cost as much as thirty. Heights are
 * measured as turns appear, and the text being read stays in place.
 */
import { createVirtualizer, measureElement, observeElementOffset } from '@tanstack/solid-virtual'
import { type Accessor, createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show, untrack } from 'solid-js'
import type { Message } from '#client/features/playground/conversation/conversation.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { whenIdle } from '#client/ui/later.ts'
import type { AutoScroll } from './auto-scroll.ts'
import { ReplyTurn } from './reply-turn.tsx'
import { UserTurn } from './user-turn.tsx'

/** The turns of the open branch. */
export function Turns(props: { page: PageContext; scroller: HTMLElement | undefined; follow: AutoScroll }) {
  const { playground } = props.page
  const ids = createMemo(() => playground.path().map((message) => message.id), [], { equals: sameList })
  const place = createMemo(() => new Map(ids().map((id, index) => [id, index])))
  const around = createOverscan()
  // The same function for the same messages, so that the list is not measured again.
  const keyAt = createMemo(() => {
    const keys = ids()
    return (index: number) => keys[index] ?? index
  })
  let isPlaced = false
  let isLaidOut = false
  const list = createVirtualizer<HTMLElement, HTMLElement>({
    // Start at the end, so that nothing else has to be rendered first.
    initialOffset: Number.MAX_SAFE_INTEGER,
    initialRect: { width: 0, height: props.scroller?.clientHeight ?? 0 },
    get count() {
      return ids().length
    },
    getScrollElement: () => props.scroller ?? null,
    // The list learns of a scroll from its event, which may be a frame late, so its adjustments use the actual position.
    // Until the first layout the position is that of the previous content.
    observeElementOffset: (instance, tell) => observeElementOffset(instance, (...offset) => isLaidOut && tell(...offset)),
    scrollToFn(top, { adjustments }) {
      if (!isPlaced) return
      if (adjustments === undefined) props.follow.put(top)
      else props.follow.shift(adjustments)
    },
    // Untracked: called for thousands at once.
    estimateSize: (index) => untrack(() => guessHeight(playground.message(ids()[index] ?? ''))),
    // A getter, so that a change of messages with the same count is noticed.
    get getItemKey() {
      return keyAt()
    },
    get overscan() {
      return around()
    },
    // The first turns are measured by the observer, before they are painted: measuring earlier would force a second layout.
    measureElement: (turn, entry, instance) =>
      entry || isLaidOut ? measureElement(turn, entry, instance) : instance.options.estimateSize(instance.indexFromElement(turn)),
    paddingStart: 24,
  })
  // Based on list positions: rows measured together are already in the document, each moved by those above it.
  list.shouldAdjustScrollPositionOnItemSizeChange = (item) => {
    const edge = props.scroller?.scrollTop ?? 0
    // A new row was inserted above the text being read; an existing one may also grow below its top.
    return list.itemSizeCache.has(item.key) ? item.end <= edge : item.start < edge
  }
  // When printing, every turn is shown.
  const printing = createMediaQuery('print')
  const near = () => list.getVirtualItems().flatMap((item) => ids()[item.index] ?? [])
  const shown = createMemo(() => (printing() ? ids() : near()), [], { equals: sameList })
  const offset = () => (printing() ? 0 : (list.getVirtualItems()[0]?.start ?? 0))
  // With the last turn mounted, the height follows by itself, so that a growing reply is laid out once, not twice.
  const ends = createMemo(() => shown().at(-1) === ids().at(-1))

  let inner: HTMLDivElement | undefined
  onMount(() => {
    isPlaced = true
    const watch = new ResizeObserver(() => {
      isLaidOut = true
      props.follow.grew()
    })
    if (inner) watch.observe(inner)
    if (props.scroller) watch.observe(props.scroller)
    onCleanup(() => watch.disconnect())
  })
  // After opening a conversation or sending a message, scroll to the end. Other changes (a draft, a setting,
  // more text in a reply) do not count.
  const opened = createMemo(() => (playground.messagesState() === 'ready' ? playground.conversation().id : undefined))
  createEffect(on(opened, () => props.follow.begin()))
  createEffect(
    on(
      () => ids().at(-1),
      () => props.follow.toEnd(),
      { defer: true },
    ),
  )

  return (
    <div ref={inner} class="col relative" style={{ height: ends() ? 'auto' : `${list.getTotalSize()}px` }}>
      <div style={{ 'padding-top': `${offset()}px` }}>
        <For each={shown()}>
          {(id) => (
            <div class="turn-box" data-index={place().get(id) ?? 0} ref={(element) => queueMicrotask(() => list.measureElement(element))}>
              <Turn page={props.page} id={id} latest={ids().at(-1) === id} />
            </div>
          )}
        </For>
      </div>
    </div>
  )
}

/** Turns mounted beyond the viewport, on each side. */
const mostAround = 2

/** The number of extra turns: none until the visible ones are rendered, then one more whenever the browser is idle. */
function createOverscan(): Accessor<number> {
  const [around, setAround] = createSignal(0)
  createEffect(() => {
    const now = around()
    if (now < mostAround) onCleanup(whenIdle(() => setAround(now + 1), 500))
  })
  return around
}

function Turn(props: { page: PageContext; id: string; latest: boolean }) {
  const message = createMemo(() => props.page.playground.message(props.id))
  const reply = () => {
    const one = message()
    return one?.role === 'assistant' ? one : undefined
  }
  const ask = () => {
    const one = message()
    return one && one.role !== 'assistant' ? one : undefined
  }
  return (
    <>
      <Show when={reply()}>{(one) => <ReplyTurn page={props.page} reply={one()} latest={props.latest} />}</Show>
      <Show when={ask()}>{(one) => <UserTurn page={props.page} message={one()} />}</Show>
    </>
  )
}

const sameList = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, index) => one === b[index])

const guesses = new WeakMap<Message, number>()

/** Estimated height of a turn in pixels, from its first lines. Too small a guess would mount too many turns. */
function guessHeight(message: Message | undefined): number {
  if (message === undefined) return 50
  const known = guesses.get(message)
  if (known !== undefined) return known
  const { text } = message
  const seen = text.slice(0, 800)
  const lines = seen.split('\n').reduce((sum, line) => sum + Math.ceil(line.length / 95) + 0.25, 0)
  const height = lines * 24 * Math.max(1, text.length / 800)
  const guess = Math.min(50 + height + (message.role === 'assistant' ? 40 : 20), 4_000)
  guesses.set(message, guess)
  return guess
}
