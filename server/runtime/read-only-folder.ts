/** Read-only folders, from which the built client is served. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'

export interface Folder {
  /** Paths of all files below it, with `/`, as they were when it was opened. */
  names: ReadonlySet<string>
  /** The bytes of one of them. Only names in `names` are ever opened, so no path can escape the folder. */
  read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** A folder with everything below it; empty if it does not exist. */
export async function openFolder(path: string): Promise<Folder> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const names = new Set(files.map((file) => file.slice(path.length).split(sep).filter(Boolean).join('/')))
  return {
    names,
    async read(name) {
      return names.has(name) ? new Uint8Array(await readFile(join(path, name))) : undefined
    },
  }
}

/** SHA-256 in base64, for content policies and entity tags. */
export const sha256Base64 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('base64')
