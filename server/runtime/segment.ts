/**
 * Files of a fixed size that are written in place: their space is allocated in advance, so that a write neither waits for space nor runs
 * out of it. Unwritten bytes read as zeros.
 */
import { close, closeSync, fdatasync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Segment {
  /** Bytes. */
  readonly size: number
  /** The kernel has the bytes when it returns: safe against a crash of the process, not of the machine. Throws on a disk error. */
  write(at: number, bytes: Uint8Array): void
  /** Everything is on the disk when it resolves. After a rejection the file must not be trusted any more. */
  sync(): Promise<void>
  /** Frees the space after the first `used` bytes. Never throws: on a disk error the zeros stay. */
  close(used: number): void
  /** Closes and deletes. Never rejects: a file left behind is only read once more. */
  remove(): Promise<void>
}

const syncData = promisify(fdatasync)
const closeFile = promisify(close)
const zeros = new Uint8Array(256 * 1024)

/** A new file of zeros in a folder that is created if needed. Rejects when there is no space. */
export async function makeSegment(folder: string, name: string, size: number): Promise<Segment> {
  const path = join(folder, name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await fill(path, size).catch(async (thrown: unknown) => {
    await rm(path, { force: true })
    throw thrown
  })
  const file = openSync(path, 'r+')
  return {
    size,
    write(at, bytes) {
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done)
    },
    sync: () => syncData(file),
    close(used) {
      try {
        ftruncateSync(file, used)
        closeSync(file)
      } catch {}
    },
    async remove() {
      await closeFile(file).catch(() => {})
      await rm(path, { force: true }).catch(() => {})
    },
  }
}

async function fill(path: string, size: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for (let at = 0; at < size; ) at += (await file.write(zeros, 0, Math.min(zeros.length, size - at), at)).bytesWritten
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The bytes of every file in a folder, by name; none if it does not exist. One at a time; files may disappear meanwhile. */
export async function* readSegments(folder: string): AsyncGenerator<Uint8Array> {
  for (const name of await namesIn(folder)) {
    const bytes = await readFile(join(folder, name)).catch((thrown: unknown) => {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
      throw thrown
    })
    if (bytes) yield bytes
  }
}

/** Frees the unwritten space in the files of a folder that is no longer written to. */
export async function trimSegments(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const used = (await readFile(path)).indexOf(0)
    if (used !== -1) await truncate(path, used)
  }
}

/** The names in a folder, sorted; none if it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort()
}
