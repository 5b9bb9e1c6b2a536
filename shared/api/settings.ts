/** Responses about the installation: settings, environment, alerts. */
import { type AlertDeliveryRow, type AlertHookRow, type AlertTestAnswer, alertForms, alertKinds, deliveryStates } from '../console/alert.ts'
import { balancingModes, type EnvironmentRow, Fallback, type SettingsRow, secondFactorRules } from '../console/settings.ts'
import { OneOf, Type } from '../typebox.ts'
import { Instant, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

const Names = () => Type.Array(Type.String())
const counts = {
  keys: Type.Integer(),
  modelsPerKey: Type.Integer(),
  conversations: Type.Integer(),
  conversationBytes: Type.Integer(),
  files: Type.Integer(),
  fileBytes: Type.Integer(),
  invitations: Type.Integer(),
}
/** GET and PATCH /api/settings */
export const SettingsAnswer = says<SettingsRow>().of(
  Open({
    moderationModel: Type.String(),
    fallbacks: Type.Record(Type.String(), Fallback),
    keepLogsMonths: Nullable(Type.Integer()),
    balancing: Type.Optional(OneOf(balancingModes)),
    checkMinutes: Type.Optional(Type.Integer()),
    banner: Type.Optional(Type.String({ description: 'A line of plain text on top of every page of whoever is signed in.' })),
    shareLinks: Type.Boolean({ description: 'Whether users may create links by which anyone can read a copy of a conversation.' }),
    requireSecondFactor: Type.Optional(OneOf(secondFactorRules)),
    secondFactorAfterProvider: Type.Optional(Type.Boolean()),
    quotas: Open({ ...counts }),
    managedByFile: Open({ fallbacks: Names(), routing: Type.Array(OneOf(['balancing', 'checkMinutes'] as const)) }),
    defaults: Open({
      moderationModel: Type.String(),
      keepLogsMonths: Type.Null(),
      shareLinks: Type.Literal(false),
      quotas: Open({ ...counts }),
    }),
    changed: Names(),
  }),
)

/** A row of GET /api/environment. */
export const EnvironmentAnswer = says<EnvironmentRow>().of(
  Open({
    name: Type.String(),
    meaning: Type.String(),
    default: Type.String(),
    set: Type.Boolean(),
    value: Nullable(Type.String({ description: 'Null when it is not set, and for secrets.' })),
  }),
)

/** A row of GET /api/alerts/hooks, without its URL and its secret. */
export const AlertHookAnswer = says<AlertHookRow>().of(
  Open({
    id: Type.String(),
    name: Type.String(),
    form: OneOf(alertForms),
    address: Type.String({ description: 'Scheme, host and port of its URL.' }),
    from: Nullable(Type.String()),
    to: Nullable(Type.Array(Type.String())),
    kinds: Nullable(Type.Array(OneOf(alertKinds), { description: 'Null: every kind.' })),
    enabled: Type.Boolean(),
    createdAt: Instant(),
  }),
)

/** A row of GET /api/alerts. */
export const AlertAnswer = says<AlertDeliveryRow>().of(
  Open({
    id: Type.String(),
    alert: Type.String({ description: 'The same for every place; `webhook-id` of the delivery.' }),
    at: Instant(),
    kind: OneOf(alertKinds),
    data: Open({
      text: Type.String(),
      link: Nullable(Type.String()),
      subject: Nullable(
        Open({
          kind: OneOf(['key', 'user', 'group', 'team', 'member', 'channel', 'model', 'instance'] as const),
          id: Type.String(),
          name: Type.String(),
        }),
      ),
      facts: Type.Record(Type.String(), Type.String()),
    }),
    hook: Open({ id: Type.String(), name: Type.String(), form: OneOf(alertForms) }),
    state: OneOf(deliveryStates),
    tries: Type.Integer(),
    nextTryAt: Nullable(Instant()),
    sentAt: Nullable(Instant()),
    answer: Nullable(Type.String({ description: 'The last answer.' })),
  }),
)

/** POST /api/alerts/hooks/:id/test */
export const AlertTest = says<AlertTestAnswer>().of(Open({ ok: Type.Boolean(), answer: Type.String() }))
