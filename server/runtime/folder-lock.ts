/**
 * One Parley per data folder. The lock is an exclusive SQLite transaction on `<folder>/lock`: the kernel drops it with the
 * process, `kill -9` included, so there is no stale lock file to clean up.
 */
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface FolderLock {
  /** Releases the folder for another process. To be called once. */
  release(): void
}

/** An unreferenced database would be garbage-collected and its lock lost, and a caller may drop a lock that it never releases. */
const held = new Set<DatabaseSync>()

/**
 * Creates the folder (mode 0700) if need be and locks it. Throws an Error with a message for users when the folder is in use or not
 * writable.
 */
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

function take(folder: string): DatabaseSync {
  let file: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = new DatabaseSync(`${folder}/lock`)
    file.exec('PRAGMA locking_mode = EXCLUSIVE')
    file.exec('BEGIN EXCLUSIVE')
    return file
  } catch (thrown) {
    file?.close()
    // The runtimes have the same SQLite messages, but not the same error codes.
    if (/database is locked/.test(messageOf(thrown))) {
      throw new Error(`the data folder ${folder} is used by another Parley`, { cause: thrown })
    }
    if (['EEXIST', 'ENOTDIR'].includes(codeOf(thrown)))
      throw new Error(`the data folder ${folder} is a file, or inside one`, { cause: thrown })
    throw new Error(`cannot write to the data folder ${folder} (${codeOf(thrown)})`, { cause: thrown })
  }
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : '')

/** The code of a file system error; the message of an SQLite error. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown'
  return code === 'ERR_SQLITE_ERROR' ? messageOf(thrown) : code
}
