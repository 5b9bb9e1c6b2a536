/** Reselling: plans, codes that are redeemed once, and credits by payment systems. Money is a decimal string in USD. */
import { Decimal, Exact, Int, Name, type Static, Text, Type } from '../typebox.ts'

/** What one window of a plan allows. */
export const PlanWindow = Exact({
  /** Its length: hours, days, weeks or months, as in `5h`, `30d`, `1w`, `1mo`. Windows follow each other from the moment the plan began. */
  every: Type.String({ pattern: '^[1-9]\\d{0,2}(h|d|w|mo)$', description: 'a length such as 5h, 30d, 1w or 1mo' }),
  amount: Decimal(),
})
export type PlanWindow = Static<typeof PlanWindow>

const Windows = Type.Array(PlanWindow, { maxItems: 6 })
const Group = Type.Union([Name(), Type.Null()])

/** POST /api/plans. `group`: whose models and price ratio its holders have; null: their own. */
export const NewPlan = Exact({ name: Name(), group: Type.Optional(Group), windows: Type.Optional(Windows) })
export type NewPlan = Static<typeof NewPlan>

/** PATCH /api/plans/:id. Current holders keep the plan as it was given. */
export const PlanPatch = Exact({
  name: Type.Optional(Name()),
  group: Type.Optional(Group),
  windows: Type.Optional(Windows),
  enabled: Type.Optional(Type.Boolean()),
})
export type PlanPatch = Static<typeof PlanPatch>

/** `plan` of a user or team in parley.yaml: its name, and its end (RFC 3339). */
export const DeclaredHold = Exact({ name: Name(), until: Type.String({ format: 'instant' }) })
export type DeclaredHold = Static<typeof DeclaredHold>

/** A row of GET /api/plans. */
export interface PlanRow {
  id: string
  name: string
  group: string | null
  windows: PlanWindow[]
  /** Whether it can still be given. */
  enabled: boolean
  managed: 'file' | 'console'
  createdAt: string
  /** How many users and teams have it now. */
  holders: number
}

/** PUT /api/users/:id/plan and /api/teams/:id/plan. It begins now; the same plan if already held is extended to the new end. */
export const PlanGift = Exact({
  /** Id or name. */
  plan: Name(),
  /** RFC 3339. */
  until: Type.String({ format: 'instant' }),
})
export type PlanGift = Static<typeof PlanGift>

/** The plan of a user or team, as it was given; times are RFC 3339. */
export interface HeldPlan {
  /** The plan's. */
  id: string
  name: string
  group: string | null
  windows: PlanWindow[]
  from: string
  until: string
  /** Given by parley.yaml. */
  byFile?: true
}

/** What is left of one window. */
export interface PlanWindowLeft extends PlanWindow {
  left: string
  /** When the next window begins; null where the plan ends before. */
  renewsAt: string | null
}

/** GET /api/plan, and the response of the endpoints that give a plan. Null: none now. */
export interface PlanState {
  plan: {
    id: string
    name: string
    group: string | null
    from: string
    until: string
    windows: PlanWindowLeft[]
  } | null
}

/** POST /api/codes: a batch. At least one of `value` and `plan`. */
export const NewCodes = Exact({
  count: Int(1, 1000),
  /** Purpose or point of sale; for people only. */
  note: Type.Optional(Text(200)),
  /** Credited to the wallet. */
  value: Type.Optional(Decimal()),
  /** Id or name of the plan that it gives. */
  plan: Type.Optional(Name()),
  /** For how many days. */
  days: Type.Optional(Int(1, 3660)),
  /** RFC 3339: must be redeemed before then. */
  expiresAt: Type.Optional(Type.Union([Type.String({ format: 'instant' }), Type.Null()])),
  /** Only for wallets of users or teams that may use this group. */
  group: Type.Optional(Group),
  /** Id or name of the only user who may redeem it. */
  user: Type.Optional(Group),
})
export type NewCodes = Static<typeof NewCodes>

/** States of a code. */
export const codeStates = ['open', 'redeemed', 'revoked', 'expired'] as const

/** A row of GET /api/codes. The code itself is in the answer to POST only. */
export interface CodeRow {
  id: string
  batch: string
  hint: string
  note: string
  value: string
  plan: { id: string; name: string; days: number } | null
  group: string | null
  user: { id: string; name: string } | null
  state: (typeof codeStates)[number]
  createdAt: string
  expiresAt: string | null
  redeemedAt: string | null
  /** Who redeemed it, and for which wallet. */
  redeemedBy: { id: string; name: string } | null
  wallet: { id: string; name: string } | null
}

/** POST /api/codes/redeem. `team`: id or name of the team that gets it; the caller when absent. */
export const Redemption = Exact({ code: Type.String({ minLength: 1, maxLength: 100 }), team: Type.Optional(Name()) })
export type Redemption = Static<typeof Redemption>

/** What a redeemed code gave. */
export interface Redeemed {
  value: string
  plan: { name: string; until: string } | null
}

/** A payment system's own reference of a payment: visible ASCII. */
const Reference = Type.String({ pattern: '^[\\u0021-\\u007e]{1,200}$' })
const reason = Type.Optional(Type.String({ maxLength: 500, pattern: '\\S' }))

/** POST /api/credits. Exactly one of `user` and `team`, by id or name. */
export const NewCredit = Exact({
  reference: Reference,
  user: Type.Optional(Name()),
  team: Type.Optional(Name()),
  amount: Decimal(),
  reason,
})
export type NewCredit = Static<typeof NewCredit>

/** POST /api/credits/refund. `of`: the reference of the credit; `amount`: all that is not refunded yet when absent. */
export const NewRefund = Exact({
  reference: Reference,
  of: Reference,
  amount: Type.Optional(Decimal()),
  /** If the wallet has less, take what is left instead of refusing. */
  partial: Type.Optional(Type.Boolean()),
  reason,
})
export type NewRefund = Static<typeof NewRefund>

/** A credit or refund as it was posted, which never changes: a row of GET /api/credits. */
export interface CreditRow {
  reference: string
  /** Reference of the credit that this refunds; null for a credit. */
  of: string | null
  wallet: { id: string; name: string | null; of: 'user' | 'team' }
  /** Negative for a refund. */
  amount: string
  /** In the list: USD refunded of it so far. */
  refunded?: string
  reason: string
  at: string
}
