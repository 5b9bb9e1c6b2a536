/** Replays: kept requests sent again, to the same or other models and channels, as a job whose results are shown beside the originals. */
import { Decimal, Exact, MapOf, Name, type Static, Type } from '../typebox.ts'

/** Limits of one job, and of one user. */
export const replayBounds = { requests: 50, targets: 4, asked: 200, jobs: 3, kept: 100 } as const

/** Where a request is sent again, and what differs; empty: unchanged, wherever its model is served. */
export const ReplayTarget = Exact({
  model: Type.Optional(Name(256)),
  /** Name of the only channel to use. Administrators only. */
  channel: Type.Optional(Name()),
  /** Use only the channel that answered the original. */
  sameChannel: Type.Optional(Type.Boolean()),
  /** Top-level fields of the body to set, by name. */
  set: Type.Optional(MapOf(120, Type.Unknown())),
  /** Top-level fields of the body to remove. */
  remove: Type.Optional(Type.Array(Name(), { minItems: 1, maxItems: 50, uniqueItems: true })),
})
export type ReplayTarget = Static<typeof ReplayTarget>

const RequestId = () => Type.String({ pattern: '^[\\w-]{1,200}$' })
const targets = Type.Array(ReplayTarget, { minItems: 1, maxItems: replayBounds.targets })

/** POST /api/replays/estimate */
export const ReplayQuestion = Exact({
  requestIds: Type.Array(RequestId(), { minItems: 1, maxItems: replayBounds.asked, uniqueItems: true }),
  targets,
  /** The group it is sent in; absent: the user's own. */
  group: Type.Optional(Name()),
  /** The id or name of the team that pays; absent: the user. */
  team: Type.Optional(Name()),
})
export type ReplayQuestion = Static<typeof ReplayQuestion>

/** POST /api/replays */
export const NewReplay = Exact({
  ...ReplayQuestion.properties,
  requestIds: Type.Array(RequestId(), { minItems: 1, maxItems: replayBounds.requests, uniqueItems: true }),
  /** USD: no further request is started once this is reached; absent: twice what is expected. */
  ceiling: Type.Optional(Decimal()),
})
export type NewReplay = Static<typeof NewReplay>

/** Estimate of a job before it is started. */
export interface ReplayEstimate {
  /** Requests that can be replayed. */
  requestIds: string[]
  /** Those that cannot, and why, as an error code. */
  refused: { requestId: string; code: string }[]
  /** USD: the originals' usage at the prices of the targets. */
  expected: string
  /** Requests times targets whose usage is unknown and therefore not in `expected`. */
  unknown: number
  /** USD: the ceiling of a job that sets none. */
  ceiling: string
}

/** States of a job. `ceiling`: its ceiling was reached; what had not been started was skipped. */
export const replayStates = ['running', 'done', 'stopped', 'ceiling'] as const
export type ReplayState = (typeof replayStates)[number]

/**
 * States of one request on one target. `failed`: not sent, or refused. `skipped`: the job ended first. `interrupted`: the process that sent
 * it ended first; it is not sent again, and what was delivered is charged.
 */
export const replayItemStates = ['waiting', 'running', 'done', 'failed', 'skipped', 'interrupted'] as const
export type ReplayItemState = (typeof replayItemStates)[number]

/** Result of one request. */
export interface ReplayFigures {
  /** That answered. */
  model: string
  /** Administrators only. */
  channel?: string | null
  status: number
  end: string
  /** Undefined where no usage is known. */
  tokensIn?: number
  tokensOut?: number
  /** USD: what was charged. */
  charged: string
  firstTokenMs: number | null
  totalMs: number
  losses: number
  /** The answer; absent where it cannot be read as a conversation, or was not stored. */
  answer?: { finish: string | null; words: number; calls: number }
}

/** How two answers differ. */
export interface ReplayDifference {
  text: 'same' | 'different'
  /** Percentage of words in common; absent where the answers are too long or differ too much to be compared. */
  alike?: number
  calls: 'same' | 'arguments' | 'different'
  finish: 'same' | 'different'
}

/** One request on one target. */
export interface ReplayItemRow {
  /** Its place in the job, from 0. */
  n: number
  /** The original. */
  requestId: string
  /** Its place in `targets`. */
  target: number
  state: ReplayItemState
  /** The id of the new request; null before it is sent. */
  replayId: string | null
  error: { code: string; message: string } | null
  /** Whether the original’s bytes were sent unchanged. */
  exact: boolean
  original: ReplayFigures | null
  result: ReplayFigures | null
  difference: ReplayDifference | null
}

/** A row of GET /api/replays. */
export interface ReplayRow {
  id: string
  at: string
  state: ReplayState
  /** A stop was requested; it ends when its running requests have ended. */
  stopping: boolean
  group: string
  /** The team that pays; null: the user who started it. Without a name if the team is gone. */
  team: { id: string; name: string | null } | null
  targets: ReplayTarget[]
  /** Distinct originals. */
  requests: number
  items: Record<ReplayItemState, number>
  /** USD. */
  ceiling: string
  expected: string
  charged: string
  finishedAt: string | null
}

/** Totals of one target, over the items that are done. */
export interface ReplayTotals {
  target: number
  done: number
  /** Charged for the same originals, USD. */
  originalCharged: string
  charged: string
  originalTokensOut: number
  tokensOut: number
  originalMs: number
  totalMs: number
  sameText: number
  sameCalls: number
  sameFinish: number
}

/** GET /api/replays/:id */
export interface ReplayDetail extends ReplayRow {
  totals: ReplayTotals[]
  results: ReplayItemRow[]
}

/** Why two texts are not compared word by word: more than 30,000 characters together, or more than 200 words added or taken away. */
export const uncomparedReasons = ['too_long', 'too_different'] as const
export type UncomparedReason = (typeof uncomparedReasons)[number]

/** A piece of a text: in both answers, only in the original, or only in the replay. */
export interface DifferencePiece {
  text: string
  in: 'both' | 'original' | 'replay'
}

/** One answer as a conversation. */
export interface ReplayAnswer {
  text: string
  calls: { name: string; args: string }[]
  finish: string | null
  error: { code: string; message: string } | null
}

/** GET /api/replays/:id/items/:n: both answers, and how the texts differ. Each reading is in the audit trail. */
export interface ReplayComparison extends ReplayItemRow {
  /** Null: not stored, or not a conversation. */
  originalAnswer: ReplayAnswer | null
  replayAnswer: ReplayAnswer | null
  /** Absent where one is missing, or they are not compared. */
  pieces?: DifferencePiece[]
  /** Why both texts are present but not compared. */
  uncompared?: UncomparedReason
  /** Differences of the tool calls, in order. */
  callPieces?: DifferencePiece[]
}
