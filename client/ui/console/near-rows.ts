/** Virtualises long tables, so that a thousand rows cost as much as sixty; and whether a table needs to scroll sideways. */
import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js'
import { createMediaQuery } from '#client/ui/browser-state.ts'

/** Tables with fewer rows are mounted entirely. */
export const fewRows = 80
/** Extra rows mounted above and below the viewport. */
const beyond = 12
/** The mounted range moves by this many rows at a time, so that it does not change with every pixel scrolled. */
const step = 8

/** The part of a list that is mounted: `from` inclusive, `to` exclusive. */
export interface Near {
  from: number
  to: number
}

/** The rows to mount of `count` rows of `rowPx` each, when the first begins `above` pixels above a viewport `height` pixels high. */
export function nearRows(count: number, rowPx: number, above: number, height: number): Near {
  const first = Math.floor(Math.max(0, above) / rowPx / step) * step
  const shown = Math.ceil(height / rowPx / step) * step
  const from = Math.max(0, Math.min(first, count - shown) - beyond)
  return { from, to: Math.min(count, Math.max(0, first) + shown + step + beyond) }
}

/**
 * The rows of a table that are mounted. Follows the scrolling of the page around it; reads positions only then. Everything is mounted
 * below `fewRows`, where `rowPx` is not given, and on phones, where rows are cards of any height.
 */
export function createNearRows(
  count: Accessor<number>,
  rowPx: Accessor<number | undefined>,
): [near: Accessor<Near>, watch: (body: HTMLElement) => void] {
  const cards = createMediaQuery('(max-width: 759px)')
  const [place, setPlace] = createSignal(
    { above: 0, height: innerHeight },
    { equals: (a, b) => a.above === b.above && a.height === b.height },
  )
  let stop = () => {}
  onCleanup(() => stop())
  const near = createMemo<Near>(
    () => {
      const px = rowPx()
      if (px === undefined || cards() || count() < fewRows) return { from: 0, to: count() }
      return nearRows(count(), px, place().above, place().height)
    },
    { from: 0, to: 0 },
    { equals: (a, b) => a.from === b.from && a.to === b.to },
  )
  const watch = (body: HTMLElement) => {
    stop()
    let asked = 0
    const look = () => {
      asked = 0
      const scroller = body.closest('.page')
      const top = scroller?.getBoundingClientRect().top ?? 0
      setPlace({ above: Math.round(top - body.getBoundingClientRect().top), height: scroller?.clientHeight ?? innerHeight })
    }
    const soon = () => {
      asked ||= requestAnimationFrame(look)
    }
    // Scroll events do not bubble; listen in the capture phase, whichever element scrolls.
    addEventListener('scroll', soon, { capture: true, passive: true })
    addEventListener('resize', soon)
    stop = () => {
      cancelAnimationFrame(asked)
      removeEventListener('scroll', soon, { capture: true })
      removeEventListener('resize', soon)
    }
    soon()
  }
  return [near, watch]
}

/** Whether a table is no wider than its frame: its head can then be sticky. */
export function createFits(): [fits: Accessor<boolean>, watch: (frame: HTMLElement) => void] {
  const [fits, setFits] = createSignal(false)
  let observer: ResizeObserver | undefined
  onCleanup(() => observer?.disconnect())
  return [
    fits,
    (frame) => {
      observer?.disconnect()
      const table = frame.firstElementChild
      observer = new ResizeObserver(() => setFits((table?.clientWidth ?? 0) <= frame.clientWidth))
      observer.observe(frame)
      if (table) observer.observe(table)
    },
  ]
}
