/**
 * Waits for a video to be made, whether anybody asks for it or not, and settles it once. While it is made, money is held by the process that
 * waits; one that takes over holds it anew. The end is written before it is charged, and only by the process that does the job, and what it
 * will be charged is in the journal before that: a kill between the two is made good by the replay of the journal.
 */

import type { Account } from '#billing/lease/account'
import type { Books, NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import { resolveRates } from '#billing/pricing/rates'
import type { KeptVideo } from '#canonical/operation/kept-video'
import { type VideoReport, videoUsage } from '#canonical/operation/video'
import type { Usage } from '#canonical/usage'
import type { JobKind, RunningJob } from '#jobs/jobs'
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { PriceFields } from '#shared/console/price'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import { endVideo } from '#store/jobs/videos'
import type { OwedVideo, Videos } from './videos.ts'

/** What waiting for videos needs. */
export interface VideoRunnerParts {
  store: Store
  clock: Clock
  log: Log
  books: Pick<Books, 'hold' | 'drop' | 'progress' | 'settle' | 'release'>
  videos: Pick<Videos, 'find' | 'look' | 'owed' | 'columns'>
  /** Who pays for the requests of this key, now. */
  accountsOf(tenant: string, keyId: string | null): readonly Account[]
  /** Something of this tenant has changed. */
  changed(tenant: string): void
  /** Milliseconds between two questions, at first and at most. */
  pauses: { first: number; most: number }
}

/** Milliseconds after which a video is given up, and after which one is settled with what money there is. */
const patienceMs = 24 * 3_600_000
const moneyMs = 2 * patienceMs

const million = 1_000_000n

/** What was used: the seconds that there are. Undefined: nothing was made. */
export function usedBy({ asked }: Pick<KeptVideo, 'asked'>, report: VideoReport): Usage | undefined {
  if (report.state !== 'completed' || report.count === 0) return undefined
  const count = report.count ?? asked.count
  const seconds = report.seconds ?? asked.seconds * count
  const isSaid = report.seconds !== undefined || asked.isSecondsSaid
  return videoUsage({ seconds, ...(asked.size !== undefined && { size: asked.size }) }, isSaid ? 'provider' : 'estimated')
}

/** The row of a video that has ended. */
export function rowOf(video: KeptVideo, owed: OwedVideo, report: VideoReport, endedMs: number): NewLog {
  const { row, price, ratio } = owed as OwedVideo & { row: NewLog }
  const found = usedBy(video, report)
  const usage = found && { ...found, raw: null }
  const at = new Date(row.at)
  const upstreamPrice = row.upstreamPrice as PriceFields | null
  const failed =
    report.state === 'failed' ? (report.error ?? { code: 'upstream_error', message: 'The upstream failed to make the video.' }) : null
  return {
    ...row,
    at,
    usage: usage ?? null,
    provenance: usage?.provenance ?? null,
    cost: usage ? cost(usage, resolveRates(price as PriceFields), BigInt(ratio)) : 0n,
    upstreamCost: usage && upstreamPrice ? cost(usage, resolveRates(upstreamPrice), million) : null,
    end: failed ? 'error' : 'complete',
    status: failed ? 502 : 200,
    error: failed && { code: failed.code.slice(0, 100), message: failed.message.slice(0, 1000) },
    totalMs: Math.max(0, Math.round(endedMs - at.getTime())),
    // By this the replay of a journal finds whether its end was written.
    batch: video.id,
  }
}

/** Waiting for videos, as a kind of jobs. */
export function createVideoRunner(parts: VideoRunnerParts): JobKind {
  const { store, clock, log, books, videos, pauses } = parts

  /**
   * Holds all that it may cost; `nothing` where the money is not there now: an instance that fell silent may have it still. False: not even
   * that can be held.
   */
  async function held(video: KeptVideo, owed: OwedVideo): Promise<'all' | 'nothing' | false> {
    const accounts = parts.accountsOf(video.tenant, video.keyId)
    for (const amount of [BigInt(owed.held), 0n]) {
      try {
        await books.hold(video.requestId, accounts, amount)
        return amount === 0n && owed.held !== '0' ? 'nothing' : 'all'
      } catch (thrown) {
        if (asGatewayError(thrown).code !== 'insufficient_quota') throw thrown
      }
    }
    return false
  }

  /** Whether it may be settled: what another instance holds comes back when that one does, or is written off. */
  async function isPayable(video: KeptVideo, owed: OwedVideo, report: VideoReport): Promise<boolean> {
    if (!usedBy(video, report) || clock.now() - video.createdAt.getTime() > moneyMs) return true
    books.drop(video.requestId)
    return (await held(video, owed)) === 'all'
  }

  /** What the upstream says; a report of failure where it has the video no more. Undefined: nothing is known now. */
  async function looked(video: KeptVideo, signal: AbortSignalLike): Promise<VideoReport | undefined> {
    try {
      return (await videos.look(video, signal)).report
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.code !== 'not_found') {
        if (!signal.aborted) log.debug({ video: video.id, err: error }, 'an upstream did not say how far a video is')
        return undefined
      }
      return { ...video.report, state: 'failed', error: { code: 'video_not_found', message: error.message } }
    }
  }

  const over = (report: VideoReport | undefined): report is VideoReport => report?.state === 'completed' || report?.state === 'failed'

  async function end(job: RunningJob, video: KeptVideo, owed: OwedVideo, report: VideoReport): Promise<void> {
    const { id, tenant, requestId, keyId: _, createdAt: __, endedAt: ___, expiresAt: ____, ...facts } = video
    const endedAt = new Date(clock.now())
    const row = rowOf(video, owed, report, endedAt.getTime())
    if (row.usage) books.progress(row)
    if (!(await endVideo(store, id, job.runner, { ...videos.columns(id, { ...facts, report }, owed), endedAt })))
      return books.drop(requestId)
    await (row.usage ? books.settle(row) : books.release(row))
    parts.changed(tenant)
  }

  async function run(job: RunningJob): Promise<'later' | undefined> {
    const video = await videos.find(job.id)
    const owed = video && !video.endedAt ? await videos.owed(job.id) : undefined
    if (!video || !owed) return undefined
    try {
      const holds = await held(video, owed)
      if (!holds) return 'later'
      for (let pause = pauses.first; !job.lost.aborted; pause = Math.min(pause * 1.5, pauses.most)) {
        const report = await looked(video, job.lost)
        if (over(report)) {
          if (holds === 'nothing' && !(await isPayable(video, owed, report))) return 'later'
          return void (await end(job, video, owed, report))
        }
        if (clock.now() - video.createdAt.getTime() > patienceMs) return void (await end(job, video, owed, givenUp(video)))
        await clock.sleep(pause, job.lost).catch(() => undefined)
      }
      return undefined
    } finally {
      books.drop(video.requestId)
    }
  }

  return { atOnce: 10_000, run }
}

const givenUp = ({ report }: KeptVideo): VideoReport => {
  const { code, message } = new GatewayError('upstream_timeout', 'The upstream did not make the video within a day.')
  return { ...report, state: 'failed', error: { code, message } }
}
