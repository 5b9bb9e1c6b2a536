/** Folders as wholes: is one there, move it, remove it. */
import { access, rename as renameFile, rm, stat } from 'node:fs/promises'

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

/** With everything in it; fine when it is not there. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** A file, and no folder. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
