/** Reselling: plans, codes that are redeemed once, and credits and refunds of payment systems. Amounts in nano-dollars. */
import { bigint, boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { PlanWindow } from '../shared/console/selling.ts'
import type { Managed } from '../shared/ids.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Plans that can be given for a time. Holders have a copy: the column `plan` of users and teams. */
export const plans = pgTable('plans', {
  id: text('id').primaryKey(),
  name: text('name').notNull().unique(),
  /** The group of its holders; null = their own. */
  group: text('group'),
  windows: jsonb('windows').$type<PlanWindow[]>().notNull(),
  enabled: boolean('enabled').notNull().default(true),
  managed: text('managed').$type<Managed>().notNull().default('console'),
  createdAt: instant('created_at').notNull(),
})

/** Codes, by digest; the code itself is not stored. */
export const codes = pgTable(
  'codes',
  {
    id: text('id').primaryKey(),
    /** Codes created together. */
    batch: text('batch').notNull(),
    /** SHA-256 of its letters and digits, hexadecimal. */
    digest: text('digest').notNull().unique(),
    hint: text('hint').notNull(),
    note: text('note').notNull(),
    /** 0 where it gives a plan only. */
    value: bigint('value', { mode: 'bigint' }).notNull(),
    planId: text('plan_id').references(() => plans.id),
    days: integer('days'),
    /** Only wallets of users or teams that may use this group; null = any. */
    group: text('group'),
    /** Only this user; null = anyone. Without a foreign key: a code for a deleted user is for no one. */
    forUser: text('for_user'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
    redeemedAt: instant('redeemed_at'),
    redeemedBy: text('redeemed_by'),
    /** The wallet that got it: the id of a user or team. */
    walletId: text('wallet_id'),
  },
  (table) => [index('codes_batch').on(table.batch), index('codes_created').on(table.createdAt, table.id)],
)

/** Postings of payment systems, by their own reference. Each has one entry: `payment:<reference>` or `refund:<reference>`. */
export const credits = pgTable(
  'credits',
  {
    reference: text('reference').primaryKey(),
    walletId: text('wallet_id').notNull(),
    /** Negative for a refund. */
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    /** The original request, to distinguish a repetition from another posting under the same reference. */
    asked: text('asked').notNull(),
    reason: text('reason').notNull(),
    /** Of a refund: the reference of the credit. */
    refundOf: text('refund_of'),
    at: instant('at').notNull(),
  },
  (table) => [
    index('credits_wallet').on(table.walletId),
    index('credits_at').on(table.at, table.reference),
    index('credits_refunds').on(table.refundOf),
  ],
)
