/**
 * The files of a journal, all of one size: one is being written, others are ready, and files whose requests are all in the database
 * are kept for an hour, in case it loses its last commits. Those are reused first when room is needed.
 */
import type { Clock, Timer } from '#runtime/clock'
import { removeFolder, touch } from '#runtime/folder'
import type { Log } from '#runtime/log'
import { makeSegment, type Segment } from '#runtime/segment'

/** Room reserved for all lines of one request, in bytes. */
export const bytesPerRequest = 4096
/** How long lines are kept that the database has, in milliseconds. */
export const keepMs = 3_600_000

const mebibyte = 1024 * 1024
const segmentBytes = 8 * mebibyte

/** One file of a journal. */
export interface JournalFile {
  readonly segment: Segment
  /** Bytes written, and how many more there is room for. */
  used: number
  left: number
  /** Whether part of it is not synced yet. */
  isDirty: boolean
  /** How many requests have their last line in this file and are not in the database. */
  pinned: number
}

/** All files of one journal. What every line needs is plain data. */
export interface JournalFiles {
  /** The file that is being written. */
  readonly current: JournalFile
  /** Bytes of room in the spare files, less one request's each: the end of a file may be too short for a line. */
  readonly spareRoom: number
  /** With less room than this beyond what is reserved, or without a spare file, the next file is due. */
  readonly enough: number
  /** Switches to the next file; false when there is none. */
  rotate(): boolean
  /** Starts making the next file when less than a spare file's room remains beyond what is reserved, as far as `maxBytes` allows. */
  prepare(): void
  /** One request fewer needs the file. */
  unpin(file: JournalFile): void
  /** Resolves when everything written is on the disk. After a rejection none of it is certain to be. */
  sync(): Promise<void>
  /** Whether anything is not synced yet. */
  unsynced(): boolean
  /** Bytes of the files that hold something the database lacks. */
  waitingBytes(): number
  /** Closes all files. Deletes the folder when nothing was ever written, unless it is needed. */
  close(needed: boolean): Promise<void>
}

/** Options of the files. */
export interface JournalFilesOptions {
  folder: string
  /** The first line of every file. */
  head: Uint8Array
  /** The most bytes of all files together. */
  maxBytes: number
  /** How many bytes of the room are promised to open requests. */
  reserved(): number
  clock: Clock
  log: Log
  /** Creates one file; the runtime's function unless a test makes its disk full. */
  createSegment?: typeof makeSegment
}

/** Rejects when the disk has no room for the first two files. */
export async function openJournalFiles(options: JournalFilesOptions): Promise<JournalFiles> {
  const { folder, head, maxBytes, reserved, clock, log, createSegment = makeSegment } = options
  const size = Math.min(segmentBytes, Math.max(16 * 1024, Math.floor(maxBytes / 4)))
  const files = new Set<JournalFile>()
  /** In the order of their last flush. */
  const kept: { file: JournalFile; until: number }[] = []
  let made = 0
  /** Ready to be written, in the order of their use. */
  const spares: JournalFile[] = []
  let making: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let keeping: Timer | undefined
  let closed = false

  async function make(): Promise<JournalFile> {
    const segment = await createSegment(folder, `${String(++made).padStart(6, '0')}.log`, size)
    segment.write(0, head)
    const file = { segment, used: head.length, left: size - head.length, isDirty: false, pinned: 0 }
    files.add(file)
    return file
  }

  const self: JournalFiles & { current: JournalFile; spareRoom: number } = {
    current: await make(),
    spareRoom: 0,
    enough: size - bytesPerRequest,
    rotate,
    prepare,
    unpin(file) {
      file.pinned -= 1
      if (file.pinned === 0 && file !== self.current) keep(file)
    },
    sync,
    waitingBytes: () => [...files].reduce((sum, { pinned, used }) => sum + (pinned > 0 ? used : 0), 0),
    unsynced: () => syncing !== undefined || [...files].some(({ isDirty }) => isDirty),
    close,
  }
  function addSpare(file: JournalFile): void {
    spares.push(file)
    countSpares()
  }

  function countSpares(): void {
    self.spareRoom = spares.reduce((sum, { left }) => sum + Math.max(0, left - bytesPerRequest), 0)
  }

  function prepare(): void {
    const isEnough = spares.length > 0 && self.current.left + self.spareRoom - reserved() >= self.enough
    if (isEnough || making || closed) return
    if ((files.size + 1) * size > maxBytes && kept.length === 0) return
    making = makeRoom()
      .then(makeSomehow)
      .then(async (file) => {
        if (closed) return drop(file)
        addSpare(file)
        queueMicrotask(prepare)
      })
      .catch((thrown: unknown) => log.error({ err: thrown }, 'the journal could not create its next file'))
      .finally(() => {
        making = undefined
      })
  }

  /** On a full disk, reuses the room of files that the database already has. */
  async function makeSomehow(): Promise<JournalFile> {
    for (;;) {
      try {
        return await make()
      } catch (thrown) {
        const oldest = kept.shift()
        if (!oldest) throw thrown
        log.error({ err: thrown }, 'the journal could not create its next file; one that the database already has is reused')
        await drop(oldest.file)
      }
    }
  }

  async function makeRoom(): Promise<void> {
    while ((files.size + 1) * size > maxBytes) {
      const oldest = kept.shift()
      if (!oldest) return
      await drop(oldest.file)
    }
  }

  async function drop(file: JournalFile): Promise<void> {
    files.delete(file)
    // It may be part of the running sync: the descriptor of a closed file can soon be another file's.
    await syncing?.catch(() => {})
    await file.segment.remove()
  }

  /** The database has every request that ends in it. */
  function keep(file: JournalFile): void {
    kept.push({ file, until: clock.monotonic() + keepMs })
    keeping ??= clock.after(keepMs, expire)
  }

  function expire(): void {
    keeping = undefined
    const now = clock.monotonic()
    while (kept[0] && kept[0].until <= now) {
      const { file } = kept[0]
      kept.shift()
      void drop(file)
    }
    if (kept[0]) keeping = clock.after(kept[0].until - now, expire)
  }

  function rotate(): boolean {
    const next = spares.shift()
    if (!next) return false
    countSpares()
    const old = self.current
    self.current = next
    if (old.pinned === 0) keep(old)
    return true
  }

  /** One at a time: callers during a sync share the next one. */
  async function sync(): Promise<void> {
    const last = syncing
    if (last) {
      await last.catch(() => {})
      if (syncing !== undefined && syncing !== last) return syncing
    }
    const due = [...files].filter(({ isDirty }) => isDirty)
    for (const file of due) file.isDirty = false
    const run = Promise.all(due.map((file) => file.segment.sync()))
      .then(() => undefined)
      .finally(() => {
        if (syncing === run) syncing = undefined
      })
    syncing = run
    return run
  }

  async function close(needed: boolean): Promise<void> {
    closed = true
    keeping?.cancel()
    await making
    await sync().catch((err: unknown) => log.error({ err }, 'the journal could not be synced on close'))
    const isUnused = made === files.size && [...files].every(({ used }) => used === head.length)
    for (const file of spares) await drop(file)
    for (const { segment, used } of files) segment.close(used)
    if (isUnused && !needed) await removeFolder(folder)
    else await touch(folder, clock.now())
  }

  addSpare(await make())
  return self
}
