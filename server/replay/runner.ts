/**
 * Works on replays: a few items at a time, after everybody else's requests. A job is held by one process for some seconds at a time, so
 * that another one goes on with it when that one is gone. An item is sent at most once: its new id is written before anything is sent, and
 * what was under way when a process ended is never sent again.
 */
import type { Accounts } from '#accounts/accounts'
import type { Clock, Random } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { Log } from '#runtime/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Store } from '#store/engine/store'
import {
  beginReplayItem,
  endReplay,
  endReplayItem,
  holdReplays,
  leaveReplay,
  putBackReplayItem,
  type ReplayItemRecord,
  type ReplayRecord,
  spentOfReplay,
  takeReplay,
} from '#store/replays/replays'
import type { Asked } from './send.ts'

/** What it needs. */
export interface RunnerParts {
  store: Store
  accounts: Pick<Accounts, 'users'>
  clock: Clock
  random: Random
  log: Log
  /** Sends one item and tells what it came to. Rejects where nothing was sent. */
  send(asked: Asked): Promise<Parameters<typeof endReplayItem>[2]>
  /** Whether the process has enough to do without this. */
  isBusy(): boolean
  /** Something of this user's jobs has changed. */
  changed(userId: string): void
}

/** Works in the background. */
export interface Runner {
  /** Runs every two seconds: says that it still works on its jobs, and takes what nobody works on. */
  beat(): Promise<void>
  /** Begins nothing more; what was begun ends, and then others may go on. */
  leave(): void
  /** Likewise, but what was begun is cut off; resolves when it has ended. */
  close(): Promise<void>
}

/** Milliseconds for which a job is held. Several beats may fail before somebody else takes it. */
export const holdMs = 15_000
/** Jobs of one process at a time, and items of a job. */
const mostJobs = 2
const mostItems = 2
/** Milliseconds until a busy process is looked at again. */
const busyMs = 250
/** Milliseconds for which a job is left to the instance that has the files. */
const elsewhereMs = 60_000
/** Milliseconds after which nobody is waited for. */
const longestWaitMs = 24 * 3_600_000

interface Work {
  isLost: boolean
  done: Promise<void>
}

/** Begins with the first beat. */
export function createRunner(parts: RunnerParts): Runner {
  const { store, clock, random, log } = parts
  const holder = random.base62(24)
  const works = new Map<string, Work>()
  const leftToOthers = new Map<string, number>()
  const cut = new Abort()
  let isClosed = false

  async function work(job: ReplayRecord, own: Work): Promise<void> {
    const under = new Set<Promise<void>>()
    const elsewhere: number[] = []
    let isSpent = false
    while (!isClosed && !own.isLost) {
      if (parts.isBusy()) await clock.sleep(busyMs)
      else if (under.size >= mostItems) await Promise.race(under)
      else {
        const begun = { replayId: `req_${random.base62(24)}`, begunAt: new Date(clock.now()) }
        const item = await beginReplayItem(store, job.id, holder, begun, elsewhere)
        if (!item) break
        isSpent = (await spentOfReplay(store, job.id)) > job.ceiling
        if (isSpent) {
          await putBackReplayItem(store, begun.replayId)
          break
        }
        const one: Promise<void> = settle(job, item, elsewhere).finally(() => under.delete(one))
        under.add(one)
      }
    }
    await Promise.all(under)
    if (!own.isLost && !(await endReplay(store, holder, job.id, isSpent))) {
      if (elsewhere.length > 0) leftToOthers.set(job.id, clock.monotonic() + elsewhereMs)
      await leaveReplay(store, holder, job.id)
    }
  }

  async function settle(job: ReplayRecord, item: ReplayItemRecord, elsewhere: number[]): Promise<void> {
    const replayId = item.replayId ?? ''
    const user = parts.accounts.users.get(job.userId ?? '')
    try {
      if (!user?.enabled) throw new GatewayError('not_permitted', 'Who started this job may not spend any more.')
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

  function start(job: ReplayRecord): void {
    const own: Work = { isLost: false, done: Promise.resolve() }
    works.set(job.id, own)
    own.done = work(job, own)
      .catch((thrown: unknown) => log.warn({ err: thrown, replay: job.id }, 'a replay could not go on; it is taken up again'))
      .finally(() => {
        works.delete(job.id)
        if (job.userId !== null) parts.changed(job.userId)
      })
  }

  return {
    async beat() {
      const known = [...works]
      const held = new Set(
        await holdReplays(
          store,
          holder,
          known.map(([id]) => id),
          holdMs,
        ),
      )
      for (const [id, own] of known) if (!held.has(id)) own.isLost = true
      for (const [id, until] of leftToOthers) if (until < clock.monotonic()) leftToOthers.delete(id)
      while (!isClosed && works.size < mostJobs) {
        const job = await takeReplay(store, holder, holdMs, [...works.keys(), ...leftToOthers.keys()])
        if (!job) return
        start(job)
      }
    },
    leave() {
      isClosed = true
    },
    async close() {
      isClosed = true
      cut.abort(new GatewayError('overloaded', 'Parley is shutting down. What was delivered is charged.'))
      await Promise.all([...works.values()].map(({ done }) => done))
    },
  }
}
