/**
 * Stays at the end of a growing page as long as the reader is there, and never moves a reader who is not. Any movement
 * upward by the reader stops it at once; being back within 80 pixels of the end starts it again.
 */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

const nearPx = 80

export interface Follow {
  /** The reader is at the end. */
  atEnd: Accessor<boolean>
  /** Goes to the end and stays there. */
  toEnd(): void
  /** Call when the page grew. */
  grew(): void
}

export function createFollow(scroller: HTMLElement): Follow {
  const [atEnd, setAtEnd] = createSignal(true)
  let following = true
  let last = scroller.scrollTop
  const distance = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight

  const onScroll = () => {
    const up = scroller.scrollTop < last - 1
    last = scroller.scrollTop
    const near = distance() <= nearPx
    if (near) following = true
    else if (up) following = false
    setAtEnd(near)
  }
  const onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0) following = false
  }
  const jump = () => {
    scroller.scrollTop = scroller.scrollHeight
    last = scroller.scrollTop
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
  }
}
