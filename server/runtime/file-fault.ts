/** What is wrong with a file that a person has named, in words for them instead of the system's code. */

import { stat } from 'node:fs/promises'

/** A file that cannot be read or written; the message is one sentence, without its stop, that begins with the path. */
export class FileFault extends Error {
  override readonly name = 'FileFault'
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written by this user',
  EEXIST: 'is there already',
  EISDIR: 'is a folder, not a file',
  ELOOP: 'is a link that leads to itself',
  ENAMETOOLONG: 'has a name that is too long',
  ENOENT: 'is not there',
  ENOSPC: 'does not fit on its disk',
  ENOTDIR: 'cannot be there: what it lies in is no folder',
  EPERM: 'may not be read or written by this user',
  EROFS: 'cannot be written: its disk is read-only',
}

/** Does `work` on the file; what the system says of it becomes a FileFault, everything else stays as it is. */
export async function asFileFault<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw faultOf(path, thrown) ?? thrown
  }
}

/** Rejects with a FileFault where there is no file of this name. */
export async function demandFile(path: string): Promise<void> {
  const found = await asFileFault(path, () => stat(path))
  if (found.isDirectory()) throw new FileFault(`${path} ${words.EISDIR}`)
}

/** Rejects with a FileFault where a folder of this name is not there and cannot be made, since a file is in its place or its way. */
export async function demandNoFile(path: string): Promise<void> {
  const found = await stat(path).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') throw faultOf(path, thrown)
  })
  if (found?.isDirectory() === false) throw new FileFault(`${path} is a file, not a folder`)
}

/** Undefined for what is not about a file. */
export function faultOf(path: string, thrown: unknown): FileFault | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const why = words[code]
  return why === undefined ? undefined : new FileFault(`${path} ${why}`, { cause: thrown })
}
