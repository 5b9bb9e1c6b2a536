/** Writes lines back to the database that may or may not be there already. */

import { decodedLines, type EncodedLine } from '#billing/journal/encoded-line'
import type { Log } from '#runtime/log'
import { isUnwritable, type SyncAnswer } from '#store/ledger/leases'

/** The database, for lines of the past. */
export interface WriteBackTarget {
  /** The ids of those lines whose request has no usage row yet. */
  missing(lines: readonly EncodedLine[]): Promise<ReadonlySet<string>>
  write(lines: readonly EncodedLine[]): Promise<SyncAnswer>
}

/** What has been written back. */
export interface WrittenBack {
  /** How many were missing. */
  lines: number
  /** False when a line can never be written. */
  complete: boolean
}

const usualLinesPerCall = 200

/** Writes lines back in batches. While one is written, the next is read and compared with what the database has. */
export interface BackWriter {
  /** Writes the missing ones of these lines. Rejects when the database did not answer, for these or earlier lines. */
  add(lines: readonly EncodedLine[]): Promise<void>
  /** Resolves when all of them are written. Rejects when the database does not answer. */
  end(): Promise<WrittenBack>
}

/** A writer that sends `linesPerCall` lines per call. */
export function createBackWriter(target: WriteBackTarget, log: Log, linesPerCall = usualLinesPerCall): BackWriter {
  const written: WrittenBack = { lines: 0, complete: true }
  let last: Promise<void> = Promise.resolve()

  async function writeMissing(missing: readonly EncodedLine[]): Promise<void> {
    if (missing.length === 0) return
    written.lines += missing.length
    written.complete = (await write(target, missing, log)) && written.complete
  }

  return {
    async add(lines) {
      for (let at = 0; at < lines.length; at += linesPerCall) {
        const some = lines.slice(at, at + linesPerCall)
        const [ids] = await Promise.all([target.missing(some), last])
        last = writeMissing(some.filter(({ id }) => ids.has(id)))
        // The next `add` or `end` rejects with it.
        last.catch(() => {})
      }
    },
    async end() {
      await last
      return written
    },
  }
}

async function write(target: WriteBackTarget, lines: readonly EncodedLine[], log: Log): Promise<boolean> {
  try {
    logShortCharges(lines, await target.write(lines), log)
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
    for (const each of lines) complete = (await write(target, [each], log)) && complete
    return complete
  }
}

/** Nano-dollars charged for these lines. */
export function chargedFor(lines: readonly EncodedLine[], { short }: SyncAnswer): bigint {
  let sum = 0n
  for (const { id, owed } of lines) sum += short.get(id) ?? owed
  return sum
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
