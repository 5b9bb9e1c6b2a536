/** Writes lines back to the database that may or may not be there already. */
import type { Log } from '#runtime/log'
import { isUnwritable, type SyncAnswer } from '#store/ledger/leases'
import { decodedLines, type EncodedLine } from './encoded-line.ts'

/** The database, for lines of the past. */
export interface WriteBackTarget {
  /** The ids of those of the lines whose request has no usage row yet. */
  missing(lines: readonly EncodedLine[]): Promise<ReadonlySet<string>>
  write(lines: readonly EncodedLine[]): Promise<SyncAnswer>
}

/** The outcome of a write-back. */
export interface WrittenBack {
  /** How many were missing. */
  lines: number
  /** False when a line can never be written. */
  complete: boolean
}

const usualLinesPerCall = 200

/** Writes those of the lines that are missing, so many at a time. Rejects when the database does not answer. */
export async function writeBack(
  target: WriteBackTarget,
  lines: readonly EncodedLine[],
  log: Log,
  linesPerCall = usualLinesPerCall,
): Promise<WrittenBack> {
  const written: WrittenBack = { lines: 0, complete: true }
  for (let at = 0; at < lines.length; at += linesPerCall) {
    const some = lines.slice(at, at + linesPerCall)
    const ids = await target.missing(some)
    const missing = some.filter(({ id }) => ids.has(id))
    if (missing.length === 0) continue
    written.lines += missing.length
    written.complete = (await write(target, missing, log)) && written.complete
  }
  return written
}

async function write(home: WriteBackTarget, lines: readonly EncodedLine[], log: Log): Promise<boolean> {
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
export function logShortCharges(lines: readonly EncodedLine[], { short }: SyncAnswer, log: Log): void {
  for (const { id, owed } of lines) {
    const charged = short.get(id)
    if (charged === undefined) continue
    const facts = { requestId: id, cost: owed.toString(), charged: charged.toString() }
    log.error(facts, 'a request cost more than was left in its accounts; the operator bears the rest')
  }
}

/** Logs a line that the database will never take, with its whole usage row. */
export function logUnwritable({ id, owed, bytes }: EncodedLine, err: unknown, log: Log): void {
  const [row] = decodedLines(bytes).map((line) => line.row)
  log.error({ requestId: id, row, owed: owed.toString(), err }, 'a request could not be settled')
}
