/** GET /v1/key: what the holder of an API key may know of it without an account. */
import type { BudgetLeft, Limits } from './limits.ts'

/** The answer. */
export interface KeyFacts {
  name: string
  group: string
  /** The models that it may ask for now. */
  models: string[]
  /** RFC 3339; null: never. */
  expiresAt: string | null
  /** USD charged to this key since it was made. */
  spent: string
  /** What is left of its own budget; null without one. Those of its user and group may be smaller. */
  budgetLeft: BudgetLeft | null
  limits: Limits | null
}
