/**
 * The journal: local files with every change to money that the database may not have yet. A line is written when a request is opened,
 * when its hold grows, while it streams, and when it ends; always before the event can be seen from outside, so that the next start
 * knows what `kill -9` cut off. A request is only admitted when there is room for its end. Start reading at `openJournal`.
 */
import type { Timer } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { Journal, JournalOptions } from './contract.ts'
import { endsIn } from './journal-ends.ts'
import { bytesPerRequest, type JournalFile, openJournalFiles } from './journal-files.ts'
import { encodeLine, type JournalLine, journalVersion, leanLine } from './journal-line.ts'

/** The error when no request can be admitted. */
export const journalFull = () =>
  new GatewayError('journal_full', 'Too many charges are waiting to be written to the accounts. Nothing was charged. Try again shortly.', {
    retryAfter: 1,
  })

const yes = Promise.resolve(true)
const fsyncMs = 100
/** Share of all bytes for requests that were never open. */
const recordedPart = 1 / 16
/** Reserved for all lines but the opening one. */
const bytesForEnd = bytesPerRequest - 1024

/** A request that has a line. */
interface Noted {
  /** Where its last line is. */
  file: JournalFile
  isOpen: boolean
  /** Bytes of its line, where it was never open. */
  recorded: number
  /** The database has it, or it owes nothing any more. */
  isForgotten?: true
}

