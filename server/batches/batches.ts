/**
 * Batches: creating, finding, listing and ending them, and reading their answers. Per tenant, sealed, piece by piece, yielding in between.
 * `batch-runner.ts` sends their requests.
 */
import type { Batch, BatchAnswer, BatchFacts, BatchQuestion, BatchResult, BatchWords } from '#canonical/batch'
import type { Jobs } from '#jobs/jobs'
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import type { BatchEnd } from '#shared/batch'
import type { Actor } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'
import { note, onRecord } from '#store/accounts/audit'
import type { Store } from '#store/engine/store'
import {
  type BatchBounds,
  type BatchPiece,
  type BatchRecord,
  beginBatch,
  cancelBatch,
  deleteBatch,
  findBatch,
  findBatchPiece,
  insertBatch,
  insertLines,
  linesFrom,
  listBatches,
  sumBatches,
  sweepBatches,
} from '#store/jobs/batches'

/** Facts of a batch before its requests are added. */
export interface NewBatch {
  tenant: string
  keyId: string
  words: BatchWords
  endpoint: string
}

/** A batch whose requests are being added. */
export interface OpenBatch {
  id: string
  /** Adds the next request. Rejects with `request_too_large`, and `quota_exceeded`. */
  add(question: BatchQuestion): Promise<void>
  /** All are added: they may run now. Rejects with `invalid_value` when there are none. */
  close(facts: BatchFacts): Promise<Batch>
  /** Discards it. */
  abandon(): Promise<void>
}

/** Batches by tenant and id. */
export interface Batches {
  /** Begins one, for an hour. Rejects with `quota_exceeded` when the tenant has too many open ones. */
  open(batch: NewBatch): Promise<OpenBatch>
  /** Undefined when there is none; `tenant` absent: any tenant's. */
  find(id: string, tenant?: string): Promise<Batch | undefined>
  list(bounds: Omit<BatchBounds, 'now' | 'after'> & { after?: Batch }): Promise<Batch[]>
  /** Cancels it: waiting requests are not sent any more. `by`: the actor for the audit trail. */
  cancel(id: string, by?: Actor): Promise<Batch | undefined>
  remove(id: string): Promise<void>
  /** Every request and how it ended, in order. */
  results(batch: Pick<Batch, 'id'>): AsyncGenerator<BatchResult>
  /** The content of this request. */
  question(batch: string, place: number): Promise<BatchQuestion | undefined>
  /** Runs on a schedule: deletes what has expired. */
  sweep(): Promise<number>
}

/** Dependencies of batches. */
export interface BatchParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  jobs: Pick<Jobs, 'add' | 'stop'>
  /** Quota of a user's files and batches in bytes. */
  quotas(): { fileBytes: number }
}

/** The kind of their jobs. */
export const batchKind = 'batch'

/** Most requests of a batch, unfinished batches of a tenant, and bytes of a request. */
export const mostRequests = 50_000
const mostOpen = 50
export const mostRequestBytes = 1024 * 1024
/** Lifetimes in milliseconds: of a batch being filled, of a running one, and of an ended one. */
const comingMs = 3_600_000
const windowMs = 24 * 3_600_000
const lifeMs = 30 * windowMs
/** Characters of a piece, and bytes written at once. */
const pieceLength = 384 * 1024
const lotBytes = 1024 * 1024

const sealedAs = (batch: string, ...more: number[]) => JSON.stringify(['batch', batch, ...more])
const isId = (id: string) => /^(?:msg)?batch_[0-9A-Za-z]{24}$/.test(id)

/** A request (0) or answer (1), sealed in pieces. */
export function sealedPieces(sealer: Sealer, batch: string, place: number, side: 0 | 1, text: string): BatchPiece[] {
  const pieces: BatchPiece[] = []
  for (let from = 0; from < text.length || from === 0; from += pieceLength) {
    const piece = pieces.length
    // A surrogate pair may be split: as JSON each half survives.
    const part = JSON.stringify(text.slice(from, from + pieceLength))
    pieces.push({ batch, place, side, piece, sealed: sealer.seal(part, sealedAs(batch, place, side, piece)) })
  }
  return pieces
}

/** The facts of a batch, sealed. */
export const sealedFacts = (sealer: Sealer, id: string, facts: BatchFacts) => sealer.seal(JSON.stringify(facts), sealedAs(id))

