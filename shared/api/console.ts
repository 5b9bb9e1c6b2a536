/** Responses of the console API as schemas: the rows that `shared/console` has as types. */
import { KeepBodies } from '../console/body.ts'
import { type InvoiceReport, invoiceVendors } from '../console/books.ts'
import type { ChannelAttempts, ChannelOutcomes, ChannelTotals } from '../console/channel.ts'
import type { GroupRow, ManagedGroupRow } from '../console/group.ts'
import type { KeyRow } from '../console/key.ts'
import { Budget, Limits } from '../console/limits.ts'
import type { LossRow } from '../console/log.ts'
import type { CapabilityRow, ModelRow, Status } from '../console/model.ts'
import { PriceFields } from '../console/price.ts'
import { Fallback } from '../console/settings.ts'
import type { AccountRow, SignedIn, UserTotals } from '../console/user.ts'
import { operations, roles } from '../ids.ts'
import { Decimal, OneOf, SignedDecimal, type Static, type TSchema, Type } from '../typebox.ts'
import { Open } from './fields.ts'

/** Or null. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
/** A time. */
export const Instant = () => Type.String({ format: 'instant', description: 'RFC 3339, UTC.' })
/** Who may change a row. */
export const Managed = () => OneOf(['file', 'console'])
/** A list of names. */
export const Names = () => Type.Array(Type.String())
/** Remainder of a budget. */
export const Left = () =>
  Type.Optional(
    Open({
      total: Type.Optional(SignedDecimal()),
      daily: Type.Optional(SignedDecimal()),
      weekly: Type.Optional(SignedDecimal()),
      monthly: Type.Optional(SignedDecimal()),
    }),
  )
/** Checks at compile time that a schema allows every value of its type. */
export const says = <Row>() => ({ of: <T extends TSchema>(schema: Row extends Static<T> ? T : never): T => schema })

/** GET /api/status */
export const StatusAnswer = says<Status>().of(
  Open({
    name: Type.Literal('Parley'),
    version: Type.String(),
    setup: OneOf(['needed', 'done']),
    demo: Type.Boolean(),
    environment: Type.Optional(Type.String({ description: 'What this installation calls itself, such as `staging`.' })),
    singleSignOn: Type.Optional(Type.Literal(true)),
    passkeys: Type.Optional(Type.String({ description: 'The address at which passkeys work.' })),
  }),
)

const user = {
  id: Type.String(),
  name: Type.String(),
  role: OneOf(roles),
  group: Type.String(),
  groups: Names(),
  balance: SignedDecimal(),
  held: Decimal(),
}
/** A signed-in user: GET and POST /api/session. */
export const UserAnswer = says<SignedIn>().of(
  Open({
    user: Open(user),
    banner: Type.Optional(Type.String({ description: 'What administrators tell everybody, as plain text.' })),
    address: Type.Optional(Type.String({ description: 'The address from which this was asked; of GET alone.' })),
    mustEnrol: Type.Optional(
      Type.Literal(true, { description: 'The session opens nothing until the user has added the second factor that is asked for.' }),
    ),
  }),
)
/** POST /api/setup */
export const SetupAnswer = Open({ user: Open(user), key: Open({ name: Type.String(), key: Type.String() }) })
/** A user as administrators see it. */
export const AccountAnswer = says<AccountRow>().of(
  Open({
    ...user,
    createdAt: Instant(),
    lastSeenAt: Nullable(Instant()),
    enabled: Type.Boolean(),
    signsIn: Type.Boolean(),
    secondFactor: Type.Boolean(),
    managementKeys: Type.Integer({ description: 'Management keys that open the API. They end when the role changes.' }),
    managed: Managed(),
    budget: Nullable(Budget),
    budgetLeft: Left(),
    limits: Nullable(Limits),
  }),
)

/** GET /api/users/totals */
export const UserTotalsAnswer = says<UserTotals>().of(
  Open({
    users: Type.Integer(),
    enabled: Type.Integer(),
    balance: SignedDecimal(),
    held: Decimal(),
    low: Type.Integer({ description: 'Enabled users whose balance is below `lowBelow`.' }),
    lowBelow: Decimal(),
  }),
)

const group = { name: Type.String(), description: Type.String(), ratio: Decimal() }
const forAdministrators = {
  usable: Type.Boolean({ description: 'Whether the signed-in administrator may use it.' }),
  enabled: Type.Boolean(),
  managed: Managed(),
  logBodies: KeepBodies,
  budget: Nullable(Budget),
  budgetLeft: Left(),
  limits: Nullable(Limits),
  contents: Open(
    { users: Type.Integer(), teams: Type.Integer(), keys: Type.Integer(), channels: Type.Integer(), models: Type.Integer() },
    'How many may use it, and how many keys act in it.',
  ),
  fallbacks: Type.Record(Type.String(), Fallback, { description: 'Fallback models by model, in place of those of the installation.' }),
}
/** A group. */
export const GroupAnswer = says<GroupRow | ManagedGroupRow>().of(
  Open({ ...group, ...Type.Partial(Type.Object(forAdministrators)).properties }),
)

