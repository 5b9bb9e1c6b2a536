/**
 * Sends the requests of a batch: a few at a time, with lower priority than other requests, within the limits of its key. An answer is
 * written before it is charged, and only by the process that owns the batch: so each request is charged once, despite kills and takeovers.
 */
import type { Caller } from '#accounts/caller'
import type { Batch, BatchAnswer, BatchFacts, BatchResult } from '#canonical/batch'
import type { JobKind, RunningJob } from '#jobs/jobs'
import { type Clock, newRequestId, type Random } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import type { GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { answerLine, endBatch, endWaiting, waitingLines } from '#store/jobs/batches'
import { type Batches, sealedFacts, sealedPieces } from './batches.ts'
import type { Places } from './places.ts'

/** A running request of a batch. */
export interface LineAsk {
  caller: Caller
  batch: Pick<Batch, 'id' | 'words' | 'endpoint'>
  requestId: string
  body: string
  /** Writes the answer before it is charged; if it rejects, nothing is charged. */
  kept(body: string | readonly Uint8Array[]): Promise<void>
}

/** Sends it like any request. Resolves to the refusal, or undefined when it was answered. Never rejects. */
export type AskLine = (line: LineAsk) => Promise<{ error: GatewayError; answer: BatchAnswer } | undefined>

/** Dependencies. */
export interface RunnerParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  log: Log
  batches: Pick<Batches, 'find' | 'question' | 'results'>
  places: Places
  ask: AskLine
  /** The caller of a key; undefined when it may no longer send requests. */
  callerOf(keyId: string): Caller | undefined
  /** Whether the process is busy with interactive requests. */
  isBusy(): boolean
  /** Writes the files of an ended batch; resolves to the facts to store. Undefined for batches whose answers stay in the database. */
  files(batch: Batch, results: () => AsyncIterable<BatchResult>): Promise<Pick<BatchFacts, 'output' | 'errors'> | undefined>
  /** A batch of this user has changed. */
  changed(tenant: string): void
}

/** Most concurrent requests of one batch, regardless of its key's limits. */
const mostAtOnce = 4
/** Requests looked up at a time. */
const portion = 50
/** Most tries of a request that upstreams fail. */
const mostTries = 5
/** Milliseconds. */
const busyMs = 250
const wait = { limited: 5_000, noMoney: 60_000, most: 60_000, upstream: 2_000 }

/** Retried until the batch ends; only upstream failures count as tries. */
const isOwnLimit = ({ code }: GatewayError) => code === 'rate_limit_exceeded'
const isShortOfMoney = ({ code }: GatewayError) => code === 'insufficient_quota'
const isOurs = ({ code }: GatewayError) => ['books_unavailable', 'journal_full', 'overloaded'].includes(code)
const isTheirs = ({ code }: GatewayError) =>
  ['upstream_rate_limited', 'upstream_error', 'upstream_timeout', 'no_channel_available'].includes(code)

/** Milliseconds until it is retried; undefined: not at all. `tries`: how often upstreams have failed it. */
export function pauseAfter(error: GatewayError, tries: number): number | undefined {
  const statedMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000
  if (isShortOfMoney(error)) return wait.noMoney
  if (isOwnLimit(error) || isOurs(error)) return Math.min(statedMs ?? wait.limited, wait.most)
  if (!isTheirs(error) || tries >= mostTries) return undefined
  return Math.min(Math.max(statedMs ?? 0, wait.upstream * 2 ** (tries - 1)), wait.most)
}

/** How many of its requests run at once: half of its key's limit, so that there is room for others. */
export function widthFor({ key, user, group }: Caller): number {
  const limits = [key?.limits, user.limits, group.limits].flatMap((one) => one?.concurrency ?? [])
  return Math.max(1, Math.min(mostAtOnce, ...limits.map((limit) => Math.floor(limit / 2))))
}

