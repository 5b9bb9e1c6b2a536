/** The live list of the newest requests: bounded, and growing in small steps however many arrive at once. */
import { type Accessor, createSignal } from 'solid-js'
import type { LogRow } from '#shared/console/log'

/** Maximum number of rows in the live list; older ones are loaded again on demand. */
export const mostLive = 200
/** Rows added per frame. */
const atOnce = 25

/** Rows that arrived after the list was loaded. */
export interface LiveRows {
  /** Newest first. Tracks. */
  rows: Accessor<LogRow[]>
  /** Whether rows are missing between these and the loaded ones. Tracks. */
  gap: Accessor<boolean>
  /** Adds the newest rows, newest first; `known` are the ids that are already on the page. */
  take(found: readonly LogRow[], known: ReadonlySet<string>): void
  clear(): void
}

/** An empty list. `nextFrame` calls back before the next paint. */
export function createLiveRows(nextFrame: (work: () => void) => void): LiveRows {
  const [rows, setRows] = createSignal<LogRow[]>([])
  const [gap, setGap] = createSignal(false)
  let waiting: LogRow[] = []
  let running = false
  const step = () => {
    const next = waiting.splice(Math.max(0, waiting.length - atOnce))
    if (next.length > 0) {
      const all = [...next, ...rows()]
      if (all.length > mostLive) setGap(true)
      setRows(all.slice(0, mostLive))
    }
    running = waiting.length > 0
    if (running) nextFrame(step)
  }
  return {
    rows,
    gap,
    take(found, known) {
      const queued = new Set(waiting.map((row) => row.requestId))
      const fresh = found.filter((row) => !known.has(row.requestId) && !queued.has(row.requestId))
      // None of the known rows is among them: more arrived than one load returns.
      if (fresh.length === found.length && found.length > 0 && known.size > 0) setGap(true)
      waiting = [...fresh, ...waiting].slice(0, mostLive)
      if (running || waiting.length === 0) return
      running = true
      nextFrame(step)
    },
    clear() {
      waiting = []
      setGap(false)
      setRows([])
    },
  }
}
