/** Teams: wallets that several users spend from. Members: `teamMembers` of `accounts.ts`. */
import { boolean, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Budget, Limits } from '../shared/console/limits.ts'
import type { HeldPlan } from '../shared/console/selling.ts'
import type { Managed } from '../shared/ids.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/**
 * Teams. To the books a team is a payer like a user: its id is that of its wallet, and the `user_id` of the usage rows that it paid. Only
 * team ids begin with `team_`.
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
  /** The current or last plan, as it was given. */
  plan: jsonb('plan').$type<HeldPlan>(),
  /** A value of the identity provider's group claim: users who sign in with it belong to the team. Null = no one joins by a claim. */
  claim: text('claim'),
  enabled: boolean('enabled').notNull().default(true),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})
