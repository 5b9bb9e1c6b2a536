/**
 * The thread's functions for a bucket: files are written in the folder and moved to the bucket when
 * closed, under the same names. Reading looks in the folder first.
 */
import { removeFile, wholeFile } from '#runtime/storage/append-file'
import type { Bucket, StoredFile } from '#runtime/storage/bucket'
import type { Border } from '#shared/console/body'
import type { BodyPlace } from '#store/bodies/kept-bodies'
import { type KeptRecord, recordLine } from './record.ts'
import type { Span } from './segments.ts'
import { type BodyWork, openRecord, type Unread } from './work.ts'

/** The thread's functions for a bucket; all reject with the fault of the bucket. */
export interface BucketWork {
  read(span: Span, requestId: string, key: string): Promise<KeptRecord | Unread>
  line(span: Span, requestId: string, key: string, head: string, borders: readonly Border[]): Promise<Uint8Array<ArrayBuffer> | Unread>
  /** Moves a closed file of the folder to the bucket. */
  upload(name: string): Promise<void>
  /** The files of all instances in the bucket, sorted by name. */
  stored(): Promise<StoredFile[]>
  /** Writes these records of a file into a new one of this name, in order; returns their new places. */
  rewriteStored(from: string, to: string, places: readonly BodyPlace[]): Promise<BodyPlace[]>
  removeStored(name: string): Promise<void>
}

/** The functions on a folder, whose own functions are `local`, and a bucket. */
export function createBucketWork(folder: string, local: Pick<BodyWork, 'read'>, bucket: Bucket): BucketWork {
  async function read(span: Span, requestId: string, key: string): Promise<KeptRecord | Unread> {
    const here = local.read(span, requestId, key)
    if (here !== 'absent') return here
    const sealed = await bucket.read(span.segment, span.offset, span.length)
    return sealed ? openRecord(sealed, requestId, key) : 'absent'
  }
  return {
    read,
    async line(span, requestId, key, head, borders) {
      const record = await read(span, requestId, key)
      return typeof record === 'string' ? record : recordLine(head, record, borders)
    },
    async upload(name) {
      const bytes = wholeFile(folder, name)
      if (!bytes) return
      if (bytes.length > 0) await bucket.put(name, bytes)
      removeFile(folder, name)
    },
    stored: async () => (await bucket.list()).filter(({ name }) => name.endsWith('.bodies') && !name.includes('/')),
    async rewriteStored(from, to, places) {
      const last = Math.max(0, ...places.map(({ offset, length }) => offset + length))
      const all = (await bucket.read(from, 0, last)) ?? new Uint8Array()
      const found = places.filter(({ offset, length }) => offset + length <= all.length)
      const records = found.map(({ offset, length }) => all.subarray(offset, offset + length))
      let at = 0
      const moved = found.map((place) => {
        const offset = at
        at += place.length
        return { ...place, segment: to, offset }
      })
      if (moved.length > 0) await bucket.put(to, new Uint8Array(Buffer.concat(records)))
      return moved
    },
    removeStored: (name) => bucket.remove(name),
  }
}
