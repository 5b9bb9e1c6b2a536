/**
 * Stays at the end of a growing page as long as the reader is there, and never moves a reader who is not. Any movement
 * upward by the reader stops it at once; being back within 80 pixels of the end starts it again.
 */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

const nearPx = 80

export interface AutoScroll {
  /** The reader is at the end. */
  atEnd: Accessor<boolean>
  /** Goes to the end and stays there. */
  toEnd(): void
  /** Call when the page or its window became higher or lower. */
  grew(): void
  /** Moves the page by as much as something above the reader has grown, so that the reader sees what was seen before. */
  shift(pixels: number): void
  /** Puts the page where the reader is taken to be. */
  put(top: number): void
}

export function createAutoScroll(scroller: HTMLElement): AutoScroll {
  const [atEnd, setAtEnd] = createSignal(true)
  let following = true
  let last = scroller.scrollTop
  const distance = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight

  const onScroll = () => {
    const up = scroller.scrollTop < last - 1
    last = scroller.scrollTop
    const left = distance()
    // A page that became shorter also moves upward, and to its very end.
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
  const put = (top: number) => {
    const before = scroller.scrollTop
    scroller.scrollTop = top
    // What the reader moved since the last event stays the reader's.
    last += scroller.scrollTop - before
  }
  scroller.addEventListener('scroll', onScroll, { passive: true })
  scroller.addEventListener('wheel', onWheel, { passive: true })
  onCleanup(() => {
    scroller.removeEventListener('scroll', onScroll)
    scroller.removeEventListener('wheel', onWheel)
  })
  return {
    atEnd,
    toEnd() {
      following = true
      jump()
      setAtEnd(true)
    },
    grew() {
      if (following) jump()
      else setAtEnd(distance() <= nearPx)
    },
    shift: (pixels) => put(scroller.scrollTop + pixels),
    put,
  }
}
