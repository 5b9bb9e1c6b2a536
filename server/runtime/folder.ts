/** Whole folders: whether one exists, what is in it, moving and removing it. */
import { access, chmod, mkdir, mkdtemp, readdir, rename as renameFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether there is a file or folder at this path that may be seen. Never rejects. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Moves a file or folder; atomic within one file system. */
export async function rename(from: string, to: string): Promise<void> {
  await renameFile(from, to)
}

/** Makes an empty folder with a fresh name that begins with `begins`; resolves with its path. */
export const makeFolder = (begins: string): Promise<string> => mkdtemp(begins)

/** Leaves the folder, and so all that is in it, to its owner alone. */
export async function closeToOthers(path: string): Promise<void> {
  await chmod(path, 0o700)
}

/** Makes a folder for its owner alone, with those that lead to it; one that is there stays as it is. */
export async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** The names of what is in a folder; none where there is no folder. */
export const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])

/** Removes the file, or the folder with everything in it; a missing one is fine. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Sets when it was last changed (milliseconds since the epoch). */
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

/** Whether there is a file, not a folder, at this path. Never rejects. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
