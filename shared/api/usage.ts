/** Responses about requests and what they cost, as schemas. */
import type { Bill, LogRow } from '../console/log.ts'
import { PriceFields } from '../console/price.ts'
import type { UsageReportRow } from '../console/usage.ts'
import { ends, operations, provenances } from '../ids.ts'
import { Decimal, OneOf, SignedDecimal, Type } from '../typebox.ts'
import { Instant, Loss, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

/** A decimal with more places than money has, because nothing in it is rounded. */
const Exactly = () => Type.String({ pattern: '^-?\\d+(\\.\\d{1,21})?$' })
export const BillAnswer = says<Bill>().of(
  Open({
    lines: Type.Array(
      Open({
        unit: Type.String(),
        amount: Type.Number(),
        price: Decimal(),
        per: Type.Union([Type.Literal(1), Type.Literal(1_000_000)]),
        tier: Type.Optional(Type.Integer()),
      }),
    ),
    sum: Exactly(),
    ratio: Decimal(),
    rounding: Exactly(),
    cost: Decimal(),
  }),
)

/** A usage row. */
export const LogAnswer = says<LogRow>().of(
  Open({
    requestId: Type.String(),
    at: Instant(),
    user: Type.Optional(Nullable(Open({ id: Type.String(), name: Nullable(Type.String()) }))),
    team: Type.Optional(Open({ id: Type.String(), name: Nullable(Type.String()) })),
    key: Nullable(Type.String()),
    group: Type.String(),
    model: Type.String(),
    batch: Type.Optional(Type.String({ description: 'The batch that it belongs to.' })),
    operation: OneOf(operations),
    dialect: Type.String(),
    stream: Type.Boolean(),
    status: Type.Integer(),
    end: OneOf(ends),
    repeats: Type.Optional(
      Type.Integer({
        description: 'Number of refused requests of the same key and cause in that minute that this row stands for, including itself.',
      }),
    ),
    error: Nullable(
      Open({
        code: Type.String(),
        message: Type.String(),
        count: Type.Optional(Type.Integer({ description: 'The same as `repeats`.' })),
      }),
    ),
    usage: Nullable(Open({})),
    provenance: Nullable(OneOf(provenances)),
    cost: Decimal(),
    charged: Decimal(),
    settled: Type.Boolean(),
    price: Nullable(Open({ ...PriceFields.properties, ratio: Decimal() })),
    bill: Type.Optional(Nullable(BillAnswer)),
    stored: Type.Optional(Type.Boolean({ description: 'Its bodies are kept; only in the answer about one row.' })),
    upstreamCost: Type.Optional(Nullable(Decimal())),
    margin: Type.Optional(Nullable(SignedDecimal())),
    upstreamPrice: Type.Optional(Nullable(PriceFields)),
    losses: Type.Array(Loss),
    firstTokenMs: Nullable(Type.Number()),
    totalMs: Type.Number(),
    replayOf: Type.Optional(Type.String({ description: 'The kept request that this one repeats.' })),
  }),
)
const Percents = () => Nullable(Open({ p50: Type.Number(), p95: Type.Number(), p99: Type.Number() }))
const Named = Open({ id: Type.String(), name: Nullable(Type.String()) })
/** Sums over some requests. */
export const sums = {
  requests: Type.Integer(),
  errors: Type.Integer(),
  tokens: Open({
    in: Open({
      fresh: Type.Number(),
      cacheRead: Type.Number(),
      cacheWrite: Type.Number(),
      audio: Type.Number(),
      image: Type.Number(),
    }),
    out: Open({ total: Type.Number(), reasoning: Type.Number(), audio: Type.Number(), image: Type.Number() }),
  }),
  units: Open({ images: Type.Number(), seconds: Type.Number(), characters: Type.Number(), searches: Type.Number() }),
  cost: Decimal(),
  charged: Decimal(),
  upstreamCost: Type.Optional(Nullable(Decimal())),
  margin: Type.Optional(Nullable(SignedDecimal())),
  latency: Open({ total: Percents(), firstToken: Percents() }),
}
/** A row of GET /api/usage. */
export const UsageAnswer = says<UsageReportRow>().of(
  Open({
    model: Type.Optional(Type.String()),
    key: Type.Optional(Nullable(Named)),
    user: Type.Optional(Nullable(Named)),
    team: Type.Optional(Nullable(Named)),
    group: Type.Optional(Type.String()),
    channel: Type.Optional(Nullable(Type.String())),
    hour: Type.Optional(Instant()),
    day: Type.Optional(Type.String({ description: 'YYYY-MM-DD, in the requested time zone.' })),
    ...sums,
  }),
)