/** What is known of a model. */
export const capable = {
  operations: Type.Array(OneOf(operations)),
  contextTokens: Nullable(Type.Integer()),
  maxOutputTokens: Nullable(Type.Integer()),
  capabilities: Type.Record(Type.String(), Type.Unknown()),
}

/** A model of a group. */
export const ModelAnswer = says<ModelRow>().of(
  Open({ id: Type.String(), ...capable, dialects: Names(), price: PriceFields, priceChangedAt: Nullable(Instant()) }),
)

/** What a model can do. */
export const CapabilityAnswer = says<CapabilityRow>().of(Open({ model: Type.String(), ...capable }))

/** An API key, without the key itself. */
export const KeyAnswer = says<KeyRow>().of(
  Open({
    id: Type.String(),
    name: Type.String(),
    user: Open({ id: Type.String(), name: Type.String() }),
    team: Nullable(Open({ id: Type.String(), name: Type.String() })),
    note: Nullable(Type.String()),
    createdAt: Instant(),
    group: Nullable(Type.String()),
    models: Nullable(Names()),
    expiresAt: Nullable(Instant()),
    enabled: Type.Boolean(),
    strict: Type.Boolean(),
    logBodies: KeepBodies,
    addresses: Nullable(Names()),
    budget: Nullable(Budget),
    budgetLeft: Left(),
    limits: Nullable(Limits),
    hint: Type.String(),
    managed: Managed(),
    lastUsedAt: Nullable(Instant()),
    lastUsedFrom: Nullable(Type.String()),
    previousUntil: Nullable(Instant()),
  }),
)

/** What a conversion lost. */
export const Loss = says<LossRow>().of(Open({ field: Type.String(), what: OneOf(['adapted', 'dropped']), reason: Type.String() }))

/** A channel, with its secrets as hints. */
export const ChannelAnswer = Open({
  id: Type.String(),
  name: Type.String(),
  vendor: Type.String(),
  createdAt: Instant(),
  managed: Managed(),
  baseUrl: Nullable(Type.String()),
  keys: Type.Array(Open({ id: Type.String(), name: Type.String(), hint: Type.String(), weight: Type.Integer(), enabled: Type.Boolean() })),
})

/** GET /api/channels/totals */
export const ChannelTotalsAnswer = says<ChannelTotals>().of(
  Open({
    channels: Type.Integer(),
    healthy: Type.Integer(),
    degraded: Type.Integer(),
    open: Type.Integer(),
    off: Type.Integer(),
    vendors: Names(),
    tags: Names(),
  }),
)

/** A row of GET /api/channels/:id/health. */
export const HealthAnswer = Open({
  key: Nullable(Type.String()),
  model: Nullable(Type.String()),
  state: OneOf(['closed', 'open', 'half-open']),
  cause: Type.String(),
  retryInMs: Type.Integer(),
})

const Slices = () => Type.Array(Open({ attempts: Type.Integer(), failed: Type.Integer() }))

/** GET /api/channels/outcomes */
export const ChannelAttemptsAnswer = Open({
  sliceSeconds: Type.Integer(),
  data: Type.Array(says<ChannelAttempts>().of(Open({ channelId: Type.String(), slices: Slices() }))),
  next: Nullable(Type.String()),
})

/** GET /api/channels/:id/outcomes */
export const ChannelOutcomesAnswer = says<ChannelOutcomes>().of(
  Open({
    sliceSeconds: Type.Integer(),
    data: Type.Array(
      Open({
        key: Nullable(Type.String()),
        model: Type.String(),
        slices: Slices(),
      }),
    ),
  }),
)

export const AilmentAnswer = Open({ channelId: Type.String(), ...HealthAnswer.properties })

/** POST /pg/preview/:dialect */
export const PreviewAnswer = Open({ body: Open({}), losses: Type.Array(Loss) })

/** POST /api/invoices/check */
export const InvoiceAnswer = says<InvoiceReport>().of(
  Open({
    vendor: OneOf(invoiceVendors),
    timezone: Type.String(),
    from: Type.String(),
    to: Type.String(),
    channels: Names(),
    lines: Type.Integer(),
    leftOut: Type.Integer(),
    billed: SignedDecimal(),
    logged: SignedDecimal(),
    difference: SignedDecimal(),
    fits: Type.Boolean(),
    rows: Type.Array(
      Open({
        day: Type.String(),
        model: Type.String(),
        billed: SignedDecimal(),
        logged: Nullable(SignedDecimal()),
        difference: SignedDecimal(),
        requests: Type.Integer(),
        fits: Type.Boolean(),
        pages: Names(),
      }),
    ),
  }),
)

/** A page of any list of the console. */
export const PageOf = <T extends TSchema>(row: T) => Open({ data: Type.Array(row), next: Nullable(Type.String()) })
