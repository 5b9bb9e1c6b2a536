/** The newest requests as they come: a bounded list that grows in small steps, however many come at once. */
import { type Accessor, createSignal } from 'solid-js'
import type { LogRow } from '#shared/console/log'

/** Most rows that the live list keeps; older ones are read again when they are asked for. */
export const mostLive = 200
/** Rows that are put on the page in one frame. */
const atOnce = 25

/** Rows that came after the list was read. */
export interface LiveRows {
  /** Newest first. Tracks. */
  rows: Accessor<LogRow[]>
  /** Whether rows are missing between these and those that were read before. Tracks. */
  gap: Accessor<boolean>
  /** Takes what was found: the newest rows, newest first; `known` are the ids that are on the page already. */
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
      // Nothing of what was there is among them: more came than one look sees.
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
