/**
 * Keeps a growing page at its end as long as the reader is there, and never moves a reader who is not. Any upward scroll
 * stops it; being within 80 pixels of the end starts it again.
 */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { onMovedByParts } from '#client/features/playground/markdown/window.ts'

const nearPx = 80

/** Controls the scroll position of one element. */
export interface AutoScroll {
  /** Whether the reader is at the end. */
  atEnd: Accessor<boolean>
  /** Stays at the end from now on: it is reached when the content has been laid out, before it is painted. */
  begin(): void
  /** Scrolls to the end and stays there. */
  toEnd(): void
  /** To be called when the height of the content or of the window changed. */
  grew(): void
  /** Scrolls by as much as something above has grown, so that the same text stays in view. */
  shift(pixels: number): void
  /** Scrolls to a position in pixels, unless the reader follows the end. */
  put(top: number): void
}

/** Auto-scroll for `scroller`, until the owner is disposed. */
export function createAutoScroll(scroller: HTMLElement): AutoScroll {
  const [atEnd, setAtEnd] = createSignal(true)
  let following = true
  /** The content is another one, and not laid out yet: what scrolls until then is not the reader. */
  let isBeginning = false
  let last = scroller.scrollTop
  const distance = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight

  const onScroll = () => {
    if (isBeginning) return
    const up = scroller.scrollTop < last - 1
    last = scroller.scrollTop
    const left = distance()
    // A page that shrinks also moves upward, to its very end.
    if (up) following = left <= 1
    else if (left <= nearPx) following = true
    setAtEnd(left <= nearPx)
  }
  const onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0) following = false
  }
  const jump = () => {
    scroller.scrollTop = scroller.scrollHeight
    last = scroller.scrollTop
  }
  const move = (top: number) => {
    const before = scroller.scrollTop
    scroller.scrollTop = top
    // Keep what the reader scrolled since the last event.
    last += scroller.scrollTop - before
  }
  const put = (top: number) => {
    // The list writes again, later, what the end of the page cut off: whoever follows is at a new end by then.
    if (following && scroller.scrollTop >= last - 1) jump()
    else move(top)
  }
  onMovedByParts(scroller, (pixels) => {
    last += pixels
  })
  scroller.addEventListener('scroll', onScroll, { passive: true })
  scroller.addEventListener('wheel', onWheel, { passive: true })
  onCleanup(() => {
    scroller.removeEventListener('scroll', onScroll)
    scroller.removeEventListener('wheel', onWheel)
  })
  return {
    atEnd,
    begin() {
      following = true
      isBeginning = true
      setAtEnd(true)
    },
    toEnd() {
      following = true
      isBeginning = false
      jump()
      setAtEnd(true)
    },
    grew() {
      isBeginning = false
      if (following) jump()
      else setAtEnd(distance() <= nearPx)
    },
    shift(pixels) {
      // Whoever follows is at the end of what has grown, once it is on the page.
      if (following && scroller.scrollTop >= last - 1) queueMicrotask(() => following && jump())
      else move(scroller.scrollTop + pixels)
    },
    put,
  }
}
