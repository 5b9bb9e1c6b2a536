/** Cleans up after the simulated processes, which are all one real process. */
import { closeSync, existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder } from '#runtime/folder'
import type { Cluster } from './cluster.ts'

/** On Linux: the open files of this process. */
const openFiles = '/proc/self/fd'

/** Closes the files that killed processes left open, and removes their folders. */
export async function removeLeftovers({ sites }: Cluster): Promise<void> {
  for (const { folder } of sites) {
    for (const file of existsSync(openFiles) ? readdirSync(openFiles) : [])
      if (linkOf(file).startsWith(`${folder}/`)) closeSync(Number(file))
    await removeFolder(folder)
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(join(openFiles, file))
  } catch {
    return ''
  }
}
