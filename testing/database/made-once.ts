/** Something expensive on the disk that several test processes need: the first one makes it, the others wait for it. */
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { systemClock } from '#runtime/clock'
import { type FolderLock, lockFolder } from '#runtime/folder-lock'

/** Milliseconds between two checks while another process makes it. */
const lookEveryMs = 50

/**
 * Resolves when `path` exists. Unless it does, `make` creates it in the folder that it is given, in one process at a time; it appears under
 * its name when it is complete. If that process is killed, the next one takes over. Rejects as `make` does.
 */
export async function madeOnce(path: string, make: (folder: string) => Promise<unknown>): Promise<void> {
  while (!existsSync(path)) {
    const lock = lockIfFree(`${path}.lock`)
    if (lock === undefined) await systemClock.sleep(lookEveryMs)
    else {
      try {
        if (!existsSync(path)) await makeAs(path, make)
      } finally {
        lock.release()
      }
    }
  }
}

async function makeAs(path: string, make: (folder: string) => Promise<unknown>): Promise<void> {
  const folder = `${path}.new`
  await rm(folder, { recursive: true, force: true })
  await make(folder)
  await rename(folder, path)
}

function lockIfFree(folder: string): FolderLock | undefined {
  try {
    return lockFolder(folder)
  } catch (thrown) {
    if (thrown instanceof Error && thrown.message.includes('is used by another')) return undefined
    throw thrown
  }
}
