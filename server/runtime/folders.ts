/** Folders as wholes: is one there, move it, remove it. */
import { access, mkdtemp, readdir, rename as renameFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Atomic within one file system. */
export async function rename(from: string, to: string): Promise<void> {
  await renameFile(from, to)
}

/** An empty one whose name begins so and was never anybody's; its path. */
export const makeFolder = (begins: string): Promise<string> => mkdtemp(begins)

/** With everything in it; fine when it is not there. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** From now on it counts as changed at `at` (milliseconds since the epoch). */
export async function touch(path: string, at: number): Promise<void> {
  await utimes(path, at / 1000, at / 1000)
}

/** When it was last changed or touched (milliseconds since the epoch), and how many bytes its files have. Undefined when it is not there. */
export async function folderFacts(path: string): Promise<{ changedAt: number; bytes: number } | undefined> {
  try {
    const { mtimeMs } = await stat(path)
    const sizes = await Promise.all((await readdir(path)).map(async (name) => (await stat(join(path, name))).size))
    return { changedAt: mtimeMs, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  } catch {
    return undefined
  }
}

/** A file, and no folder. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
