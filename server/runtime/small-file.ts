/** Small files: generated once and private to their owner, or named by users, with error messages for them. */
import { isUtf8 } from 'node:buffer'
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The file's text if it matches `form`; otherwise the result of `make` is written and returned. The caller must hold the folder's lock. */
export async function readOrCreate(path: string, form: RegExp, make: () => string): Promise<string> {
  const known = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (form.test(known)) return known
  const made = make()
  await mkdir(dirname(path), { recursive: true })
  await writeSmall(path, made)
  return made
}

/** Writes or replaces a file in an existing folder. */
export async function writeSmall(path: string, text: string): Promise<void> {
  // Renamed into place, so that a crash cannot leave half of it.
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Writes or replaces a file, creating its parent folders; null removes it. Rejects with a FileFault. */
export async function writeOwn(path: string, text: string | null): Promise<void> {
  await asFileFault(path, async () => {
    if (text === null) return rm(path, { force: true })
    await mkdir(dirname(path), { recursive: true })
    await writeSmall(path, text)
  })
}

/** Appends to a file that only its owner may read, creating it and its parent folders if needed. Rejects with a FileFault. */
export async function appendOwn(path: string, text: string): Promise<void> {
  await asFileFault(path, async () => {
    await mkdir(dirname(path), { recursive: true })
    await appendFile(path, text, { mode: 0o600 })
  })
}

/** The text of a file, or undefined when there is none. Rejects with a FileFault, also for a file that is not UTF-8. */
export async function readIfThere(path: string): Promise<string | undefined> {
  const bytes = await asFileFault(path, () => unlessAbsent(readFile(path)))
  return bytes && decoded(path, bytes)
}

function decoded(path: string, bytes: Buffer): string {
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    // As Latin-1 every byte is a character.
    const lines = bytes.toString('latin1').split('\n')
    const at = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
    throw new FileFault(`${path} is not UTF-8: line ${at + 1} has other bytes`, { cause })
  }
}

/**
 * A value that changes whenever a file is written or replaced, links followed; undefined if there is none. Polling it catches changes that
 * kernel notifications miss: mounted files, network folders, switched links.
 */
export async function fileState(path: string): Promise<string | undefined> {
  const seen = await asFileFault(path, () => unlessAbsent(stat(path)))
  return seen && `${seen.dev}:${seen.ino}:${seen.size}:${seen.mtimeMs}`
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}

/** A file that cannot be read or written; the message is one sentence without a full stop, starting with the path. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user',
  EEXIST: 'is there already',
  EISDIR: 'is a folder, not a file',
  ELOOP: 'is a link that leads to itself',
  ENAMETOOLONG: 'has a name that is too long',
  ENOENT: 'is not there',
  ENOSPC: 'does not fit on its disk',
  ENOTDIR: 'cannot be there: what it lies in is no folder',
  EPERM: 'may not be read or written by this user',
  EROFS: 'cannot be written: its disk is read-only',
}

/** Runs `work`; system errors become a FileFault, all others are rethrown unchanged. */
export async function asFileFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw faultOf(path, thrown) ?? thrown
  }
}

/** Rejects with a FileFault unless the file exists. */
export async function demandFile(path: string): Promise<void> {
  const found = await asFileFault(path, () => stat(path))
  if (found.isDirectory()) throw new FileFault(`${path} ${words.EISDIR}`)
}

/** Rejects with a FileFault if a file is in the way of this folder or of one of its parents. */
export async function demandNoFile(path: string): Promise<void> {
  const found = await stat(path).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') throw faultOf(path, thrown)
  })
  if (found?.isDirectory() === false) throw new FileFault(`${path} is a file, not a folder`)
}

/** Undefined for errors that are not about a file. */
export function faultOf(path: string, thrown: unknown): FileFault | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const why = words[code]
  return why === undefined ? undefined : new FileFault(`${path} ${why}`, { cause: thrown })
}
