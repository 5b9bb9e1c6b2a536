/**
 * The journal: what happened to money since the database last heard of it, in local files. A line is written when a request is opened,
 * when its hold grows, while it streams, and when it ends; always before the event can be seen from outside, so that the next start
 * knows what `kill -9` cut off. A request is only admitted when there is room for its end. Start reading at `openJournal`.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { makeSegment } from '#runtime/segment'
import { GatewayError } from '#shared/errors'
import type { BookLine } from '#store/ledger/book-line'
import { endsIn, type JournalEnd } from './journal-ends.ts'
import { bytesPerRequest, type JournalFile, openJournalFiles } from './journal-files.ts'
import { encodeLine, type JournalLine, journalVersion, leanLine } from './journal-line.ts'

/** What a power failure may cost: what the kernel had not written, the last 100 ms, or nothing that was answered. */
export type Fsync = 'never' | '100ms' | 'always'

/** What a journal is made from. */
export interface JournalOptions {
  /** Used by nothing else. */
  folder: string
  instance: bigint
  fsync: Fsync
  /** The most bytes of lines that wait for the database or are kept although it has them. */
  maxBytes: number
  clock: Clock
  log: Log
  /** Makes one file; that of the runtime unless a test's disk fails. */
  createSegment?: typeof makeSegment
}

/** An open journal. */
export interface Journal {
  /** A request is admitted; nothing may be sent upstream before it is `written`. Amount in nano-dollars. Throws `journal_full`; then nothing is. */
  open(id: string, accounts: readonly string[], amount: bigint): void
  /** Resolves when what was said so far is written: whether it was. A request whose opening was not is to be dropped. Never rejects. */
  written(): Promise<boolean>
  /** The hold of an open request has grown by so many nano-dollars. */
  grow(id: string, amount: bigint): void
  /** What an open request owes so far. Skipped when room is short. */
  progress(line: BookLine): void
  /**
   * The end of an open request, written when it is `safe`; `bytes`: the line as `encodeLine` makes it, where that is there already. Never
   * throws: what the disk refuses stays in memory, and no new request is admitted.
   */
  settle(line: BookLine, bytes?: Uint8Array): void
  /**
   * The end of a request that was never open. False when there is no room, or such requests have all that they may; then nothing is
   * written. They never take the room of those that pay.
   */
  record(line: BookLine, bytes?: Uint8Array): boolean
  /** An open request ends without a line: nothing will be charged for it here. */
  drop(id: string): void
  /** Resolves when everything so far is written, and as durable as `fsync` demands before an answer may end. Never rejects. */
  safe(): Promise<unknown>
  /** The share of `maxBytes` that waits for the database, from 0 to 1. */
  waitingShare(): number
  /** Whether it takes a request now; if not, it is made ready for the next one as far as the disk allows. */
  hasRoom(): boolean
  /** The database has the request. */
  flushed(id: string): void
  /** Lines that the database had and that are kept all the same, oldest first, in batches: for a database that has lost them. */
  kept(): AsyncGenerator<JournalEnd[]>
  /** Closes the files. `needed`: the next start must look at them even if they are empty. */
  close(needed: boolean): Promise<void>
}

/** Why no request is admitted. */
export const journalFull = () =>
  new GatewayError('journal_full', 'Too much waits to be written into the accounts. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
  })

const yes = Promise.resolve(true)
const fsyncMs = 100
/** The part of all bytes that requests may have which were never open. */
const recordedPart = 1 / 16
/** Reserved for all lines but the opening one. */
const bytesForEnd = bytesPerRequest - 1024

