/** Lines whose way into the books is not certain are written, whatever of them is there already. */
import type { Log } from '#runtime/log'
import { type BookLine, isUnwritable, type SyncAnswer } from '#store/leases'

/** The database, as lines of the past see it. */
export interface Home {
  /** Those of the lines whose request has no usage row yet. */
  missing(lines: readonly BookLine[]): Promise<BookLine[]>
  write(lines: readonly BookLine[]): Promise<SyncAnswer>
}

export interface Brought {
  /** How many were missing. */
  lines: number
  /** False when something can never be written. */
  complete: boolean
}

const linesPerCall = 200

/** Rejects when the database does not answer. */
export async function bringHome(home: Home, lines: readonly BookLine[], log: Log): Promise<Brought> {
  const brought: Brought = { lines: 0, complete: true }
  for (let at = 0; at < lines.length; at += linesPerCall) {
    const missing = await home.missing(lines.slice(at, at + linesPerCall))
    if (missing.length === 0) continue
    brought.lines += missing.length
    brought.complete = (await write(home, missing, log)) && brought.complete
  }
  return brought
}

async function write(home: Home, lines: readonly BookLine[], log: Log): Promise<boolean> {
  try {
    tellShort(lines, await home.write(lines), log)
    return true
  } catch (thrown) {
    if (!isUnwritable(thrown)) throw thrown
    const [line] = lines
    if (line === undefined) return true
    if (lines.length === 1) {
      tellUnwritable(line, thrown, log)
      return false
    }
    let complete = true
    for (const each of lines) complete = (await write(home, [each], log)) && complete
    return complete
  }
}

/** What was not charged in full is said: it is the house's loss. */
export function tellShort(lines: readonly BookLine[], { short }: SyncAnswer, log: Log): void {
  for (const { row } of lines) {
    const charged = short.get(row.requestId)
    if (charged === undefined) continue
    const facts = { requestId: row.requestId, cost: row.cost.toString(), charged: charged.toString() }
    log.error(facts, 'a request cost more than was left; the house bears the rest')
  }
}

export function tellUnwritable({ row, owed }: BookLine, err: unknown, log: Log): void {
  log.error({ requestId: row.requestId, row, owed: owed.toString(), err }, 'a request could not be settled')
}
