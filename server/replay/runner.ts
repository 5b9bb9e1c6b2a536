/**
 * Runs replays, as a kind of jobs: a few items at a time, with lower priority than other requests. An item is sent at most once: its new id
 * is written before anything is sent, and what was running when a process ended is never sent again.
 */
import type { Accounts } from '#accounts/accounts'
import type { JobKind, RunningJob } from '#jobs/jobs'
import { type Clock, newRequestId, type Random } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import {
  beginReplayItem,
  endReplay,
  endReplayItem,
  findRunningReplay,
  interruptReplayItems,
  putBackReplayItem,
  type ReplayItemRecord,
  type ReplayRecord,
  spentOfReplay,
} from '#store/replays/replays'
import type { Asked } from './send.ts'

/** What it needs. */
export interface RunnerParts {
  store: Store
  accounts: Pick<Accounts, 'users'>
  clock: Clock
  random: Random
  log: Log
  /** Sends one item and resolves to its result. Rejects where nothing was sent. */
  send(asked: Asked): Promise<Parameters<typeof endReplayItem>[2]>
  /** Whether the process is busy with other requests. */
  isBusy(): boolean
  /** A job of this user has changed. */
  changed(userId: string): void
}

/** The kind of jobs, and how those of this process are ended. */
export interface Runner extends JobKind {
  /** Cuts off what was begun. */
  cut(): void
}

/** Most concurrent jobs of one process, and items of a job. */
const mostJobs = 2
const mostItems = 2
/** Milliseconds until a busy process is checked again. */
const busyMs = 250
/** Longest wait, in milliseconds. */
const longestWaitMs = 24 * 3_600_000

/** Whether `item` must not be begun: it is expected to exceed the ceiling, or the ceiling is reached. `spent` includes what it should cost. */
const exceeds = ({ ceiling }: ReplayRecord, { expected }: ReplayItemRecord, spent: bigint): boolean =>
  spent > ceiling || spent - expected >= ceiling

/** Runs replays on a store. */
export function createRunner(parts: RunnerParts): Runner {
  const { store, clock, log } = parts
  const cut = new Abort()

  async function run({ id, runner, lost }: RunningJob): Promise<'later' | undefined> {
    const job = await findRunningReplay(store, id)
    if (!job) return undefined
    await interruptReplayItems(store, id, runner)
    const under = new Set<Promise<void>>()
    const elsewhere: number[] = []
    let isSpent = false
    try {
      while (!lost.aborted) {
        if (parts.isBusy()) await clock.sleep(busyMs)
        else if (under.size >= mostItems) await Promise.race(under)
        else {
          const begun = { replayId: newRequestId(parts), begunAt: new Date(clock.now()) }
          const item = await beginReplayItem(store, id, runner, begun, elsewhere)
          if (!item) break
          isSpent = exceeds(job, item, await spentOfReplay(store, id))
          if (isSpent) {
            await putBackReplayItem(store, begun.replayId)
            break
          }
          const one: Promise<void> = settle(job, item, elsewhere).finally(() => under.delete(one))
          under.add(one)
        }
      }
    } finally {
      await Promise.allSettled(under)
    }
    if (lost.aborted) return undefined
    const isOver = await endReplay(store, runner, id, isSpent)
    if (job.userId !== null) parts.changed(job.userId)
    // The rest is in the files of another instance.
    return isOver ? undefined : 'later'
  }

  async function settle(job: ReplayRecord, item: ReplayItemRecord, elsewhere: number[]): Promise<void> {
    const replayId = item.replayId ?? ''
    const user = parts.accounts.users.get(job.userId ?? '')
    try {
      if (!user?.enabled) throw new GatewayError('not_permitted', 'The user who started this job may no longer spend.')
      await endReplayItem(store, replayId, await parts.send({ job, item, user, signal: cut }))
    } catch (thrown) {
      const { code, message } = asGatewayError(thrown)
      if (code === 'internal_error') log.warn({ err: thrown, replay: job.id }, 'an item of a replay failed')
      const isYoung = clock.now() - job.at.getTime() < longestWaitMs
      if (code === 'body_elsewhere' && isYoung) {
        elsewhere.push(item.n)
        await putBackReplayItem(store, replayId)
      } else await endReplayItem(store, replayId, { state: 'failed', error: { code, message } })
    }
    if (job.userId !== null) parts.changed(job.userId)
  }

  return {
    atOnce: mostJobs,
    run,
    cut: () => cut.abort(new GatewayError('overloaded', 'Parley is shutting down. What was delivered is charged.')),
  }
}
