/**
 * Replaces references to files stored by Parley with their bytes, before anything else reads the request, so that every upstream
 * understands it. If that makes the body large, it is assembled in the worker and stays there.
 */
import { fileMark, keptFileIn } from '#canonical/kept-file'
import type { StoredFiles } from '#reasoning-state/stored-files'
import type { Body } from '#relay/contract/ask'
import { type KeptBytes, type LargeAsk, type LargeBodies, type LargeBody, light } from '#relay/contract/large-body'
import { GatewayError } from '#shared/errors'
import { fileIds, withFiles } from './file-places.ts'
import { maxBytes, tooMuch } from './remote-media.ts'

/** Kept files by tenant and id. */
export type FileStore = Omit<StoredFiles, 'sweep' | 'stored'>

/** Whose request it is, and how to read it. */
export interface FileAsker {
  tenant: string
  /** The caller, for taking turns on large bodies. */
  caller: string
  as: LargeAsk
}

/** The request with the bytes of the files that it names. Rejects with `not_found` and `request_too_large`. */
export type PutFilesIn = (body: Body, asker: FileAsker) => Promise<Body>

/** Maximum number of files in one request. */
const maxFiles = 20
const noFile = () => new GatewayError('not_found', 'There is no file with this id.', { param: 'file_id' })

/** Whether a body may name a file stored by Parley. */
export const mayNameFiles = ({ content, large, hasFileMark }: Body): boolean =>
  large ? idsIn(large).length > 0 : typeof content === 'string' && (hasFileMark ?? content.includes(fileMark))

const idsIn = ({ head }: LargeBody): string[] =>
  (head.stateRefs ?? []).flatMap(({ kind, id }) => (kind === 'file' ? (keptFileIn(id) ?? []) : []))

export function createPutFilesIn(files: Pick<StoredFiles, 'find' | 'read'>, bodies: Pick<LargeBodies, 'open'>): PutFilesIn {
  async function bytesOf(tenant: string, ids: readonly string[]): Promise<Map<string, KeptBytes>> {
    if (ids.length > maxFiles) throw new GatewayError('request_too_large', `A request may name at most ${maxFiles} files.`)
    const found = new Map<string, KeptBytes>()
    let sum = 0
    for (const id of ids) {
      const file = await files.find(tenant, id)
      if (!file?.isWhole) throw noFile()
      sum += file.bytes
      if (sum > maxBytes) throw tooMuch('file_id')
      const bytes = new Uint8Array(file.bytes)
      let at = 0
      for await (const piece of files.read(tenant, id)) {
        bytes.set(piece, at)
        at += piece.length
      }
      found.set(id, { name: file.name, type: file.type, bytes })
    }
    return found
  }

  async function filled(body: Body, { tenant, caller, as }: FileAsker): Promise<Body> {
    const { large, content, ...rest } = body
    if (!large && typeof content !== 'string') return body
    const text = typeof content === 'string' ? content : ''
    const ids = large ? idsIn(large) : fileIds(text, as.dialect)
    if (ids.length === 0) return body
    const found = await bytesOf(tenant, ids)
    const size = [...found.values()].reduce((sum, { bytes }) => sum + (bytes.length * 4) / 3, text.length)
    if (!large && size <= light.bytes) return { ...rest, content: withFiles(text, as.dialect, contentsOf(found)) }
    const pieces = [new TextEncoder().encode(text)]
    const opened = large ?? (await bodies.open({ pieces, bytes: text.length, weight: light.weight }, as, caller))
    try {
      return { ...rest, content: '', large: await opened.filled(found) }
    } catch (thrown) {
      opened.release()
      throw thrown
    }
  }

  return async (body, asker) => {
    try {
      return await filled(body, asker)
    } catch (thrown) {
      body.large?.release()
      throw thrown
    }
  }
}

/** As they appear in JSON. */
export const contentsOf = (files: ReadonlyMap<string, KeptBytes>) =>
  new Map([...files].map(([id, { name, type, bytes }]) => [id, { name, type, base64: Buffer.from(bytes).toString('base64') }] as const))