/** Begins a journal. Rejects when the disk has no room for its first two files. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, instance, fsync, maxBytes, clock, log, createSegment } = options
  /** Requests that are open, or not in the database yet, by their ids. */
  const requests = new Map<string, Noted>()
  let open = 0
  /** Bytes of lines of requests that were never open. */
  let recordedBytes = 0
  const head = encodeLine({ kind: 'v', version: journalVersion, instance })
  const reserved = () => open * bytesPerRequest
  const files = await openJournalFiles({ folder, head, maxBytes, reserved, clock, log, ...(createSegment && { createSegment }) })
  /** Lines not yet written to the current file, and the promise of their being written. */
  let unwritten: Uint8Array[] = []
  /** Requests whose last lines these are, and which have earlier lines that are written. */
  let moving: Noted[] = []
  let writing = yes
  let resolveWritten: ((isWritten: boolean) => void) | undefined
  let syncTimer: Timer | undefined
  /** The disk has refused a write: no new requests until everything that was written is in the database. */
  let broken = false

  const room = () => files.current.left + files.spareRoom - open * bytesPerRequest

  function breaks(thrown: unknown): void {
    if (!broken) log.error({ err: thrown }, 'the journal cannot be written; no new requests until the database has everything')
    broken = true
  }

  /** A line longer than its reserved room is written in full only while there is plenty of room. */
  function fitting(line: JournalLine, bytes = encodeLine(line)): Uint8Array {
    if (bytes.length <= bytesForEnd || (line.kind !== 's' && line.kind !== 'p') || room() >= 4 * bytes.length) return bytes
    return encodeLine({ ...line, line: leanLine(line.line) })
  }

  /** Prepares the next file in time. */
  function prepare(): void {
    if (files.spareRoom === 0 || room() < files.enough) files.prepare()
  }

  /** Queues the line for the next write, in the current file or the one after it; false when there is no room. */
  function write(line: JournalLine, whole?: Uint8Array): boolean {
    const bytes = fitting(line, whole)
    if (bytes.length > files.current.left && !(rotate() && bytes.length <= files.current.left)) {
      breaks(new Error('the journal has no room left'))
      return false
    }
    const { current } = files
    current.used += bytes.length
    current.left -= bytes.length
    if (unwritten.push(bytes) === 1) {
      writing = new Promise((resolve) => {
        resolveWritten = resolve
      })
      // After everything else noted in this turn, and before the callers that await it resume.
      queueMicrotask(flush)
    }
    if (fsync === '100ms') syncTimer ??= clock.after(fsyncMs, () => void sync())
    return true
  }

  /** Writes the queued lines; false where the disk refuses it. */
  function flush(): boolean {
    const [first] = unwritten
    if (first === undefined) return true
    const { current } = files
    const bytes = unwritten.length === 1 ? first : Buffer.concat(unwritten)
    const [resolveWriting, moved] = [resolveWritten, moving]
    unwritten = []
    moving = []
    writing = yes
    let isWritten = true
    try {
      current.segment.write(current.used - bytes.length, bytes)
      current.isDirty = true
      for (const request of moved) pin(request)
    } catch (thrown) {
      isWritten = false
      // The next line must directly follow the last one written: a reader stops at the first zero.
      current.used -= bytes.length
      current.left += bytes.length
      breaks(thrown)
    }
    resolveWriting?.(isWritten)
    return isWritten
  }

  const rotate = () => flush() && files.rotate()

  /** The current file has its last line. Until that is written, the file with the one before is needed. */
  function pin(request: Noted): void {
    const { file } = request
    const { current } = files
    if (file === current || request.isForgotten) return
    request.file = current
    current.pinned += 1
    files.unpin(file)
  }

  /** Records a request whose first line was just added. */
  function note(id: string, isOpen: boolean, recorded: number): void {
    const { current } = files
    forget(id)
    requests.set(id, { file: current, isOpen, recorded })
    current.pinned += 1
    if (isOpen) open += 1
    recordedBytes += recorded
  }

  function close(request: Noted): void {
    if (request.isOpen) open -= 1
    request.isOpen = false
  }

  /** False where it was not recorded. */
  function forget(id: string): boolean {
    const request = requests.get(id)
    if (request === undefined) return false
    requests.delete(id)
    request.isForgotten = true
    close(request)
    recordedBytes -= request.recorded
    files.unpin(request.file)
    return true
  }

  function sync(): Promise<void> {
    flush()
    syncTimer?.cancel()
    syncTimer = undefined
    return files.sync().catch(breaks)
  }

  /** Repairs a broken journal if possible. */
  function hasRoom(): boolean {
    // After a failed sync the old file may silently lack pages: it is not used again.
    if (broken && requests.size === 0 && rotate()) broken = false
    if (!broken && room() >= bytesPerRequest) return true
    prepare()
    return false
  }

  return {
    open(id, accounts, amount) {
      if (!hasRoom()) throw journalFull()
      if (!write({ kind: 'o', id, accounts, amount })) throw journalFull()
      note(id, true, 0)
      prepare()
    },
    written: () => writing,
    grow(id, amount) {
      if (room() >= 0) write({ kind: 'g', id, amount })
    },
    progress(line) {
      const id = line.row.requestId
      const request = requests.get(id)
      if (request?.isOpen && room() >= bytesPerRequest && write({ kind: 'p', id, line })) moving.push(request)
    },
    settle(line, bytes) {
      const id = line.row.requestId
      const request = requests.get(id)
      if (request) close(request)
      if (!write({ kind: 's', id, line }, bytes)) return
      if (request) moving.push(request)
      else note(id, false, 0)
    },
    record(line, bytes = encodeLine({ kind: 's', id: line.row.requestId, line })) {
      const id = line.row.requestId
      const size = bytes.length
      if (!hasRoom() || recordedBytes + size > maxBytes * recordedPart) return false
      if (!write({ kind: 's', id, line }, bytes) || !flush()) return false
      note(id, false, size)
      return true
    },
    drop(id) {
      const request = requests.get(id)
      if (request) close(request)
    },
    safe: () => (fsync === 'always' && files.unsynced() ? sync() : writing),
    hasRoom,
    flush,
    waitingShare: () => files.waitingBytes() / maxBytes,
    flushed(id) {
      if (!forget(id)) return
      prepare()
      hasRoom()
    },
    async *kept() {
      flush()
      for await (const { ended } of endsIn(folder)) yield ended.filter(({ id }) => !requests.has(id))
    },
    async close(needed) {
      syncTimer?.cancel()
      flush()
      await files.close(needed)
    },
  }
}
