/**
 * Keeps a growing page scrolled to its end as long as the user is there, and never scrolls otherwise. Any upward scroll
 * stops it; coming within 80 pixels of the end starts it again.
 */
import { type Accessor, createSignal, onCleanup } from 'solid-js'
import { onMovedByParts } from '#client/features/playground/markdown/window.ts'

const nearPx = 80

/** Controls the scroll position of one element. */
export interface AutoScroll {
  /** Whether the user is at the end. */
  atEnd: Accessor<boolean>
  /** Stays at the end from now on: it is reached when the content has been laid out, before it is painted. */
  begin(): void
  /** Scrolls to the end and stays there. */
  toEnd(): void
  /** To be called when the height of the content or of the window changed. */
  grew(): void
  /** Scrolls by as much as something above has grown, so that the same text stays in view. */
  shift(pixels: number): void
  /** Scrolls to a position in pixels, unless the user follows the end. */
  put(top: number): void
}

/** Auto-scroll for `scroller`, until the owner is disposed. */
export function createAutoScroll(scroller: HTMLElement): AutoScroll {
  const [atEnd, setAtEnd] = createSignal(true)
  let following = true
  /** New content is not laid out yet: scroll events until then do not come from the user. */
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
    // Keep what the user scrolled since the last event.
    last += scroller.scrollTop - before
  }
  const put = (top: number) => {
    // The list later reapplies the offset that the end of the page cut off: by then there is a new end to follow.
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
      // When following, go to the new end once it is on the page.
      if (following && scroller.scrollTop >= last - 1) queueMicrotask(() => following && jump())
      else move(scroller.scrollTop + pixels)
    },
    put,
  }
}
