/** Identifies the place of a file: the boot of a machine, and the file on its disk. A copy is in a different place. */
import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'

/** A short text without spaces that stays the same until the machine reboots, or the file is copied, or moved to another disk. */
export async function placeOf(path: string): Promise<string> {
  const machine = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(hostname)
  const { dev, ino } = await stat(path, { bigint: true })
  return `${machine.trim()}:${dev}:${ino}`
}
