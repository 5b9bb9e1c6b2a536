/** Teams: wallets that several users spend from. Who they are: `teamMembers` of `accounts.ts`. */
import { boolean, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Budget, Limits } from '../shared/console/limits.ts'
import type { HeldPlan } from '../shared/console/selling.ts'
import type { Managed } from '../shared/ids.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/**
 * Teams. To the books a team is a payer like a user: its id is that of its wallet, and the `user_id` of the usage rows that it paid. Ids
 * begin with `team_`, which no user's does.
 */
export const teams = pgTable('teams', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  group: text('group').notNull().default('default'),
  /** Always contains `group`. */
  groups: text('groups').array().notNull(),
  /** Names and patterns; null = every model of its groups. */
  models: text('models').array(),
  budget: jsonb('budget').$type<Budget>(),
  limits: jsonb('limits').$type<Limits>(),
  /** The plan it has or had last, as it was given. */
  plan: jsonb('plan').$type<HeldPlan>(),
  /** A value of the identity provider's claim of groups: whoever signs in with it belongs to the team. Null = nobody by that. */
  claim: text('claim'),
  enabled: boolean('enabled').notNull().default(true),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})