/** Running batches, as a kind of jobs. */
export function createBatchRunner(parts: RunnerParts): JobKind {
  const { store, sealer, clock, log, batches, places } = parts

  /** Yields the positions of a batch's waiting requests, each once. */
  function placesOf(batch: string): () => Promise<number | undefined> {
    let from = 0
    let known: number[] = []
    let isOver = false
    let looking: Promise<void> | undefined
    async function look(): Promise<void> {
      known = (await waitingLines(store, batch, from, portion)).map(({ place }) => place)
      from = (known.at(-1) ?? from) + 1
      isOver = known.length === 0
    }
    return async () => {
      while (known.length === 0 && !isOver) {
        looking ??= look().finally(() => {
          looking = undefined
        })
        await looking
      }
      return known.shift()
    }
  }

  async function run(job: RunningJob): Promise<undefined> {
    const batch = await batches.find(job.id)
    if (!batch || batch.endedAt) return
    const over = new Abort()
    const ends = clock.after(Math.max(0, batch.endsAt.getTime() - clock.now()), () => over.abort('expired'))
    const end = () => over.abort('ended')
    for (const signal of [job.lost, job.stopped]) {
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    }
    if (batch.cancelledAt) end()
    try {
      const first = parts.callerOf(batch.keyId)
      const next = placesOf(batch.id)
      const width = first ? widthFor(first) : 0
      const failed = (thrown: unknown) => {
        end()
        return { thrown }
      }
      const workers = Array.from({ length: width }, () => worker(job, batch, over, next).catch(failed))
      for (const ended of await Promise.all(workers)) if (ended) throw ended.thrown
    } finally {
      ends.cancel()
    }
    if (!job.lost.aborted) await finish(job, batch)
  }

  async function worker(job: RunningJob, batch: Batch, over: Abort, next: () => Promise<number | undefined>): Promise<void> {
    while (!over.aborted) {
      if (parts.isBusy()) {
        await pause(busyMs, over)
        continue
      }
      const place = await next()
      if (place === undefined) return
      await one(job, batch, place, over)
    }
  }

  const pause = (ms: number, over: Abort) => clock.sleep(ms, over).catch(() => undefined)

  /** Runs one request until it or the batch has ended. Rejects when its answer could not be written. */
  async function one(job: RunningJob, batch: Batch, place: number, over: Abort): Promise<void> {
    let leave = await places.take(batch.tenant)
    try {
      const asked = await batches.question(batch.id, place)
      for (let tries = 1; asked && !over.aborted; ) {
        const caller = parts.callerOf(batch.keyId)
        if (!caller) return
        const refused = await once(job, batch, place, { caller, body: asked.body })
        if (!refused || job.lost.aborted) return
        const ms = pauseAfter(refused.error, tries)
        if (ms === undefined) return await refused.write()
        if (isTheirs(refused.error)) tries += 1
        leave()
        await pause(ms, over)
        if (over.aborted) return
        leave = await places.take(batch.tenant)
      }
    } finally {
      leave()
    }
  }

  /** Sends it once. Undefined: it was answered, and the answer is written. */
  async function once(job: RunningJob, batch: Batch, place: number, { caller, body }: Pick<LineAsk, 'caller' | 'body'>) {
    const requestId = newRequestId(parts)
    const write = async (state: 'succeeded' | 'failed', { status, body: text }: BatchAnswer) => {
      const pieces = sealedPieces(sealer, batch.id, place, 1, JSON.stringify([status, text]))
      if (!(await answerLine(store, { batch: batch.id, place, state, requestId, pieces }, job.runner)))
        throw new Error('another process does it')
      parts.changed(batch.tenant)
    }
    let unkept: { cause: unknown } | undefined
    const refused = await parts.ask({
      ...{ caller, batch, requestId, body },
      kept: (answer) =>
        write('succeeded', { status: 200, body: typeof answer === 'string' ? answer : Buffer.concat(answer).toString('utf8') }).catch(
          (cause: unknown) => {
            unkept = { cause }
            throw cause
          },
        ),
    })
    if (unkept) throw unkept.cause
    return refused && { error: refused.error, write: () => write('failed', refused.answer) }
  }

  /** Ends waiting requests, and makes the answers available. */
  async function finish(job: RunningJob, { id, tenant }: Batch): Promise<void> {
    const before = await batches.find(id)
    if (!before) return
    await endWaiting(store, id, clock.now() >= before.endsAt.getTime() && !before.cancelledAt ? 'expired' : 'cancelled')
    const batch = (await batches.find(id)) ?? before
    const made = await parts.files(batch, () => batches.results(batch))
    if (job.lost.aborted) return
    const { input, metadata, title, outputMs, model } = batch
    const facts = {
      ...(input && { input }),
      ...(metadata && { metadata }),
      ...(title && { title }),
      ...(outputMs && { outputMs }),
      ...(model && { model }),
      ...made,
    }
    await endBatch(store, id, { endedAt: new Date(clock.now()), sealed: sealedFacts(sealer, id, facts), isEmptied: made !== undefined })
    parts.changed(tenant)
    log.info({ batch: id, ...batch.counts }, 'a batch has ended')
  }

  // More than run at once: waiting ones of one user do not block those of others.
  return { atOnce: 200, run }
}
