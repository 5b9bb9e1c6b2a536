/** Append-only files that are read in pieces. Everything here blocks: only for threads that carry no requests. */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** A file that is open for writing. */
export interface AppendFile {
  /** Bytes so far. */
  readonly size: number
  /** Appends bytes and returns their offset. Throws on a disk error, and leaves the file unchanged as far as possible. */
  append(bytes: Uint8Array): number
  close(): void
}

/** A new file for its owner only, in a folder that is created if needed. Throws if the file exists, or on a disk error. */
export function newAppendFile(folder: string, name: string): AppendFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = openSync(join(folder, name), 'ax', 0o600)
  let size = 0
  return {
    get size() {
      return size
    },
    append(bytes) {
      const at = size
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
        size = at + bytes.length
        return at
      } catch (thrown) {
        size = takenBack(file, at)
        throw thrown
      }
    },
    close: () => closeSync(file),
  }
}

/** Truncates what a failed write left behind; returns where the file now ends. */
function takenBack(file: number, to: number): number {
  try {
    ftruncateSync(file, to)
    return to
  } catch {
    return fstatSync(file).size
  }
}

/** `length` bytes of a file from `offset` on, fewer if it ends before; undefined if there is no such file. */
export function readSpan(folder: string, name: string, offset: number, length: number): Uint8Array | undefined {
  const file = openIfThere(join(folder, name))
  if (file === undefined) return undefined
  try {
    const bytes = new Uint8Array(length)
    let done = 0
    for (let read = -1; done < length && read !== 0; done += read) read = readSync(file, bytes, done, length - done, offset + done)
    return bytes.subarray(0, done)
  } finally {
    closeSync(file)
  }
}

/** All bytes of a file; undefined when there is none. */
export function wholeFile(folder: string, name: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(join(folder, name)))
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    throw thrown
  }
}

/** Names and sizes (bytes) of the files in a folder, sorted by name; none if it does not exist. */
export function filesIn(folder: string): { name: string; bytes: number }[] {
  return namesIn(folder).flatMap((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.isFile() ? { name, bytes: found.size } : []
  })
}

/** Deletes a file if it exists. */
export const removeFile = (folder: string, name: string): void => rmSync(join(folder, name), { force: true })

const isAbsent = (thrown: unknown) => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    throw thrown
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (thrown) {
    if (isAbsent(thrown)) return []
    throw thrown
  }
}
