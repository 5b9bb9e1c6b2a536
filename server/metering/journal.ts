/**
 * What happened to money since the database last heard of it, in files of this machine: a line when a request is opened, when it
 * grows, while it streams, and when it is over. Written before what it speaks of can be seen from outside, so that the next start
 * knows what `kill -9` cut off. A request is only taken in when there is room for its end. Start reading at `openJournal`.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import type { BookLine } from '#store/leases'
import { endsIn } from './journal-ends.ts'
import { bytesPerRequest, type JournalFile, openJournalFiles } from './journal-files.ts'
import { encodeLine, type JournalLine, journalVersion, leanLine } from './journal-line.ts'

/** What the end of the machine may cost: what the kernel held, a tenth of a second, or nothing that was answered. */
export type Fsync = 'never' | '100ms' | 'always'

export interface JournalOptions {
  /** A folder of its own. */
  folder: string
  instance: bigint
  fsync: Fsync
  /** How many bytes may wait for the database, or be kept although it has them. */
  maxBytes: number
  clock: Clock
  log: Log
}

export interface Journal {
  /** Before anything is sent upstream. Throws `journal_full`, and then nothing is written. */
  open(id: string, accounts: readonly string[], amount: bigint): void
  grow(id: string, amount: bigint): void
  /** What an open request owes so far. Left out when there is no room to spare. */
  progress(line: BookLine): void
  /** The end of an open request. Never throws: what the disk refuses is still in memory, and no new request is let in. */
  settle(line: BookLine): void
  /** The end of a request that was never open. False when there was no room: then nothing is written. */
  record(line: BookLine): boolean
  /** Resolves when everything so far is as safe as `fsync` asks before an answer may end. */
  safe(): Promise<void>
  /** The database has it. */
  flushed(id: string): void
  /** What the database had and is kept all the same, the oldest first, some at a time: for a database that has forgotten it. */
  kept(): AsyncGenerator<BookLine[]>
  /** Closes the files. `needed`: the next start must look at them even when they say nothing. */
  close(needed: boolean): Promise<void>
}

const fsyncMs = 100
/** Beside the line of the opening. */
const bytesForEnd = bytesPerRequest - 1024

/** Rejects when there is no room for its first two files. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, instance, fsync, maxBytes, clock, log } = options
  const pins = new Map<string, JournalFile>()
  const opened = new Set<string>()
  const head = encodeLine({ kind: 'v', version: journalVersion, instance })
  const reserved = () => opened.size * bytesPerRequest
  const files = await openJournalFiles({ folder, head, maxBytes, reserved, clock, log })
  let syncTimer: Timer | undefined
  /** The disk has refused something: nothing new is let in until all that was written is in the database. */
  let broken = false

  const room = () => files.room() - reserved()

  function breaks(thrown: unknown): void {
    if (!broken) log.error({ err: thrown }, 'the journal cannot be written; no new requests until the database has everything')
    broken = true
  }

  /** An end that is longer than its room is written in full only while there is plenty. */
  function fitting(line: JournalLine): Uint8Array {
    const bytes = encodeLine(line)
    if (bytes.length <= bytesForEnd || (line.kind !== 's' && line.kind !== 'p') || room() >= 4 * bytes.length) return bytes
    return encodeLine({ ...line, line: leanLine(line.line) })
  }

  function write(line: JournalLine): boolean {
    try {
      files.write(fitting(line))
    } catch (thrown) {
      breaks(thrown)
      return false
    }
    if (fsync === '100ms') syncTimer ??= clock.after(fsyncMs, () => void sync())
    return true
  }

  function pin(id: string): void {
    const [before, current] = [pins.get(id), files.current()]
    if (before === current) return
    pins.set(id, current)
    current.pinned += 1
    if (before) files.unpin(before)
  }

  function mend(): void {
    // After a failed sync the old file may have holes that nobody sees: it is not used again.
    if (broken && pins.size === 0 && opened.size === 0 && files.rotate()) broken = false
  }

  function sync(): Promise<void> {
    syncTimer?.cancel()
    syncTimer = undefined
    return files.sync().catch(breaks)
  }

  const full = () =>
    new GatewayError('journal_full', 'Too much waits to be written into the accounts. Nothing was charged. Try again shortly.', {
      retryAfter: 1,
    })

  return {
    open(id, accounts, amount) {
      mend()
      if (broken || room() < bytesPerRequest) {
        files.prepare()
        throw full()
      }
      if (!write({ kind: 'o', id, accounts, amount })) throw full()
      opened.add(id)
      pin(id)
      files.prepare()
    },
    grow(id, amount) {
      if (room() >= 0) write({ kind: 'g', id, amount })
    },
    progress(line) {
      const id = line.row.requestId
      if (opened.has(id) && room() >= bytesPerRequest && write({ kind: 'p', id, line })) pin(id)
    },
    settle(line) {
      const id = line.row.requestId
      opened.delete(id)
      if (write({ kind: 's', id, line })) pin(id)
    },
    record(line) {
      const id = line.row.requestId
      mend()
      if (broken || room() < bytesPerRequest || !write({ kind: 's', id, line })) return false
      pin(id)
      return true
    },
    safe: () => (fsync === 'always' && files.unsynced() ? sync() : Promise.resolve()),
    flushed(id) {
      const file = pins.get(id)
      if (!file) return
      pins.delete(id)
      files.unpin(file)
      files.prepare()
      mend()
    },
    async *kept() {
      for await (const { ended } of endsIn(folder)) yield ended.filter(({ row }) => !pins.has(row.requestId))
    },
    async close(needed) {
      syncTimer?.cancel()
      await files.close(needed)
    },
  }
}
