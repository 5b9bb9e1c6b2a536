/** Where a file lies: on which start of which machine, and where on its disk. A copy of it lies elsewhere. */
import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'

/** A short text without spaces that stays the same until the machine starts again, or the file is copied or moved to another one. */
export async function placeOf(path: string): Promise<string> {
  const machine = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hostname)
  const { dev, ino } = await stat(path, { bigint: true })
  return `${machine.trim()}:${dev}:${ino}`
}
