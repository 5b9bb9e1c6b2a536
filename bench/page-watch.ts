/** Measures a page in the browser: long tasks, time between frames, and latency of key presses. */
import type { Page } from 'playwright'

/** What was recorded in the page. */
export interface Watched {
  /** Milliseconds of every task over 50 ms. */
  tasks: number[]
  /** Milliseconds between frames. */
  frames: number[]
  /** Milliseconds from a key press to the frame that shows it, for those over 16. */
  keys: number[]
  /** Milliseconds from a key or a click to the frame that shows what it did, one for each that took over 16. */
  presses: number[]
}

interface Notes extends Watched {
  byPress: Map<number, number>
  first: number | undefined
}

type Noting = typeof globalThis & { notes: Notes }

/** Records figures of every document that this page opens from now on. */
export const watch = (page: Page) =>
  page.addInitScript(() => {
    const notes: Notes = { tasks: [], frames: [], keys: [], presses: [], byPress: new Map(), first: undefined }
    ;(globalThis as Noting).notes = notes
    new PerformanceObserver((list) => notes.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId?: number })[]) {
        if (entry.name === 'keydown' || entry.name === 'keypress') notes.keys.push(entry.duration)
        const { interactionId: id = 0, duration } = entry
        if (id > 0) notes.byPress.set(id, Math.max(duration, notes.byPress.get(id) ?? 0))
      }
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    let last = performance.now()
    const frame = (now: number) => {
      notes.frames.push(now - last)
      last = now
      if (notes.first === undefined && document.querySelector('form.comp')) notes.first = now
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })

/** What was recorded since the last call. */
export const taken = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const { notes } = globalThis as Noting
    const presses = [...notes.byPress.values()]
    notes.byPress.clear()
    return { tasks: notes.tasks.splice(0), frames: notes.frames.splice(0), keys: notes.keys.splice(0), presses }
  })

/** URLs of the scripts that were requested before the input box appeared. */
export const scriptsOfFirstPaint = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const until = (globalThis as Noting).notes.first ?? 0
    const all = performance.getEntriesByType('resource').filter((entry) => entry.startTime <= until)
    return all.map((entry) => entry.name).filter((name) => name.endsWith('.js'))
  })

/** The value at `share` (0..1) of the sorted values; 0 without values. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

/** The largest value; 0 without values. */
export const highest = (values: readonly number[]): number => Math.max(0, ...values)
