/**
 * Which refused requests are usage rows. A refusal must cost less than what it refuses, or a limit protects nothing: of one key and cause
 * the first ones of a minute are rows, and the others are counted and told together in one row, when the minute is over.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { NewLog } from '#store/ledger/ledger'

/** The refusals of an instance. */
export interface Refusals {
  /** Whether this refused request is a row of its own; otherwise it has been counted. */
  isRow(row: NewLog): boolean
  /** The request was to be a row, and nothing could keep it. */
  lost(row: NewLog): void
  /** Tells of everything that was counted, now. */
  tell(): void
}

/** Rows of one key and cause in a minute. */
export const rowsPerMinute = 10
const minuteMs = 60_000
/** Keys and causes that are told apart. More in one minute are told before it is over. */
const mostKinds = 10_000

interface Kind {
  rows: number
  /** Refused requests that are no rows, and the last of them. */
  counted: number
  last: NewLog
}

/** `write` gets the rows of what was counted: the last of the requests, with their number as `error.count`. */
export function createRefusals(clock: Clock, write: (row: NewLog) => void): Refusals {
  const kinds = new Map<string, Kind>()
  let since = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined

  function tell(): void {
    timer?.cancel()
    timer = undefined
    const told = [...kinds.values()]
    kinds.clear()
    for (const { counted, last } of told) {
      if (counted > 0 && last.error) write({ ...last, error: { ...last.error, count: counted } })
    }
  }

  function kindOf(row: NewLog): Kind {
    const now = clock.monotonic()
    if (now - since >= minuteMs || kinds.size >= mostKinds) {
      tell()
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
    timer ??= clock.after(Math.max(0, since + minuteMs - clock.monotonic()), tell)
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
    tell,
  }
}
