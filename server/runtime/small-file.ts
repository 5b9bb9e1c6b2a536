/** A small fact that is made once and then kept in a file that only its owner may read. */
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { asFileFault } from './file-fault.ts'

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

/** The text of a file, or undefined when there is none. Rejects with a FileFault. */
export const readIfThere = (path: string): Promise<string | undefined> => asFileFault(path, () => unlessAbsent(readFile(path, 'utf8')))

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
