/**
 * One Parley per data folder. The lock is an exclusive SQLite transaction on `<folder>/lock`: the kernel drops it with the
 * process, `kill -9` included, so there is no stale lock file to clean up.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'

export interface FolderLock {
  release(): void
}

/** A database that nobody refers to is collected, and its lock with it; a caller may well drop what it will never release. */
const held = new Set<Database>()

/** Makes the folder (mode 0700) if need be and locks it. Throws an Error fit for standard error when it is in use or not writable. */
export function lockFolder(folder: string): FolderLock {
  const file = take(folder)
  held.add(file)
  return {
    release() {
      held.delete(file)
      file.close()
    },
  }
}

function take(folder: string): Database {
  let file: Database | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = new Database(`${folder}/lock`, { create: true, readwrite: true })
    file.run('PRAGMA locking_mode = EXCLUSIVE')
    file.run('BEGIN EXCLUSIVE')
    return file
  } catch (thrown) {
    file?.close()
    const code = codeOf(thrown)
    if (code.startsWith('SQLITE_BUSY')) throw new Error(`the data folder ${folder} is used by another Parley`, { cause: thrown })
    throw new Error(`cannot write to the data folder ${folder} (${code})`, { cause: thrown })
  }
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown'
}
