/**
 * A folder in memory for the temporary files of the tests, which are databases above all: about a third of the CPU time of a test with a
 * database would go into files on a disk.
 */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const shared = '/dev/shm'
const prefix = 'parley-tests-'
const gibibyte = 2 ** 30
/** Milliseconds; no run takes longer, so an older folder is left over from one that was killed. */
const leftOverAfter = 86_400_000

/**
 * Creates the folder, which is removed at the end of this process; undefined where the system has none, or too little memory. The server
 * of PostgreSQL runs as another user, who must be able to enter it.
 */
export function memoryFolder() {
  if (!hasRoom(machine())) return undefined
  for (const name of readdirSync(shared).filter((name) => name.startsWith(prefix))) {
    const path = join(shared, name)
    if (Date.now() - statSync(path).mtimeMs > leftOverAfter) rmSync(path, { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(shared, prefix))
  chmodSync(folder, 0o711)
  process.once('exit', () => remove(folder))
  return folder
}

/** Database servers notice the end of a run after it, and still write for a second. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 400 })
  } catch {
    // The next day's run removes what is left.
  }
}

/** `free` bytes for files in memory, of `memory` bytes that are left altogether; `mounts` as in /proc/mounts. */
export function hasRoom({ mounts, free, memory }) {
  const [, kind, flags = ''] = new RegExp(`^\\S+ ${shared} (\\S+) (\\S+)`, 'm').exec(mounts) ?? []
  return kind === 'tmpfs' && !flags.split(',').includes('noexec') && free >= 4 * gibibyte && memory >= 8 * gibibyte
}

function machine() {
  try {
    const { bavail, bsize } = statfsSync(shared)
    return { mounts: readFileSync('/proc/mounts', 'utf8'), free: bavail * bsize, memory: process.availableMemory?.() ?? freemem() }
  } catch {
    return { mounts: '', free: 0, memory: 0 }
  }
}
