/** Alerts: their hooks, their contents and their deliveries. */
import { Exact, Name, OneOf, type Static, Type } from '../typebox.ts'

/**
 * Kinds: a budget at 50, 80 or 100 %; a balance below what was spent in a day; a breaker open for five minutes; a failed test of
 * a channel; a requested model that has no price; a model that costs more than it brings; a key that spends five times its usual; a
 * journal more than half full; bodies that should be stored and are not, or do not reach their bucket; an overdue backup; and a test of the
 * hook.
 */
export const alertKinds = [
  'budget',
  'balance',
  'breaker',
  'channel_test',
  'unpriced',
  'margin',
  'key_spend',
  'journal',
  'bodies',
  'backup',
  'test',
] as const
export type AlertKind = (typeof alertKinds)[number]

/** The format a hook is sent in. `http` is signed like Standard Webhooks. */
export const alertForms = ['http', 'slack', 'feishu', 'dingtalk', 'wecom', 'smtp'] as const
export type AlertForm = (typeof alertForms)[number]

export const deliveryStates = ['waiting', 'sent', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The contents of an alert. */
export interface AlertData {
  /** One sentence in English. */
  text: string
  /** Where to look, in the console. */
  link: string | null
  /** What it is about, by its id and name. */
  subject: { kind: 'key' | 'user' | 'group' | 'team' | 'member' | 'channel' | 'model' | 'instance'; id: string; name: string } | null
  /** Figures by name: decimal strings and texts. */
  facts: Record<string, string>
}

const url = Type.String({ minLength: 8, maxLength: 2048 })
const mail = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s<>@,;]+@[^\\s<>@,;]+$', description: 'a mail address' })

const fields = {
  name: Name(),
  form: OneOf(alertForms),
  /** URL of a webhook, or `smtps://user:password@host:465` or `smtp://...` for mail. Only its origin is ever shown. */
  url,
  /** The signing secret of a Feishu or DingTalk robot; for `http` Parley generates one. */
  secret: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()])),
  /** Mail only. */
  from: Type.Optional(Type.Union([mail, Type.Null()])),
  to: Type.Optional(Type.Union([Type.Array(mail, { minItems: 1, maxItems: 20 }), Type.Null()])),
  /** Null or absent: every kind. */
  kinds: Type.Optional(Type.Union([Type.Array(OneOf(alertKinds), { minItems: 1, maxItems: 20, uniqueItems: true }), Type.Null()])),
  enabled: Type.Optional(Type.Boolean()),
}

/** POST /api/alerts/hooks */
export const NewAlertHook = Exact(fields)
export type NewAlertHook = Static<typeof NewAlertHook>

/** PATCH /api/alerts/hooks/:id. The form stays; a new URL brings its secret along. */
const { form: _, ...changeable } = fields
export const AlertHookPatch = Exact({ ...changeable, name: Type.Optional(Name()), url: Type.Optional(url) })
export type AlertHookPatch = Static<typeof AlertHookPatch>

/** A row of GET /api/alerts/hooks. */
export interface AlertHookRow {
  id: string
  name: string
  form: AlertForm
  /** Scheme, host and port of its URL. */
  address: string
  from: string | null
  to: string[] | null
  kinds: AlertKind[] | null
  enabled: boolean
  createdAt: string
}

/** A row of GET /api/alerts: the delivery of one alert to one hook. */
export interface AlertDeliveryRow {
  id: string
  alert: string
  at: string
  kind: AlertKind
  data: AlertData
  hook: { id: string; name: string; form: AlertForm }
  /** `dead`: given up after the last try. */
  state: DeliveryState
  tries: number
  nextTryAt: string | null
  sentAt: string | null
  /** The last answer. */
  answer: string | null
}

/** Response of POST /api/alerts/hooks/:id/test. */
export interface AlertTestAnswer {
  ok: boolean
  answer: string
}
