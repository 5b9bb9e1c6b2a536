/** Mounts only the parts of a long reply near the viewport. The others keep their height and have no content. */
import { type Accessor, createSignal } from 'solid-js'

/** Parts within so many pixels of the viewport are mounted. */
const nearPx = 1_200

/** Watches parts of one reply. */
export interface PartWindow {
  /** Observes `part` until the returned function is called; `onNear` is called when it comes near or moves away. */
  watch(part: HTMLElement, onNear: (near: boolean) => void): () => void
}

/** A window over the parts below the nearest element that scrolls. */
export function createPartWindow(): PartWindow {
  const listeners = new Map<Element, (near: boolean) => void>()
  let observer: IntersectionObserver | undefined
  return {
    watch(part, onNear) {
      observer ??= new IntersectionObserver(
        (entries) => {
          for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
        },
        { root: scrollerOf(part), rootMargin: `${nearPx}px 0px` },
      )
      listeners.set(part, onNear)
      observer.observe(part)
      return () => {
        listeners.delete(part)
        observer?.unobserve(part)
      }
    },
  }
}

/** Whether a part is shown, its height while it is not, and the handler for when it comes near or moves away. */
export function createPartState(
  shownAtFirst: boolean,
  guessedPx: number,
): { shown: Accessor<boolean>; height: Accessor<number>; show(part: HTMLElement, near: boolean): void } {
  const [shown, setShown] = createSignal(shownAtFirst)
  const [height, setHeight] = createSignal(guessedPx)
  return {
    shown,
    height,
    show(part, near) {
      if (near === shown()) return
      const scroller = scrollerOf(part)
      const top = scroller?.scrollTop ?? 0
      const before = part.getBoundingClientRect()
      if (!near) setHeight(before.height)
      setShown(near)
      if (scroller === null) return
      if (near) keepPlace(part, before, scroller)
      // Reading the position applies the browser's own adjustment if the content became shorter.
      const moved = scroller.scrollTop - top
      if (moved !== 0) listeners.get(scroller)?.(moved)
    },
  }
}

const listeners = new WeakMap<HTMLElement, (pixels: number) => void>()

/** Calls `listener` with the pixels by which parts of a reply have moved `scroller`, to distinguish it from the user's scrolling. */
export function onMovedByParts(scroller: HTMLElement, listener: (pixels: number) => void): void {
  listeners.set(scroller, listener)
}

/** Keeps the text being read in place when a part above it changes its height. */
function keepPlace(part: HTMLElement, before: DOMRect, scroller: HTMLElement): void {
  const grown = part.getBoundingClientRect().height - before.height
  if (grown === 0) return
  const edge = scroller.getBoundingClientRect().top
  // The list of turns compensates for turns that are entirely above the viewport.
  const turn = part.closest('.turn-box')?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY
  if (before.top < edge && turn > edge) scroller.scrollTop += grown
}

function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let above = element.parentElement; above !== null; above = above.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(above).overflowY)) return above
  }
  return null
}

/** The estimated height of a block, in pixels. */
export function guessBlockHeight(block: string): number {
  const lines = block.split('\n')
  if (/^ {0,3}(`{3}|~{3})/.test(block)) return lines.length * 20 + 40
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 95)) * 24, 12)
}
