/** Responses about people: teams, sessions, quotas, management keys, the audit trail. */
import { type AuditRow, namedKinds } from '../console/audit.ts'
import type { KeyFacts, KeyUsage } from '../console/key.ts'
import { Budget, Limits } from '../console/limits.ts'
import { type ManagementKeyRow, scopes } from '../console/management-key.ts'
import type { QuotaRow } from '../console/quota.ts'
import type { IdentityRow, SessionRow } from '../console/session.ts'
import type { MemberRow, TeamRow } from '../console/team.ts'
import type { EntryRow, KeptRow, SharedConversation, ShareRow } from '../console/user.ts'
import { entryKinds, teamRoles } from '../ids.ts'
import { Decimal, OneOf, SignedDecimal, Type } from '../typebox.ts'
import { Instant, Left, Managed, Names, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

/** DELETE /api/sessions */
export const EndedSessions = Open({ ended: Type.Integer({ description: 'How many have ended.' }) })

/** A row of GET /api/sessions. */
export const SessionAnswer = says<SessionRow>().of(
  Open({
    id: Type.String(),
    at: Instant(),
    lastSeenAt: Instant(),
    address: Nullable(Type.String()),
    agent: Nullable(Type.String()),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  }),
)

/** A row of GET /api/conversations. */
export const KeptAnswer = says<KeptRow>().of(
  Open({ id: Type.String(), changedAt: Instant(), bytes: Type.Integer({ description: 'As it is stored.' }) }),
)

const share = { title: Type.String(), createdAt: Instant(), expiresAt: Instant() }

/** A row of GET /api/shares. */
export const ShareAnswer = says<ShareRow>().of(Open({ id: Type.String({ description: 'Whoever has it may read.' }), ...share }))

/** GET /api/shares/:id */
export const SharedConversationAnswer = says<SharedConversation>().of(
  Open({ ...share, text: Type.String({ description: 'The conversation in the playground’s file format: JSON text.' }) }),
)

/** Where to send the browser: POST /api/session/oidc. */
export const ProviderAnswer = Open({ address: Type.String({ description: 'The page of the identity provider.' }) })

/** A row of GET /api/session/identities. */
export const IdentityAnswer = says<IdentityRow>().of(
  Open({
    id: Type.String(),
    issuer: Type.String({ description: 'The provider, as it names itself.' }),
    label: Nullable(Type.String({ description: 'What the provider calls the person.' })),
    at: Instant(),
    lastUsedAt: Instant(),
  }),
)

/** A row of GET /api/quotas. */
export const QuotaAnswer = says<QuotaRow>().of(
  Open({
    name: OneOf(['keys', 'modelsPerKey', 'conversations', 'conversationBytes', 'files', 'fileBytes', 'invitations']),
    used: Nullable(Type.Integer()),
    most: Type.Integer(),
  }),
)

/** A row of GET /api/management-keys, without the key itself. */
export const ManagementKeyAnswer = says<ManagementKeyRow>().of(
  Open({
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(OneOf(scopes)),
    hint: Type.String(),
    createdAt: Instant(),
    expiresAt: Nullable(Instant()),
    lastUsedAt: Nullable(Instant()),
    lastUsedFrom: Nullable(Type.String()),
    valid: Type.Boolean({ description: 'False once it has expired, or when its owner has another role than when it was made.' }),
  }),
)

/** A row of GET /api/audit. */
export const AuditAnswer = says<AuditRow>().of(
  Open({
    id: Type.String(),
    at: Instant(),
    actor: Type.String(),
    actorName: Nullable(Type.String()),
    owner: Nullable(Open({ id: Type.String(), name: Type.String() }, 'The owner of the management key that acted.')),
    action: Type.String(),
    target: Type.String(),
    targetName: Type.String(),
    before: Nullable(Type.Record(Type.String(), Type.Unknown())),
    after: Nullable(Type.Record(Type.String(), Type.Unknown())),
    names: Type.Record(Type.String(), Open({ kind: OneOf(namedKinds), name: Type.String() }), {
      description: 'What the ids in `target`, `before` and `after` stand for, and their names now; what no longer exists is missing.',
    }),
    requestId: Nullable(Type.String()),
  }),
)

/** A row of GET /api/users/:id/entries. */
export const EntryAnswer = says<EntryRow>().of(
  Open({
    id: Type.String(),
    at: Instant(),
    kind: OneOf(entryKinds),
    amount: Type.String({ description: 'USD; negative for withdrawals and charges.' }),
    balance: Type.String({ description: 'USD: the sum of this entry and of all older ones.' }),
    ref: Type.String({
      description:
        'The cause: `usage:<request id>`, `grant:<user id>`, `credit:<key>`, `code:<id of the code>`, `payment:<reference>`, `refund:<reference>`.',
    }),
    actor: Type.String(),
    actorName: Nullable(Type.String()),
    reason: Type.String(),
    day: Type.Optional(Type.String({ description: 'With `by=day`, of the charges of a day: YYYY-MM-DD. `amount` is their sum.' })),
    entries: Type.Optional(Type.Integer({ description: 'With `by=day`: how many charges that day has.' })),
  }),
)

/** GET /v1/key */
export const KeyFactsAnswer = says<KeyFacts>().of(
  Open({
    name: Type.String(),
    group: Type.String(),
    models: Type.Array(Type.String(), { description: 'The models that it may use now.' }),
    expiresAt: Nullable(Instant()),
    spent: Type.String({ description: 'USD charged to this key since its creation.' }),
    budgetLeft: Nullable(Open({})),
    limits: Nullable(Limits),
  }),
)

const spent = { requests: Type.Integer(), charged: Type.String({ description: 'USD.' }) }

/** GET /v1/key/usage */
export const KeyUsageAnswer = says<KeyUsage>().of(
  Open({
    budgets: Type.Array(
      Open({
        window: Type.String({ description: '`daily`, `weekly`, `monthly` or `total`.' }),
        limit: Type.String({ description: 'USD.' }),
        left: Type.String({ description: 'USD.' }),
        renewsAt: Nullable(Type.String({ description: 'RFC 3339. When the next window begins; null for a total budget.' })),
      }),
    ),
    days: Type.Array(Open({ day: Type.String(), ...spent })),
    models: Type.Array(Open({ model: Type.String(), ...spent })),
  }),
)

/** A team. */
export const TeamAnswer = says<TeamRow>().of(
  Open({
    id: Type.String(),
    name: Type.String(),
    group: Type.String(),
    groups: Names(),
    models: Nullable(Names()),
    budget: Nullable(Budget),
    budgetLeft: Left(),
    limits: Nullable(Limits),
    claim: Nullable(
      Type.String({ description: 'A value of the identity provider’s claim of groups: whoever signs in with it is a member.' }),
    ),
    enabled: Type.Boolean(),
    managed: Managed(),
    createdAt: Instant(),
    balance: SignedDecimal(),
    held: Decimal(),
    members: Type.Integer({ description: 'Number of members.' }),
    role: Nullable(OneOf(teamRoles)),
  }),
)

/** A member of a team. */
export const MemberAnswer = says<MemberRow>().of(
  Open({
    id: Type.String({ description: 'The user’s.' }),
    name: Type.String(),
    role: OneOf(teamRoles),
    budget: Nullable(Budget),
    budgetLeft: Left(),
    spent: Type.String({ description: 'USD since the month began (UTC).' }),
    createdAt: Instant(),
  }),
)
