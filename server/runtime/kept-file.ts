/** A small fact that is made once and then kept in a file that only its owner may read. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The file's text when it has the given form; otherwise `made` is written and answered. The folder must be locked by the caller. */
export async function keptFile(path: string, form: RegExp, make: () => string): Promise<string> {
  const known = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (form.test(known)) return known
  const made = make()
  await mkdir(dirname(path), { recursive: true })
  // Renamed into place: a crash in between must not leave half of it.
  await writeFile(`${path}.new`, made, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return made
}

/** The text of a file, or undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
