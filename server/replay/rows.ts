/** Replays in the form of the console's API. Pure. */
import {
  type ReplayDetail,
  type ReplayFigures,
  type ReplayItemRow,
  type ReplayItemState,
  type ReplayRow,
  type ReplayTotals,
  replayItemStates,
} from '#shared/console/replay'
import { formatUsd, parseUsd } from '#shared/money'
import type { ReplayItemRecord, ReplayRecord } from '#store/replays/replays'

/** Counts of a job's items. */
export interface Counted {
  jobId: string
  state: ReplayItemState
  count: number
  /** Nano-dollars. */
  charged: bigint
}

/** A job. `team`: the paying team. */
export function rowOf(job: ReplayRecord, counted: readonly Counted[], team: ReplayRow['team']): ReplayRow {
  const own = counted.filter(({ jobId }) => jobId === job.id)
  const items = Object.fromEntries(replayItemStates.map((state) => [state, own.find((one) => one.state === state)?.count ?? 0]))
  return {
    id: job.id,
    at: job.at.toISOString(),
    state: job.state,
    stopping: job.state === 'running' && job.stopAsked,
    group: job.group,
    team,
    targets: job.targets,
    requests: job.requests,
    items: items as ReplayRow['items'],
    ceiling: formatUsd(job.ceiling),
    expected: formatUsd(job.expected),
    charged: formatUsd(own.reduce((sum, { charged }) => sum + charged, 0n)),
    finishedAt: job.finishedAt?.toISOString() ?? null,
  }
}

/** An item. Channels are for administrators (`isAdmin`). */
export function itemOf(item: ReplayItemRecord, isAdmin: boolean): ReplayItemRow {
  const { n, originalId, target, state, replayId, error, exact, original, result, difference } = item
  const shown = (figures: ReplayFigures | null) => (figures && !isAdmin ? without(figures) : figures)
  return { n, requestId: originalId, target, state, replayId, error, exact, original: shown(original), result: shown(result), difference }
}

function without({ channel: _, ...figures }: ReplayFigures): ReplayFigures {
  return figures
}

/** A job with its items and sums. */
export function detailOf(row: ReplayRow, items: readonly ReplayItemRow[]): ReplayDetail {
  return { ...row, totals: row.targets.map((_, target) => totalsOf(target, items)), results: [...items] }
}

/** Sums over the items that are done and have figures on both sides. */
function totalsOf(target: number, items: readonly ReplayItemRow[]): ReplayTotals {
  const done = items.flatMap(({ original, result, difference, ...item }) =>
    item.target === target && item.state === 'done' && original && result ? [{ original, result, difference }] : [],
  )
  const sum = (of: (one: (typeof done)[number]) => number) => done.reduce((all, one) => all + of(one), 0)
  const money = (of: (one: (typeof done)[number]) => string) => formatUsd(done.reduce((all, one) => all + parseUsd(of(one)), 0n))
  return {
    target,
    done: done.length,
    originalCharged: money(({ original }) => original.charged),
    charged: money(({ result }) => result.charged),
    originalTokensOut: sum(({ original }) => original.tokensOut ?? 0),
    tokensOut: sum(({ result }) => result.tokensOut ?? 0),
    originalMs: sum(({ original }) => original.totalMs),
    totalMs: sum(({ result }) => result.totalMs),
    sameText: sum(({ difference }) => Number(difference?.text === 'same')),
    sameCalls: sum(({ difference }) => Number(difference?.calls === 'same')),
    sameFinish: sum(({ difference }) => Number(difference?.finish === 'same')),
  }
}
