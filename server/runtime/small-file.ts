/** Small files: facts that are made once and kept for their owner alone, and files that people name, with words for what is wrong with them. */
import { isUtf8 } from 'node:buffer'
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The file's text when it has the given form; otherwise `made` is written and answered. The folder must be locked by the caller. */
export async function readOrCreate(path: string, form: RegExp, make: () => string): Promise<string> {
  const known = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (form.test(known)) return known
  const made = make()
  await mkdir(dirname(path), { recursive: true })
  await writeSmall(path, made)
  return made
}

/** Writes or replaces a file in a folder that is there. */
export async function writeSmall(path: string, text: string): Promise<void> {
  // Renamed into place: a crash in between must not leave half of it.
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Writes or replaces a file, with the folders that lead to it; null removes it. Rejects with a FileFault. */
export async function writeOwn(path: string, text: string | null): Promise<void> {
  await asFileFault(path, async () => {
    if (text === null) return rm(path, { force: true })
    await mkdir(dirname(path), { recursive: true })
    await writeSmall(path, text)
  })
}

/** Adds to the end of a file that only its owner may read; it is made if need be, with the folders that lead to it. Rejects with a FileFault. */
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
 * What changes whenever a file is written or replaced, links followed; undefined when there is none. Asked again and again
 * it finds what notices of the kernel miss: mounted files, network folders, links that are switched.
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

/** A file that cannot be read or written; the message is one sentence, without its stop, that begins with the path. */
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

/** Does `work` on the file; what the system says of it becomes a FileFault, everything else stays as it is. */
export async function asFileFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw faultOf(path, thrown) ?? thrown
  }
}

/** Rejects with a FileFault where there is no file of this name. */
export async function demandFile(path: string): Promise<void> {
  const found = await asFileFault(path, () => stat(path))
  if (found.isDirectory()) throw new FileFault(`${path} ${words.EISDIR}`)
}

/** Rejects with a FileFault where a folder of this name is not there and cannot be made, since a file is in its place or its way. */
export async function demandNoFile(path: string): Promise<void> {
  const found = await stat(path).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') throw faultOf(path, thrown)
  })
  if (found?.isDirectory() === false) throw new FileFault(`${path} is a file, not a folder`)
}

/** Undefined for what is not about a file. */
export function faultOf(path: string, thrown: unknown): FileFault | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const why = words[code]
  return why === undefined ? undefined : new FileFault(`${path} ${why}`, { cause: thrown })
}
