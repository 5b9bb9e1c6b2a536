/**
 * Kept requests: what was sent and answered at the four borders, sealed in files of the data folder. They are read and
 * deleted here; `captures.ts` records them. Start with `openBodies`.
 */
import type { User } from '#accounts/caller'
import type { Random, Timer } from '#runtime/clock'
import { exists } from '#runtime/folder'
import { every } from '#runtime/schedule'
import type { Sealer } from '#runtime/secrets'
import type { BucketPlace } from '#runtime/storage/bucket'
import { goneState, WorkerFault } from '#runtime/worker-link'
import type { Actor } from '#shared/console/audit'
import type { BodiesState } from '#shared/console/body'
import { note, onRecord } from '#store/accounts/audit'
import { deleteBodies, keptAmong, type WhoseBodies } from '#store/bodies/kept-bodies'
import { threadKeyOf } from './body-keys.ts'
import { type BucketUpkeep, createBucketUpkeep } from './bucket-upkeep.ts'
import { type Captures, type CapturesParts, createCaptures } from './captures.ts'
import { type BodyReading, createReading } from './reading.ts'
import { createBodyThread } from './thread.ts'
import { keepWithinBounds } from './upkeep.ts'

/** Milliseconds. */
const everyMs = 60_000
/** Another instance may write a request that it was answering during a deletion a little later. */
const againMs = 5_000
/** Milliseconds that a reader waits for pending writes: on a busy machine the thread can be slow. */
const flushMs = 5_000
const lastUploadMs = 10_000
/** Bytes of a file for a bucket, and of all files that wait in the folder while the bucket is unavailable. */
const uploadBytes = 32 * 1024 * 1024
const spoolBytes = 1024 * 1024 * 1024

const bucketRefuses = 'the bucket of kept bodies refuses; bodies wait in the data folder, and requests go on'

/** Kept requests. */
export interface Bodies extends Omit<Captures, 'state'>, Pick<BodyReading, 'read' | 'readable' | 'lines'> {
  state(): BodiesState
  /** Resolves when requests answered so far can be found, after five seconds at the latest. */
  settled(): Promise<void>
  /** The ids of those of these requests whose bodies are stored. */
  keptAmong(requestIds: readonly string[]): Promise<Set<string>>
  /** Deletes these, which have ended, without an audit entry: their purpose is gone. */
  drop(requestIds: readonly string[]): Promise<void>
  /** Deletes one; throws `not_found` if there is none that this caller may delete. */
  remove(by: User & Actor, requestId: string): Promise<void>
  /** Deletes all bodies of a key or a user; resolves to how many. The caller checks the permission. */
  removeAll(by: Actor, whose: Exclude<WhoseBodies, { requestId: string }>): Promise<number>
  /**
   * Removes deleted and surplus records from the files, and moves closed files to the bucket: the background task of every
   * minute.
   */
  tidy(): Promise<void>
  /** Stops the background tasks, and writes what is pending. */
  close(): Promise<void>
}

/** Dependencies. */
export interface BodiesParts extends Omit<CapturesParts, 'keep'> {
  sealer: Sealer
  /** Id of this installation. */
  instance: string
  random: Pick<Random, 'fraction' | 'hex'>
  folder: string
  /** Destination of closed files; absent: they stay in the folder. */
  bucket?: BucketPlace | undefined
  /** Whether this user is a member of this team. */
  isMember(teamId: string, userId: string): boolean
}

