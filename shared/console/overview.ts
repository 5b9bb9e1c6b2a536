/** GET /api/overview and GET /api/events: figures of today against a week ago, or of some days against those before, and concerns. */
import type { HealthRow } from './channel.ts'
import type { UsageReportRow, UsageTotals } from './usage.ts'

/** How much of a budget is spent: `share` of `limit`, in USD, in the window with the largest share spent. */
export interface BudgetState {
  /** `member`: a member's cap, whose id is `<team>.<user>`. */
  of: 'key' | 'user' | 'group' | 'team' | 'member'
  id: string
  name: string
  window: 'daily' | 'weekly' | 'monthly' | 'total'
  limit: string
  left: string
  share: number
}

/** Something that needs attention; the most urgent first. */
export type Concern =
  /** A channel, or a key or model of it, is resting, or is being probed after a rest (`half-open`). */
  | ({ kind: 'rest'; channel: { id: string; name: string } } & HealthRow)
  /** An enabled channel whose last test of this model failed, manual or scheduled, as seen by the answering instance. */
  | { kind: 'fails'; channel: { id: string; name: string }; model: string; cause: string; at: string }
  /** A model that enabled channels offer but that cannot be called for lack of a price. */
  | { kind: 'unpriced'; model: string }
  /** A budget of which 80 percent or more are spent: `share` of `limit`, in USD. */
  | ({ kind: 'budget' } & BudgetState)
  /** A model whose requests of today cost more than they earned, in USD. */
  | { kind: 'loses'; model: string; margin: string }
  /** The caller's balance is below today's spend. */
  | { kind: 'low'; balance: string; spend: string }
  /** An enabled key that expires within a week. */
  | { kind: 'expires'; id: string; name: string; at: string }

/** The response. Rows are the caller's; for administrators, everyone's. */
export interface Overview {
  at: string
  timezone: string
  /** 1 for today, 7 or 30 for that many days including today. */
  days: number
  /** These days until now. */
  now: UsageTotals
  /** The same hours of the same weekday a week ago; for more days, as many days before them. */
  before: UsageTotals
  /** The starts of today's hours until now; for more days, their dates. */
  steps: string[]
  /** By hour, or by day for more than one day. */
  hours: UsageReportRow[]
  /** The whole day a week ago, or the days before. */
  hoursBefore: UsageReportRow[]
  /** The hours or days again, of each of these five models. */
  hoursByModel: UsageReportRow[]
  /** The five that were charged most. */
  models: UsageReportRow[]
  keys: UsageReportRow[]
  /** The five budgets with the largest share spent. */
  budgets: BudgetState[]
  attention: Concern[]
  /** Which steps of a first run are done: a real channel, a price for one of its models (administrators), a key, any request. */
  first: { channel: boolean | null; price: boolean | null; key: boolean; request: boolean }
}

/** What can change. Pages reload what they show; an event carries no values. */
export const topics = [
  'requests',
  'account',
  'keys',
  'users',
  'teams',
  'groups',
  'channels',
  'models',
  'prices',
  'settings',
  'alerts',
  'replays',
] as const
export type Topic = (typeof topics)[number]

/** The data of an event. */
export interface Change {
  /** Unordered, without duplicates. */
  what: Topic[]
}
