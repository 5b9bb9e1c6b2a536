/** What simulated processes leave behind in the one that they all are. */
import { closeSync, existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { removeFolder } from '#runtime/folder'
import type { World } from './world.ts'

/** Linux: which files this process has open. */
const openFiles = '/proc/self/fd'

/** Closes what the killed processes had open, for they are all one process in truth, and removes their folders. */
export async function forget({ places }: World): Promise<void> {
  for (const { folder } of places) {
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