/** Kept requests in a folder, or in a bucket. The thread starts with the first kept request, or to read the bucket. */
export function openBodies(parts: BodiesParts): Bodies {
  const { store, clock, random, log, instance, settings, folder, bucket } = parts
  const series = `${clock.now().toString(36)}${random.hex(2)}`
  const segments = { largest: uploadBytes, most: spoolBytes, series }
  const thread = createBodyThread(clock, {
    folder,
    instance,
    key: threadKeyOf(parts.sealer),
    ...(bucket && { bucket: { place: bucket, segments } }),
  })
  const captures = createCaptures({ ...parts, keep: thread.keep })
  const upkeep = { store, clock, random, instance, settings, thread, flush: captures.flush }
  const inBucket = bucket && createBucketUpkeep(upkeep)
  const failed = (thrown: unknown) => log.warn({ err: thrown }, 'could not keep the files of kept bodies within their bounds')
  let isStale = false
  let bytes: number | null = null
  let notUploaded = 0
  let bucketFault: { cause: string; since: number } | undefined
  /** Serialised: two at once would take each other's files for dead. */
  let upkeeping: Promise<void> = Promise.resolve()
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = upkeeping.then(work)
    upkeeping = done.catch(() => undefined)
    return done
  }

  async function tidyOnce(): Promise<void> {
    const turns = isStale
    isStale = false
    if (inBucket) return tidyBucket(inBucket, turns)
    if (!(await exists(folder))) return
    await keepWithinBounds(upkeep, turns)
    bytes = await thread.bytes()
  }

  async function tidyBucket(inBucket: BucketUpkeep, turns: boolean): Promise<void> {
    try {
      bytes = (await inBucket.round(turns)).bytes
      if (bucketFault) log.info({ cause: bucketFault.cause }, 'the bucket of kept bodies is available again')
      bucketFault = undefined
    } catch (thrown) {
      if (turns) isStale = true
      const cause = thrown instanceof WorkerFault ? thrown.code : undefined
      if (cause === undefined || cause === goneState) throw thrown
      if (bucketFault?.cause !== cause) log.error({ cause, err: thrown }, bucketRefuses)
      bucketFault = { cause, since: bucketFault?.since ?? clock.now() }
    } finally {
      notUploaded = await thread.bytes().catch(() => notUploaded)
    }
  }

  const tidy = () => inTurn(tidyOnce)
  const job = every(clock, everyMs, tidy, failed)
  if (inBucket) void tidy().catch(failed)

  async function flushed(): Promise<void> {
    await Promise.race([captures.flush(), clock.sleep(flushMs)])
  }

  const reading = createReading({ ...parts, thread, flushed })

  /** Deletions to repeat shortly, or on close. */
  const again = new Map<Timer, () => Promise<unknown>>()
  function deleteAgain(whose: WhoseBodies, until: Date): void {
    const run = () => deleteBodies(store, whose, until).catch(failed)
    const timer = clock.after(againMs, () => {
      again.delete(timer)
      void run()
    })
    again.set(timer, run)
  }

  async function removeRows(by: Actor, whose: WhoseBodies, action: string, target: string): Promise<number> {
    const until = new Date(clock.now())
    captures.forget(whose)
    deleteAgain(whose, until)
    const gone = await onRecord(store, async (store) => {
      const count = await deleteBodies(store, whose, until)
      if (count > 0) await note(store, by, { action, target, name: target, after: { count } })
      return count
    })
    isStale = true
    return gone
  }

  const state = (): BodiesState => ({
    ...captures.state(),
    place: bucket ? `s3://${[bucket.bucket, bucket.prefix].filter((part) => part !== '').join('/')}` : folder,
    bytes,
    notUploaded: bucket ? notUploaded : null,
    bucketFault: bucketFault ? { cause: bucketFault.cause, since: new Date(bucketFault.since).toISOString() } : null,
  })

  return {
    ...captures,
    state,
    settled: flushed,
    keptAmong: async (requestIds) => {
      await flushed()
      return keptAmong(store, requestIds)
    },
    read: reading.read,
    lines: reading.lines,
    readable: reading.readable,
    async drop(requestIds) {
      await flushed()
      for (const requestId of requestIds) await deleteBodies(store, { requestId }, new Date(clock.now()))
      isStale ||= requestIds.length > 0
    },
    async remove(by, requestId) {
      await reading.find(by, requestId)
      await removeRows(by, { requestId }, 'body.remove', requestId)
    },
    async removeAll(by, whose) {
      await flushed()
      const target = 'everybody' in whose ? 'everybody' : 'keyId' in whose ? whose.keyId : whose.userId
      return removeRows(by, whose, 'body.remove', target)
    },
    tidy,
    async close() {
      job.cancel()
      captures.end()
      await flushed()
      for (const timer of again.keys()) timer.cancel()
      await Promise.all([...again.values()].map((run) => run()))
      // What is not in the bucket by then is uploaded after the next start.
      if (inBucket) await Promise.race([inTurn(() => inBucket.upload(true)).catch(failed), clock.sleep(lastUploadMs)])
      await thread.close()
    },
  }
}
