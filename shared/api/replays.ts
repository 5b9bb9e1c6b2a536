/** Responses about replays as schemas. */
import {
  type ReplayComparison,
  type ReplayDetail,
  type ReplayEstimate,
  type ReplayItemRow,
  type ReplayRow,
  ReplayTarget,
  replayItemStates,
  replayStates,
  uncomparedReasons,
} from '../console/replay.ts'
import { Decimal, OneOf, Type } from '../typebox.ts'
import { Instant, Names, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

/** POST /api/replays/estimate */
export const EstimateAnswer = says<ReplayEstimate>().of(
  Open({
    requestIds: Names(),
    refused: Type.Array(Open({ requestId: Type.String(), code: Type.String() })),
    expected: Decimal(),
    unknown: Type.Integer({ description: 'Items whose cost nobody can tell, since their originals used nothing.' }),
    ceiling: Decimal(),
  }),
)

const count = () => Type.Integer()
const row = {
  id: Type.String(),
  at: Instant(),
  state: OneOf(replayStates),
  stopping: Type.Boolean(),
  group: Type.String(),
  team: Nullable(Open({ id: Type.String(), name: Nullable(Type.String()) })),
  targets: Type.Array(ReplayTarget),
  requests: Type.Integer(),
  items: Open({ waiting: count(), running: count(), done: count(), failed: count(), skipped: count(), interrupted: count() }),
  ceiling: Decimal(),
  expected: Decimal(),
  charged: Decimal(),
  finishedAt: Nullable(Instant()),
}
/** A row of GET /api/replays. */
export const ReplayAnswer = says<ReplayRow>().of(Open(row))

const Figures = Nullable(
  Open({
    model: Type.String(),
    channel: Type.Optional(Nullable(Type.String())),
    status: Type.Integer(),
    end: Type.String(),
    tokensIn: Type.Optional(Type.Integer()),
    tokensOut: Type.Optional(Type.Integer()),
    charged: Decimal(),
    firstTokenMs: Nullable(Type.Number()),
    totalMs: Type.Number(),
    losses: Type.Integer(),
    answer: Type.Optional(Open({ finish: Nullable(Type.String()), words: Type.Integer(), calls: Type.Integer() })),
  }),
)
const Failure = Nullable(Open({ code: Type.String(), message: Type.String() }))
const item = {
  n: Type.Integer({ description: 'Its place in the job, from 0.' }),
  requestId: Type.String({ description: 'The original.' }),
  target: Type.Integer({ description: 'Its place in `targets`.' }),
  state: OneOf(replayItemStates),
  replayId: Nullable(Type.String()),
  error: Failure,
  exact: Type.Boolean({ description: 'The bytes of the original were sent, nothing changed.' }),
  original: Figures,
  result: Figures,
  difference: Nullable(
    Open({
      text: OneOf(['same', 'different']),
      alike: Type.Optional(Type.Integer({ description: 'Percent of the words that both answers have.' })),
      calls: OneOf(['same', 'arguments', 'different']),
      finish: OneOf(['same', 'different']),
    }),
  ),
}
const ItemAnswer = says<ReplayItemRow>().of(Open(item))

/** GET /api/replays/:id */
export const ReplayDetailAnswer = says<ReplayDetail>().of(
  Open({
    ...row,
    totals: Type.Array(
      Open({
        target: Type.Integer(),
        done: Type.Integer(),
        originalCharged: Decimal(),
        charged: Decimal(),
        originalTokensOut: Type.Integer(),
        tokensOut: Type.Integer(),
        originalMs: Type.Number(),
        totalMs: Type.Number(),
        sameText: Type.Integer(),
        sameCalls: Type.Integer(),
        sameFinish: Type.Integer(),
      }),
    ),
    results: Type.Array(ItemAnswer),
  }),
)

const Answer = Nullable(
  Open({
    text: Type.String(),
    calls: Type.Array(Open({ name: Type.String(), args: Type.String() })),
    finish: Nullable(Type.String()),
    error: Failure,
  }),
)
const Pieces = () => Type.Optional(Type.Array(Open({ text: Type.String(), in: OneOf(['both', 'original', 'replay']) })))
/** GET /api/replays/:id/items/:n */
export const ComparisonAnswer = says<ReplayComparison>().of(
  Open({
    ...item,
    originalAnswer: Answer,
    replayAnswer: Answer,
    pieces: Pieces(),
    uncompared: Type.Optional(OneOf(uncomparedReasons)),
    callPieces: Pieces(),
  }),
)
