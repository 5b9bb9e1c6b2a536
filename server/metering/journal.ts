/**
 * What happened to money since the database last heard of it, in files of this machine: a line when a request is opened, when it
 * grows, while it streams, and when it is over. Written before what it speaks of can be seen from outside, so that the next start
 * knows what `kill -9` cut off. A request is only taken in when there is room for its end. Start reading at `openJournal`.
 */
import type { Clock, Timer } from '#runtime/clock'
import { removeFolder } from '#runtime/folders'
import type { Log } from '#runtime/log'
import { makeSegment, type Segment } from '#runtime/segment'
import { GatewayError } from '#shared/errors'
import type { BookLine } from '#store/leases'
import { encodeLine, type JournalLine, journalVersion } from './journal-line.ts'

/** What the end of the machine may cost: what the kernel held, a tenth of a second, or nothing that was answered. */
export type Fsync = 'never' | '100ms' | 'always'

export interface JournalOptions {
  /** A folder of its own. */
  folder: string
  instance: bigint
  fsync: Fsync
  /** How many bytes may wait for the database. */
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
  /** Closes the files, and deletes them when they are not needed any more. */
  close(needed: boolean): Promise<void>
}

const mebibyte = 1024 * 1024
const segmentBytes = 8 * mebibyte
/** For the lines of one request from its opening to its end. */
export const bytesPerRequest = 4096
const fsyncMs = 100

interface File {
  segment: Segment
  used: number
  /** Requests whose last line is in here and not in the database. */
  pinned: number
}

/** Rejects when there is no room for its first two files. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, instance, fsync, maxBytes, clock, log } = options
  const size = Math.min(segmentBytes, Math.max(16 * 1024, Math.floor(maxBytes / 4)))
  const head = encodeLine({ kind: 'v', version: journalVersion, instance })
  const files = new Set<File>()
  const pins = new Map<string, File>()
  const opened = new Set<string>()
  const unsynced = new Set<File>()
  let made = 0
  /** Ready to be written, in the order of their use. */
  const spares: File[] = []
  let making: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let syncTimer: Timer | undefined
  /** The disk has refused something: nothing new is let in until all that was written is in the database. */
  let broken = false
  let closed = false

  async function make(): Promise<File> {
    const segment = await makeSegment(folder, `${String(++made).padStart(6, '0')}.log`, size)
    segment.write(0, head)
    const file = { segment, used: head.length, pinned: 0 }
    files.add(file)
    return file
  }

  let current = await make()
  spares.push(await make())

  /** One file, and the room of one beyond what open requests may need, is always ready, as far as the bound allows. */
  function prepare(): void {
    const isEnough = spares.length > 0 && room() >= size - bytesPerRequest
    if (isEnough || making || closed || (files.size + 1) * size > maxBytes) return
    making = make()
      .then(async (file) => {
        if (closed) return drop(file)
        spares.push(file)
        queueMicrotask(prepare)
      })
      .catch((thrown: unknown) => log.error({ err: thrown }, 'the journal finds no room for its next file'))
      .finally(() => {
        making = undefined
      })
  }

  async function drop(file: File): Promise<void> {
    files.delete(file)
    unsynced.delete(file)
    // It may be among those being synced: a number of a closed file can soon be another file's.
    await syncing
    await file.segment.remove()
  }

  function rotate(): boolean {
    const next = spares.shift()
    if (!next) return false
    const old = current
    current = next
    if (old.pinned === 0) void drop(old)
    prepare()
    return true
  }

  const left = (file: File) => size - file.used
  /** The end of a file may be too short for a line: one request's room is taken off for that. */
  const room = () =>
    spares.reduce((sum, file) => sum + Math.max(0, left(file) - bytesPerRequest), left(current)) - opened.size * bytesPerRequest

  function breaks(thrown: unknown): void {
    if (!broken) log.error({ err: thrown }, 'the journal cannot be written; no new requests until the database has everything')
    broken = true
  }

  function write(line: JournalLine): boolean {
    const bytes = encodeLine(line)
    try {
      if (bytes.length > left(current) && !(rotate() && bytes.length <= left(current))) throw new Error('the journal has no room left')
      current.segment.write(current.used, bytes)
    } catch (thrown) {
      breaks(thrown)
      return false
    }
    current.used += bytes.length
    unsynced.add(current)
    if (fsync === '100ms') syncTimer ??= clock.after(fsyncMs, () => void sync())
    return true
  }

  function pin(id: string): void {
    const before = pins.get(id)
    if (before === current) return
    pins.set(id, current)
    current.pinned += 1
    if (before) unpin(before)
  }

  function unpin(file: File): void {
    file.pinned -= 1
    if (file.pinned === 0 && file !== current) {
      void drop(file)
      prepare()
    }
  }

  function mend(): void {
    // After a failed sync the old file may have holes that nobody sees: it is not used again.
    if (broken && pins.size === 0 && opened.size === 0 && rotate()) broken = false
  }

  /** One at a time; who comes meanwhile waits for the next, which covers all of them. */
  async function sync(): Promise<void> {
    syncTimer?.cancel()
    syncTimer = undefined
    const last = syncing
    if (last) {
      await last
      if (syncing !== undefined && syncing !== last) return syncing
    }
    const due = [...unsynced]
    unsynced.clear()
    const run = Promise.all(due.map((file) => file.segment.sync()))
      .then(() => undefined, breaks)
      .finally(() => {
        if (syncing === run) syncing = undefined
      })
    syncing = run
    return run
  }

  const full = () =>
    new GatewayError('journal_full', 'Too much waits to be written into the accounts. Nothing was charged. Try again shortly.', {
      retryAfter: 1,
    })

  return {
    open(id, accounts, amount) {
      mend()
      if (broken || room() < bytesPerRequest) {
        prepare()
        throw full()
      }
      if (!write({ kind: 'o', id, accounts, amount })) throw full()
      opened.add(id)
      pin(id)
      prepare()
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
    safe: () => (fsync === 'always' && unsynced.size + (syncing ? 1 : 0) > 0 ? sync() : Promise.resolve()),
    flushed(id) {
      const file = pins.get(id)
      if (!file) return
      pins.delete(id)
      unpin(file)
      mend()
    },
    async close(needed) {
      closed = true
      await making
      await sync()
      for (const file of files) file.segment.close()
      if (!needed) await removeFolder(folder)
    },
  }
}