/** Begins a journal. Rejects when the disk has no room for its first two files. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, instance, fsync, maxBytes, clock, log, createSegment } = options
  const pins = new Map<string, JournalFile>()
  const opened = new Set<string>()
  /** Bytes of lines of requests that were never open, by request, and of all. */
  const recorded = new Map<string, number>()
  let recordedBytes = 0
  const head = encodeLine({ kind: 'v', version: journalVersion, instance })
  const reserved = () => opened.size * bytesPerRequest
  const files = await openJournalFiles({ folder, head, maxBytes, reserved, clock, log, ...(createSegment && { createSegment }) })
  /** Lines that lie behind what is written of the current file, and whether they will have been written. */
  let unwritten: Uint8Array[] = []
  let writing = yes
  let tell: ((isWritten: boolean) => void) | undefined
  let syncTimer: Timer | undefined
  /** The disk has refused a write: no new requests until everything that was written is in the database. */
  let broken = false

  const room = () => files.current.left + files.spareRoom - opened.size * bytesPerRequest

  function breaks(thrown: unknown): void {
    if (!broken) log.error({ err: thrown }, 'the journal cannot be written; no new requests until the database has everything')
    broken = true
  }

  /** A line that is longer than its reserved room is written in full only while there is plenty. */
  function fitting(line: JournalLine, bytes = encodeLine(line)): Uint8Array {
    if (bytes.length <= bytesForEnd || (line.kind !== 's' && line.kind !== 'p') || room() >= 4 * bytes.length) return bytes
    return encodeLine({ ...line, line: leanLine(line.line) })
  }

  /** Sees to the next file in time. */
  function prepare(): void {
    if (files.spareRoom === 0 || room() < files.enough) files.prepare()
  }

  /** Adds the line to what is written next, in the current file or in the one after it; false when there is no room. */
  function write(line: JournalLine, whole?: Uint8Array): boolean {
    const bytes = fitting(line, whole)
    if (bytes.length > files.current.left && !(rotate() && bytes.length <= files.current.left)) {
      breaks(new Error('the journal has no room left'))
      return false
    }
    const { current } = files
    current.used += bytes.length
    current.left -= bytes.length
    current.isDirty = true
    if (unwritten.push(bytes) === 1) {
      writing = new Promise((resolve) => {
        tell = resolve
      })
      // Behind what is in step with this, and before whoever waits for it goes on.
      queueMicrotask(flush)
    }
    if (fsync === '100ms') syncTimer ??= clock.after(fsyncMs, () => void sync())
    return true
  }

  /** Writes what waits; false where the disk refuses it. */
  function flush(): boolean {
    const [first] = unwritten
    if (first === undefined) return true
    const { current } = files
    const bytes = unwritten.length === 1 ? first : Buffer.concat(unwritten)
    const told = tell
    unwritten = []
    writing = yes
    let isWritten = true
    try {
      current.segment.write(current.used - bytes.length, bytes)
    } catch (thrown) {
      isWritten = false
      // The next line has to follow the last one that is there: a reader stops at the first zero.
      current.used -= bytes.length
      current.left += bytes.length
      breaks(thrown)
    }
    told?.(isWritten)
    return isWritten
  }

  const rotate = () => flush() && files.rotate()

  function pin(id: string): void {
    const before = pins.get(id)
    const { current } = files
    if (before === current) return
    pins.set(id, current)
    current.pinned += 1
    if (before) files.unpin(before)
  }

  function sync(): Promise<void> {
    flush()
    syncTimer?.cancel()
    syncTimer = undefined
    return files.sync().catch(breaks)
  }

  /** Mends a broken journal if it can. */
  function hasRoom(): boolean {
    // After a failed sync the old file may silently lack pages: it is not used again.
    if (broken && pins.size === 0 && opened.size === 0 && rotate()) broken = false
    if (!broken && room() >= bytesPerRequest) return true
    prepare()
    return false
  }

  return {
    open(id, accounts, amount) {
      if (!hasRoom()) throw journalFull()
      if (!write({ kind: 'o', id, accounts, amount })) throw journalFull()
      opened.add(id)
      pin(id)
      prepare()
    },
    written: () => writing,
    grow(id, amount) {
      if (room() >= 0 && write({ kind: 'g', id, amount })) flush()
    },
    progress(line) {
      const id = line.row.requestId
      if (opened.has(id) && room() >= bytesPerRequest && write({ kind: 'p', id, line }) && flush()) pin(id)
    },
    settle(line, bytes) {
      const id = line.row.requestId
      opened.delete(id)
      if (write({ kind: 's', id, line }, bytes)) pin(id)
    },
    record(line, bytes = encodeLine({ kind: 's', id: line.row.requestId, line })) {
      const id = line.row.requestId
      const size = bytes.length
      if (!hasRoom() || recordedBytes + size > maxBytes * recordedPart) return false
      if (!write({ kind: 's', id, line }, bytes) || !flush()) return false
      recorded.set(id, size)
      recordedBytes += size
      pin(id)
      return true
    },
    drop: (id) => void opened.delete(id),
    safe: () => (fsync === 'always' && files.unsynced() ? sync() : writing),
    hasRoom,
    waitingShare: () => files.waitingBytes() / maxBytes,
    flushed(id) {
      const file = pins.get(id)
      if (!file) return
      pins.delete(id)
      recordedBytes -= recorded.get(id) ?? 0
      recorded.delete(id)
      files.unpin(file)
      prepare()
      hasRoom()
    },
    async *kept() {
      flush()
      for await (const { ended } of endsIn(folder)) yield ended.filter(({ id }) => !pins.has(id))
    },
    async close(needed) {
      syncTimer?.cancel()
      flush()
      await files.close(needed)
    },
  }
}
