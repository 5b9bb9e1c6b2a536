/** Responses about the whole installation: search and overview. */
import type { Overview } from '../console/overview.ts'
import { type Found, foundKinds } from '../console/search.ts'
import { Decimal, OneOf, SignedDecimal, Type } from '../typebox.ts'
import { Instant, Nullable, says } from './console.ts'
import { Open } from './fields.ts'
import { UsageAnswer } from './usage.ts'

/** A row of GET /api/search. */
export const FoundAnswer = says<Found>().of(
  Open({
    kind: OneOf(foundKinds),
    id: Type.String(),
    name: Type.String(),
    note: Nullable(Type.String()),
    path: Type.String({ description: 'Its page in the console.' }),
  }),
)

const budget = {
  of: OneOf(['key', 'user', 'group', 'team', 'member']),
  id: Type.String(),
  name: Type.String(),
  window: OneOf(['daily', 'weekly', 'monthly', 'total']),
  limit: Decimal(),
  left: SignedDecimal(),
  share: Type.Number(),
}
const kind = <Kind extends string>(name: Kind) => ({ kind: Type.Literal(name) })
const Attention = Type.Union([
  Open({
    ...kind('rest'),
    channel: Open({ id: Type.String(), name: Type.String() }),
    key: Nullable(Type.String()),
    model: Nullable(Type.String()),
    state: OneOf(['closed', 'open', 'half-open']),
    cause: Type.String(),
    retryInMs: Type.Number(),
  }),
  Open({
    ...kind('fails'),
    channel: Open({ id: Type.String(), name: Type.String() }),
    model: Type.String(),
    cause: Type.String(),
    at: Instant(),
  }),
  Open({ ...kind('unpriced'), model: Type.String() }),
  Open({ ...kind('budget'), ...budget }),
  Open({ ...kind('loses'), model: Type.String(), margin: SignedDecimal() }),
  Open({ ...kind('low'), balance: SignedDecimal(), spend: SignedDecimal() }),
  Open({ ...kind('expires'), id: Type.String(), name: Type.String(), at: Instant() }),
])

/** GET /api/overview */
export const OverviewAnswer = says<Overview>().of(
  Open({
    at: Instant(),
    timezone: Type.String(),
    days: Type.Integer(),
    now: UsageAnswer,
    before: UsageAnswer,
    steps: Type.Array(Type.String({ description: 'The instant of an hour, or the date of a day where there are more.' })),
    hours: Type.Array(UsageAnswer),
    hoursBefore: Type.Array(UsageAnswer),
    hoursByModel: Type.Array(UsageAnswer),
    models: Type.Array(UsageAnswer),
    keys: Type.Array(UsageAnswer),
    budgets: Type.Array(Open(budget)),
    attention: Type.Array(Attention),
    first: Open({ channel: Nullable(Type.Boolean()), price: Nullable(Type.Boolean()), key: Type.Boolean(), request: Type.Boolean() }),
  }),
)
