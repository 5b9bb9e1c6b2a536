/** Writes lines back to the database that may or may not be there already. */
import type { Log } from '#runtime/log'
import { type BookLine, isUnwritable, type SyncAnswer } from '#store/ledger/leases'

/** The database, for lines of the past. */
export interface WriteBackTarget {
  /** Those of the lines whose request has no usage row yet. */
  missing(lines: readonly BookLine[]): Promise<BookLine[]>
  write(lines: readonly BookLine[]): Promise<SyncAnswer>
}

/** The outcome of a write-back. */
export interface WrittenBack {
  /** How many were missing. */
  lines: number
  /** False when a line can never be written. */
  complete: boolean
}

const linesPerCall = 200

/** Writes those of the lines that are missing. Rejects when the database does not answer. */
export async function writeBack(target: WriteBackTarget, lines: readonly BookLine[], log: Log): Promise<WrittenBack> {
  const written: WrittenBack = { lines: 0, complete: true }
  for (let at = 0; at < lines.length; at += linesPerCall) {
    const missing = await target.missing(lines.slice(at, at + linesPerCall))
    if (missing.length === 0) continue
    written.lines += missing.length
    written.complete = (await write(target, missing, log)) && written.complete
  }
  return written
}

async function write(home: WriteBackTarget, lines: readonly BookLine[], log: Log): Promise<boolean> {
  try {
    logShortCharges(lines, await home.write(lines), log)
    return true
  } catch (thrown) {
    if (!isUnwritable(thrown)) throw thrown
    const [line] = lines
    if (line === undefined) return true
    if (lines.length === 1) {
      logUnwritable(line, thrown, log)
      return false
    }
    let complete = true
    for (const each of lines) complete = (await write(home, [each], log)) && complete
    return complete
  }
}

/** Logs every line that could not be charged in full: the operator bears the rest. */
export function logShortCharges(lines: readonly BookLine[], { short }: SyncAnswer, log: Log): void {
  for (const { row } of lines) {
    const charged = short.get(row.requestId)
    if (charged === undefined) continue
    const facts = { requestId: row.requestId, cost: row.cost.toString(), charged: charged.toString() }
    log.error(facts, 'a request cost more than was left in its accounts; the operator bears the rest')
  }
}

/** Logs a line that the database will never take, with its whole usage row. */
export function logUnwritable({ row, owed }: BookLine, err: unknown, log: Log): void {
  log.error({ requestId: row.requestId, row, owed: owed.toString(), err }, 'a request could not be settled')
}
