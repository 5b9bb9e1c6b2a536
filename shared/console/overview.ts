/** GET /api/overview and GET /api/events: the figures of today against the same time last week, or of some days against those before, and what needs attention. */
import type { HealthRow } from './channel.ts'
import type { UsageReportRow, UsageTotals } from './usage.ts'

/** How much of a budget is spent: `share` of `limit`, in USD, in the window of which the largest share is. */
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
  /** A channel, a key of it or a model of it rests, or is tried carefully after that (`half-open`). */
  | ({ kind: 'rest'; channel: { id: string; name: string } } & HealthRow)
  /** An enabled channel whose last test of this model failed, by hand or by a check. As the instance that answers has seen it. */
  | { kind: 'fails'; channel: { id: string; name: string }; model: string; cause: string; at: string }
  /** A model that enabled channels offer and that has no price, so nobody can call it. */
  | { kind: 'unpriced'; model: string }
  /** A budget of which 80 percent or more are spent: `share` of `limit`, in USD. */
  | ({ kind: 'budget' } & BudgetState)
  /** A model whose requests of today cost more than they brought, in USD. */
  | { kind: 'loses'; model: string; margin: string }
  /** The caller's balance is less than today's spend. */
  | { kind: 'low'; balance: string; spend: string }
  /** An enabled key that expires within a week. */
  | { kind: 'expires'; id: string; name: string; at: string }

/** The answer. Rows are of the caller; for administrators of everybody. */
export interface Overview {
  at: string
  timezone: string
  /** 1 for today, 7 or 30 for so many days with today. */
  days: number
  /** These days until now. */
  now: UsageTotals
  /** The same time of the same day a week ago; of more days, as many before them. */
  before: UsageTotals
  /** The first instants of today's hours until now; of more days, their dates. */
  steps: string[]
  /** By hour, or by day where there are more. */
  hours: UsageReportRow[]
  /** The whole day a week ago, or the days before. */
  hoursBefore: UsageReportRow[]
  /** The hours or days again, of each of these five models. */
  hoursByModel: UsageReportRow[]
  /** Five that were charged most. */
  models: UsageReportRow[]
  keys: UsageReportRow[]
  /** Five budgets of which the largest share is spent. */
  budgets: BudgetState[]
  attention: Concern[]
  /** What is there of a first run: a real channel, a price for one of its models (administrators), a key, a request ever. */
  first: { channel: boolean | null; price: boolean | null; key: boolean; request: boolean }
}

/** What can change. Pages read again what they show; an event has no values. */
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
  /** In no order, each once. */
  what: Topic[]
}
