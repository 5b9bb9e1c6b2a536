/** Operations on whole folders. */
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

/** Creates an empty folder with a new name that starts with `begins`; resolves with its path. */
export const makeFolder = (begins: string): Promise<string> => mkdtemp(begins)

/** Restricts the folder, and so everything in it, to its owner. */
export async function closeToOthers(path: string): Promise<void> {
  await chmod(path, 0o700)
}

/** Creates a folder for its owner only, with its parents; an existing one stays unchanged. */
export async function makeOwnFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** The names in a folder; none if it does not exist. */
export const namesIn = (path: string): Promise<string[]> => readdir(path).catch(() => [])

/** Removes the file, or the folder with everything in it, if it exists. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Sets its modification time (milliseconds since the epoch), if it exists. */
export async function touch(path: string, at: number): Promise<void> {
  try {
    await utimes(path, at / 1000, at / 1000)
  } catch (thrown) {
    if (await exists(path)) throw thrown
  }
}

/** Its modification time (milliseconds since the epoch), and the total bytes of its files. Undefined if it does not exist. */
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
