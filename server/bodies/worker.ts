/** The thread for kept bodies: `work.ts` and `bucket-work.ts` behind messages. */

import { sealer } from '#runtime/secrets'
import { type BucketPlace, openBucket } from '#runtime/storage/bucket'
import type { Reply } from '#runtime/worker-link'
import type { BodyRecord } from '#store/bodies/kept-bodies'
import { sealBodyKey } from './body-keys.ts'
import { type BucketWork, createBucketWork } from './bucket-work.ts'
import type { SegmentOptions } from './segments.ts'
import { type BodyWork, createBodyWork, type KeptRows, type Lot, type WrittenRecord } from './work.ts'

/** Where the thread writes. */
export interface BodyPlaceOptions {
  folder: string
  instance: string
  /** The key that seals the keys of records, as 64 hexadecimal digits. */
  key: string
  /** Absent: files stay in the folder. */
  bucket?: { place: BucketPlace; segments: SegmentOptions } | undefined
}

/** A message to the thread: its configuration, a call, or the end. */
export type BodyMessage = { id: number } & (
  | ({ kind: 'open' } & BodyPlaceOptions)
  | { kind: 'close' }
  | { kind: 'call'; name: string; args: readonly unknown[] }
)

/** All functions of the thread except those of a bucket. */
export type ThreadWork = Omit<BodyWork, 'keep'> & { keep(lot: Lot): KeptRows }

let work: ThreadWork | (Omit<ThreadWork, 'read' | 'line'> & BucketWork) | undefined

self.onmessage = async ({ data }: MessageEvent<BodyMessage>) => self.postMessage(await answer(data))

async function answer(message: BodyMessage): Promise<Reply> {
  const { id } = message
  try {
    if (message.kind === 'open') work = opened(message)
    if (message.kind === 'close') work?.turn()
    if (message.kind !== 'call' || !work) return { id }
    const run = work[message.name as keyof ThreadWork] as (...args: readonly unknown[]) => unknown
    return { id, value: await run(...message.args) }
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? { code: String(thrown.code) } : {}
    return { id, fault: { message: thrown instanceof Error ? thrown.message : String(thrown), ...code } }
  }
}

function opened({ folder, instance, key, bucket }: BodyPlaceOptions): NonNullable<typeof work> {
  const written = createBodyWork(folder, instance, bucket?.segments)
  const own = sealer(key)
  const rowOf = ({ key, at, requestId, memberId = null, ...record }: WrittenRecord): string => {
    const { userId, keyId, segment, offset, length, redacted } = record
    const place = { instance, segment, offset, length, redacted }
    const row: BodyRecord = { requestId, at: new Date(at), userId, memberId, keyId, ...place, sealedKey: sealBodyKey(own, requestId, key) }
    return JSON.stringify(row)
  }
  const local: ThreadWork = {
    ...written,
    keep(lot) {
      const { written: records, ...result } = written.keep(lot)
      return { ...result, rows: records.map(rowOf) }
    },
  }
  return bucket ? { ...local, ...createBucketWork(folder, local, openBucket(bucket.place)) } : local
}
