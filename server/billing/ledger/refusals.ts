/**
 * Which refused requests get usage rows. A refusal must cost less than what it refuses, or a limit protects nothing: per key and cause
 * the first ones of a minute get rows; the others are counted and written as one row when the minute is over.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { NewLog } from '#store/ledger/ledger'

/** The refusals of an instance. */
export interface Refusals {
  /** Whether this refused request gets its own row; otherwise it has been counted. */
  isRow(row: NewLog): boolean
  /** The request should have got a row, but it could not be stored. */
  lost(row: NewLog): void
  /** Writes rows for everything counted so far, now. */
  flush(): void
}

/** Rows of one key and cause in a minute. */
export const rowsPerMinute = 10
const minuteMs = 60_000
/** Most distinct pairs of key and cause. More within a minute are written before it is over. */
const mostKinds = 10_000

interface Kind {
  rows: number
  /** Refused requests without rows, and the last of them. */
  counted: number
  last: NewLog
}

/** `write` gets the rows of what was counted: the last of the requests, with their number as `error.count`. */
export function createRefusals(clock: Clock, write: (row: NewLog) => void): Refusals {
  const kinds = new Map<string, Kind>()
  let since = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined

  function flush(): void {
    timer?.cancel()
    timer = undefined
    const entries = [...kinds.values()]
    kinds.clear()
    for (const { counted, last } of entries) {
      if (counted > 0 && last.error) write({ ...last, error: { ...last.error, count: counted } })
    }
  }

  function kindOf(row: NewLog): Kind {
    const now = clock.monotonic()
    if (now - since >= minuteMs || kinds.size >= mostKinds) {
      flush()
      since = now
    }
    const name = `${row.keyId ?? row.userId} ${row.error?.code}`
    const kind = kinds.get(name) ?? { rows: 0, counted: 0, last: row }
    kinds.set(name, kind)
    return kind
  }

  function count(kind: Kind, row: NewLog): void {
    kind.counted += 1
    kind.last = row
    timer ??= clock.after(Math.max(0, since + minuteMs - clock.monotonic()), flush)
  }

  return {
    isRow(row) {
      if (!row.error) return true
      const kind = kindOf(row)
      if (kind.rows < rowsPerMinute) {
        kind.rows += 1
        return true
      }
      count(kind, row)
      return false
    },
    lost(row) {
      if (row.error) count(kindOf(row), row)
    },
    flush,
  }
}
