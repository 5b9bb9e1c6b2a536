/**
 * Replays: kept requests sent again to the same or other models and channels, paid by the user who starts them. Jobs are created,
 * listed and stopped here; `runner.ts` runs them. Whoever may read a request's bodies may replay it. Start with `createReplays`.
 */
import type { Accounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import type { OpenJobs } from '#jobs/jobs'
import type { Random } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import {
  type NewReplay,
  type ReplayComparison,
  type ReplayDetail,
  type ReplayEstimate,
  type ReplayQuestion,
  type ReplayRow,
  replayBounds,
} from '#shared/console/replay'
import { GatewayError } from '#shared/errors'
import { formatUsd, parseUsd } from '#shared/money'
import { note, onRecord } from '#store/accounts/audit'
import {
  countReplayItems,
  deleteReplays,
  findReplay,
  findReplayItem,
  insertReplay,
  listReplays,
  type ReplayItemRecord,
  type ReplayRecord,
  replayItemsOf,
  replayKind,
  replaysOf,
  replaysOverBefore,
  stopReplay,
} from '#store/replays/replays'
import { type BothAnswers, differencesOf, readBoth } from './both-answers.ts'
import { withCharges } from './charges.ts'
import { type EstimateParts, expectationOf, usualCeiling } from './estimate.ts'
import { detailOf, itemOf, rowOf } from './rows.ts'
import { createRunner, type Runner, type RunnerParts } from './runner.ts'
import { createSend, type SendParts } from './send.ts'

/** The user who acts on a job. */
export type Replayer = User & Actor

/** A job as it was at one moment. */
export interface ReplayTable {
  job: ReplayDetail
  /** Both answers of the item at this place; each reading is recorded. Throws `not_found` where they cannot be read any more. */
  answers(n: number): Promise<BothAnswers>
}

/** The caller’s replays; another user’s job is `not_found` everywhere. */
export interface Replays extends Pick<Runner, 'cut'> {
  /** The estimated cost of a job, and which of the requests can be replayed. Throws as `create`. */
  estimate(by: User, asked: ReplayQuestion): Promise<ReplayEstimate>
  /**
   * Starts a job. Throws `not_found` for a request that the caller may not read or that is not stored, `model_not_found`,
   * `group_not_allowed`, `team_not_allowed`, `not_permitted`, `quota_exceeded`.
   */
  create(by: Replayer, asked: NewReplay): Promise<ReplayRow>
  /** One page of jobs, newest first; `next` is the cursor. */
  page(by: User, limit: number, before?: { at: Date; id: string }): Promise<Page<ReplayRow>>
  detail(by: Replayer, id: string): Promise<ReplayDetail>
  /** The job; its items are read only once for any number of answers. */
  table(by: Replayer, id: string): Promise<ReplayTable>
  /** Reads both answers; each reading is recorded. */
  compare(by: Replayer, id: string, n: number): Promise<ReplayComparison>
  /** Stops it: begins nothing more of it. */
  stop(by: Replayer, id: string): Promise<ReplayRow>
  /** Deletes a job that is over, and the bodies of what it sent. Throws `invalid_value` while it runs. */
  remove(by: Replayer, id: string): Promise<void>
  /** Deletes jobs whose bodies have expired. Runs every hour. */
  sweep(): Promise<void>
}

/** Dependencies. */
export interface ReplayParts extends EstimateParts, Omit<SendParts, 'accounts' | 'bodies'>, Omit<RunnerParts, 'accounts' | 'send'> {
  accounts: Pick<Accounts, 'users' | 'callerOf' | 'directory'>
  jobs: Pick<OpenJobs, 'define' | 'poll'>
  bodies: SendParts['bodies'] & EstimateParts['bodies']
  random: Random
  /** Days for which bodies are stored. */
  keepDays(): number
}

const dayMs = 86_400_000
/** Jobs that one sweep deletes. */
const portion = 100

const noJob = () => new GatewayError('not_found', 'There is no such replay.')

/** Replays over a store. */
export function createReplays(parts: ReplayParts): Replays {
  const { store, accounts, bodies, jobs, clock, random } = parts
  const runner = createRunner({ ...parts, send: createSend(parts) })
  jobs.define(replayKind, runner)
  /** Starts a job, or passes a stop on to it, at once. */
  const pollSoon = () => void jobs.poll().catch(() => undefined)

  async function found(by: User, id: string): Promise<ReplayRecord> {
    const job = await findReplay(store, by.id, id)
    if (!job) throw noJob()
    return job
  }

  const teamOf = ({ teamId }: ReplayRecord) =>
    teamId === null ? null : { id: teamId, name: accounts.directory.teams.get(teamId)?.team.name ?? null }

  const rows = async (jobs: readonly ReplayRecord[]) => {
    const counted = await countReplayItems(
      store,
      jobs.map(({ id }) => id),
    )
    return jobs.map((job) => rowOf(job, counted, teamOf(job)))
  }

  async function row(job: ReplayRecord): Promise<ReplayRow> {
    const [one] = await rows([job])
    if (!one) throw noJob()
    return one
  }

  async function removed(ids: readonly string[]): Promise<void> {
    await bodies.drop(await deleteReplays(store, ids))
  }

  async function expected(by: User, asked: ReplayQuestion) {
    const caller = accounts.callerOf(by, undefined, asked.group, asked.team)
    return { caller, ...(await expectationOf(parts, by, asked, caller)) }
  }

  async function table(by: Replayer, id: string): Promise<ReplayTable> {
    const job = await found(by, id)
    const items = await withCharges(store, await replayItemsOf(store, job.id))
    const shown = items.map((item) => itemOf(item, by.role === 'admin'))
    return {
      job: detailOf(await row(job), shown),
      async answers(n) {
        const item = items[n]
        const target = item && job.targets[item.target]
        if (!item || !target) throw noJob()
        return readBoth(bodies, by, item, target)
      },
    }
  }

  return {
    cut: runner.cut,
    table,
    async estimate(by, asked) {
      const { requestIds, refused, items, sum } = await expected(by, asked)
      const unknown = items.filter(({ nano }) => nano === undefined).length
      return { requestIds, refused, expected: formatUsd(sum), unknown, ceiling: formatUsd(usualCeiling(sum)) }
    },
    async create(by, asked) {
      const { caller, refused, items, sum } = await expected(by, asked)
      const { group, team } = caller
      const [first] = refused
      if (first)
        throw new GatewayError('not_found', 'A request is not kept, or is not yours.', {
          param: `requestIds.${asked.requestIds.indexOf(first.requestId)}`,
        })
      const { running, over } = await replaysOf(store, by.id)
      if (running >= replayBounds.jobs)
        throw new GatewayError('quota_exceeded', `You have ${running} replays that are not finished. Stop one, or wait for it.`)
      const job: ReplayRecord = {
        id: `rep_${random.base62(20)}`,
        userId: by.id,
        at: new Date(clock.now()),
        group: group.name,
        teamId: team?.id ?? null,
        targets: asked.targets,
        requests: asked.requestIds.length,
        ceiling: asked.ceiling === undefined ? usualCeiling(sum) : parseUsd(asked.ceiling),
        expected: sum,
        state: 'running',
        ...{ stopAsked: false, finishedAt: null },
      }
      const empty = {
        replayId: null,
        begunAt: null,
        error: null,
        exact: false,
        charged: null,
        original: null,
        result: null,
        difference: null,
      }
      const waiting = items.map(({ requestId, target, nano }, n): ReplayItemRecord => {
        return { jobId: job.id, n, originalId: requestId, target, state: 'waiting', expected: nano ?? 0n, ...empty }
      })
      const { id, targets, requests } = job
      await onRecord(store, async (store) => {
        await insertReplay(store, job, waiting)
        const after = { targets, requests, group: job.group, ...(team && { team: team.name }), ceiling: formatUsd(job.ceiling) }
        await note(store, by, { action: 'replay.create', target: id, name: id, after })
      })
      await removed(over.slice(replayBounds.kept - 1))
      const made = await row(job)
      pollSoon()
      return made
    },
    async page(by, limit, before) {
      const jobs = await listReplays(store, by.id, limit + 1, before)
      const shown = jobs.slice(0, limit)
      const last = jobs.length > limit ? shown.at(-1) : undefined
      return { data: await rows(shown), next: last ? `${last.at.getTime()}.${last.id}` : null }
    },
    async detail(by, id) {
      return (await table(by, id)).job
    },
    async compare(by, id, n) {
      const job = await found(by, id)
      const item = await findReplayItem(store, job.id, n)
      const target = item && job.targets[item.target]
      if (!item || !target) throw noJob()
      const [charged] = await withCharges(store, [item])
      const both = await readBoth(bodies, by, item, target)
      return { ...itemOf(charged ?? item, by.role === 'admin'), ...both, ...differencesOf(both) }
    },
    async stop(by, id) {
      await found(by, id)
      await onRecord(store, async (store) => {
        if (await stopReplay(store, by.id, id)) await note(store, by, { action: 'replay.stop', target: id, name: id })
      })
      pollSoon()
      return row(await found(by, id))
    },
    async remove(by, id) {
      const job = await found(by, id)
      if (job.state === 'running') throw new GatewayError('invalid_value', 'This replay is still running. Stop it first.')
      await onRecord(store, (store) => note(store, by, { action: 'replay.remove', target: id, name: id }))
      await removed([id])
    },
    async sweep() {
      const before = new Date(clock.now() - parts.keepDays() * dayMs)
      await removed(await replaysOverBefore(store, before, portion))
    },
  }
}