/** Batches in this store. */
export function createBatches({ store, sealer, clock, random, jobs, quotas }: BatchParts): Batches {
  const now = () => new Date(clock.now())

  function shown(row: BatchRecord): Batch {
    const { id, tenant, keyId, endpoint, createdAt, endsAt, expiresAt, cancelledAt, endedAt, total } = row
    const facts = JSON.parse(sealer.open(row.sealed, sealedAs(id))) as BatchFacts
    const counts = { succeeded: row.succeeded, failed: row.failed, cancelled: row.cancelled, expired: row.expired }
    return {
      ...facts,
      ...{
        id,
        tenant,
        keyId,
        words: row.envelope as BatchWords,
        endpoint,
        createdAt,
        endsAt,
        expiresAt,
        cancelledAt,
        endedAt,
        total,
        counts,
      },
    }
  }

  async function opened(batch: string, place: number, side: 0 | 1): Promise<string | undefined> {
    const parts: string[] = []
    for (let piece = 0; ; piece++) {
      const row = await findBatchPiece(store, { batch, place, side, piece })
      if (row === undefined) return piece === 0 ? undefined : parts.join('')
      parts.push(JSON.parse(sealer.open(row, sealedAs(batch, place, side, piece))))
    }
  }

  async function question(batch: string, place: number): Promise<BatchQuestion | undefined> {
    const text = await opened(batch, place, 0)
    if (text === undefined) return undefined
    const [name, body] = JSON.parse(text) as [string, string]
    return { name, body }
  }

  async function answer(batch: string, place: number): Promise<BatchAnswer | undefined> {
    const text = await opened(batch, place, 1)
    if (text === undefined) return undefined
    const [status, body] = JSON.parse(text) as [number, string]
    return { status, body }
  }

  const stoppedBy = (by: Actor, id: string) =>
    onRecord(store, async (store) => {
      const row = await cancelBatch(store, id, now())
      if (row) await note(store, by, { action: 'batch.stop', target: id, name: id })
      return row
    })

  return {
    async open(given) {
      const { open, bytes: before } = await sumBatches(store, given.tenant, now())
      if (open >= mostOpen)
        throw new GatewayError(
          'quota_exceeded',
          `A user may have at most ${mostOpen} unfinished batches. Wait for one to end, or cancel one.`,
        )
      const id = `${given.words === 'messages' ? 'msgbatch' : 'batch'}_${random.base62(24)}`
      const at = now()
      const { tenant, keyId, words, endpoint } = given
      const coming = new Date(at.getTime() + comingMs)
      await insertBatch(store, {
        ...{ id, tenant, keyId, envelope: words, endpoint, createdAt: at, endsAt: coming, expiresAt: coming, total: 0, bytes: 0 },
        sealed: sealedFacts(sealer, id, {}),
      })
      let total = 0
      let bytes = 0
      let lot: { from: number; many: number; bytes: number; pieces: BatchPiece[] } = { from: 0, many: 0, bytes: 0, pieces: [] }

      async function flush(): Promise<void> {
        if (lot.many > 0) await insertLines(store, id, lot.from, lot.many, lot.pieces)
        lot = { from: total, many: 0, bytes: 0, pieces: [] }
        await nextTurn()
      }

      return {
        id,
        async add({ name, body }) {
          if (total >= mostRequests) throw new GatewayError('request_too_large', `A batch may have at most ${mostRequests} requests.`)
          if (body.length > mostRequestBytes) throw tooLong()
          bytes += body.length
          if (before + bytes > quotas().fileBytes) throw full(quotas().fileBytes)
          lot.pieces.push(...sealedPieces(sealer, id, total, 0, JSON.stringify([name, body])))
          lot.many += 1
          lot.bytes += body.length
          total += 1
          if (lot.bytes >= lotBytes || lot.many >= 200) await flush()
        },
        async close(facts) {
          if (total === 0) throw new GatewayError('invalid_value', 'A batch needs at least one request.')
          await flush()
          const begun = now().getTime()
          const ends = { endsAt: new Date(begun + windowMs), expiresAt: new Date(begun + lifeMs) }
          const row = await beginBatch(store, id, { ...ends, total, bytes, sealed: sealedFacts(sealer, id, facts) })
          if (!row) throw new GatewayError('not_found', 'The batch no longer exists.')
          await jobs.add(batchKind, id)
          return shown(row)
        },
        abandon: () => deleteBatch(store, id),
      }
    },
    async find(id, tenant) {
      const row = isId(id) ? await findBatch(store, id, now(), tenant) : undefined
      return row && row.total > 0 ? shown(row) : undefined
    },
    list: async (bounds) => (await listBatches(store, { ...bounds, now: now() })).map(shown),
    async cancel(id, by) {
      const row = by ? await stoppedBy(by, id) : await cancelBatch(store, id, now())
      await jobs.stop(id)
      return row && shown(row)
    },
    remove: (id) => deleteBatch(store, id),
    async *results({ id }) {
      for (let from = 0; ; ) {
        const lines = await linesFrom(store, id, from, 100)
        for (const { place, state, requestId } of lines) {
          const asked = await question(id, place)
          // It was deleted in between.
          if (!asked) return
          const answered = state === 'succeeded' || state === 'failed' ? await answer(id, place) : undefined
          yield { place, name: asked.name, end: state as BatchEnd, requestId, ...(answered && { answer: answered }) }
          from = place + 1
        }
        await nextTurn()
        if (lines.length === 0) return
      }
    },
    question,
    sweep: () => sweepBatches(store, now()),
  }
}

const tooLong = () =>
  new GatewayError(
    'request_too_large',
    'A request in a batch may have at most 1 MiB. Refer to files by id or URL instead of including them.',
  )
const full = (most: number) =>
  new GatewayError('quota_exceeded', `The quota for stored files and batches of a user is ${most} bytes. Delete some.`)
