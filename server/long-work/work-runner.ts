/**
 * Waits for an upstream's work to end, whether clients poll or not, and settles it once. While it runs, the waiting process holds the
 * money; one that takes over holds it anew. The end is written before it is charged, only by the process that owns the job, and the charge
 * is in the journal before that: after a kill between the two, the replay of the journal completes it.
 */

import type { Account } from '#billing/lease/account'
import type { Books, NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import { resolveRates } from '#billing/pricing/rates'
import type { KeptWork, WorkFacts, WorkReport } from '#canonical/operation/kept-work'
import type { Usage } from '#canonical/usage'
import type { JobKind, RunningJob } from '#jobs/jobs'
import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import type { PriceFields } from '#shared/console/price'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { OwedWork, UpstreamWork } from './kept-work.ts'

/** How a kind of work is settled. */
export interface WorkEnds<Facts extends WorkFacts> {
  /** The singular noun, for messages. */
  noun: string
  /** The usage. Undefined: nothing was made, and nothing is charged. */
  usedBy(work: KeptWork<Facts>, report: Facts['report']): Usage | undefined
  /** How the row of a successful one ends; absent: complete. */
  endOf?(report: Facts['report']): NewLog['end']
}

/** Dependencies. */
export interface WorkRunnerParts<Facts extends WorkFacts> {
  clock: Clock
  log: Log
  books: Pick<Books, 'hold' | 'drop' | 'progress' | 'settle' | 'release'>
  works: Pick<UpstreamWork<Facts>, 'find' | 'look' | 'owed' | 'end'>
  ends: WorkEnds<Facts>
  /** The current accounts that pay for this key's requests. */
  accountsOf(tenant: string, keyId: string | null): readonly Account[]
  /** Work of this tenant has changed. */
  changed(tenant: string): void
  /** Polling intervals in milliseconds, first and longest. */
  pauses: { first: number; most: number }
}

/** Milliseconds after which work is given up, and after which it is settled with whatever money there is. */
const patienceMs = 24 * 3_600_000
const moneyMs = 2 * patienceMs

const million = 1_000_000n

const cancelled = { code: 'client_closed_request', message: 'It was cancelled. What the upstream had made is charged.' }

function errorIn({ state, error }: WorkReport, noun: string): NonNullable<NewLog['error']> | null {
  if (state === 'cancelled') return cancelled
  if (state !== 'failed') return null
  const { code, message } = error ?? { code: 'upstream_error', message: `The upstream failed to make the ${noun}.` }
  return { code: code.slice(0, 100), message: message.slice(0, 1000) }
}

const ofState = { failed: ['error', 502], cancelled: ['aborted', 499] } as const

/** The row of work that has ended. */
export function rowOf<Facts extends WorkFacts>(
  work: KeptWork<Facts>,
  owed: OwedWork,
  report: Facts['report'],
  endedMs: number,
  { usedBy, endOf, noun }: WorkEnds<Facts>,
): NewLog {
  const { row, price, ratio } = owed as OwedWork & { row: NewLog }
  const found = usedBy(work, report)
  const usage = found && { ...found, raw: null }
  const at = new Date(row.at)
  const upstreamPrice = row.upstreamPrice as PriceFields | null
  const [end, status] =
    report.state === 'failed' || report.state === 'cancelled' ? ofState[report.state] : ([endOf?.(report) ?? 'complete', 200] as const)
  return {
    ...row,
    at,
    usage: usage ?? null,
    provenance: usage?.provenance ?? null,
    cost: usage ? cost(usage, resolveRates(price as PriceFields), BigInt(ratio)) : 0n,
    upstreamCost: usage && upstreamPrice ? cost(usage, resolveRates(upstreamPrice), million) : null,
    ...{ end, status },
    error: errorIn(report, noun),
    totalMs: Math.max(0, Math.round(endedMs - at.getTime())),
    // By this id the replay of a journal checks whether its end was written.
    batch: work.id,
  }
}

/** Waiting for work, as a kind of jobs. */
export function createWorkRunner<Facts extends WorkFacts>(parts: WorkRunnerParts<Facts>): JobKind {
  const { clock, log, books, works, ends, pauses } = parts
  type Kept = KeptWork<Facts>
  type Report = Facts['report']

  /**
   * Holds its maximum cost; `nothing` where the money is not available now: a silent instance may still have it. False: not even
   * that can be held.
   */
  async function held(work: Kept, owed: OwedWork): Promise<'all' | 'nothing' | false> {
    const accounts = parts.accountsOf(work.tenant, work.keyId)
    for (const amount of [BigInt(owed.held), 0n]) {
      try {
        await books.hold(work.requestId, accounts, amount)
        return amount === 0n && owed.held !== '0' ? 'nothing' : 'all'
      } catch (thrown) {
        if (asGatewayError(thrown).code !== 'insufficient_quota') throw thrown
      }
    }
    return false
  }

  /** Whether it may be settled: money held by a silent instance returns with it, or is written off. */
  async function isPayable(work: Kept, owed: OwedWork, report: Report): Promise<boolean> {
    if (!ends.usedBy(work, report) || clock.now() - work.createdAt.getTime() > moneyMs) return true
    books.drop(work.requestId)
    return (await held(work, owed)) === 'all'
  }

  /** Polls the upstream; a report of failure if it no longer has the work. Undefined: unknown for now. */
  async function looked(work: Kept, signal: AbortSignalLike): Promise<Report | undefined> {
    try {
      return (await works.look(work, signal)).report
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.code !== 'not_found') {
        if (!signal.aborted) log.debug({ work: work.id, err: error }, `the progress of an upstream’s work could not be read`)
        return undefined
      }
      return failed(work, { code: `${ends.noun}_not_found`, message: error.message })
    }
  }

  const failed = ({ report }: Kept, error: WorkReport['error']): Report =>
    ({ ...report, state: 'failed', ...(error && { error }) }) as Report
  const over = (report: Report | undefined): report is Report =>
    report !== undefined && report.state !== 'queued' && report.state !== 'in_progress'

  function givenUp(work: Kept): Report {
    const { code, message } = new GatewayError('upstream_timeout', `The upstream did not finish the ${ends.noun} within a day.`)
    return failed(work, { code, message })
  }

  async function end(job: RunningJob, work: Kept, owed: OwedWork, report: Report): Promise<void> {
    const endedAt = new Date(clock.now())
    const row = rowOf(work, owed, report, endedAt.getTime(), ends)
    if (row.usage) books.progress(row)
    if (!(await works.end(work, report, owed, job.runner, endedAt))) return books.drop(work.requestId)
    await (row.usage ? books.settle(row) : books.release(row))
    parts.changed(work.tenant)
  }

  async function run(job: RunningJob): Promise<'later' | undefined> {
    const work = await works.find(job.id)
    const owed = work && !work.endedAt ? await works.owed(job.id) : undefined
    if (!work || !owed) return undefined
    try {
      const holds = await held(work, owed)
      if (!holds) return 'later'
      for (let pause = pauses.first; !job.lost.aborted; pause = Math.min(pause * 1.5, pauses.most)) {
        const report = await looked(work, job.lost)
        if (over(report)) {
          if (holds === 'nothing' && !(await isPayable(work, owed, report))) return 'later'
          return void (await end(job, work, owed, report))
        }
        if (clock.now() - work.createdAt.getTime() > patienceMs) return void (await end(job, work, owed, givenUp(work)))
        await clock.sleep(pause, job.lost).catch(() => undefined)
      }
      return undefined
    } finally {
      books.drop(work.requestId)
    }
  }

  return { atOnce: 10_000, run }
}
