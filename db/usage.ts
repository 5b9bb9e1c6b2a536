/**
 * Hourly sums (UTC) of usage rows by user, member, key, group, model and channel. The sums of an hour with a mark are out of date. Sums
 * outlive the usage rows; usage that arrives after that adds a row. Columns are `numeric`, since an upstream may report any number.
 */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, jsonb, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const hour = () => timestamp('hour', { withTimezone: true, mode: 'date' }).notNull()
const id = () => bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity()

/** The dimensions, and the sums. */
const facts = () => ({
  userId: text('user_id').notNull(),
  /** Null = paid by a user, or for a former member. */
  memberId: text('member_id'),
  /** Empty = without a key. */
  keyId: text('key_id').notNull(),
  /** One of the key's names in that hour. */
  key: text('key'),
  group: text('group').notNull(),
  model: text('model').notNull(),
  /** Empty = no channel answered. */
  channel: text('channel').notNull(),
  requests: numeric('requests').notNull(),
  errors: numeric('errors').notNull(),
  fresh: numeric('fresh').notNull(),
  cacheRead: numeric('cache_read').notNull(),
  cacheWrite: numeric('cache_write').notNull(),
  audioIn: numeric('audio_in').notNull(),
  imageIn: numeric('image_in').notNull(),
  output: numeric('output').notNull(),
  reasoning: numeric('reasoning').notNull(),
  audioOut: numeric('audio_out').notNull(),
  imageOut: numeric('image_out').notNull(),
  images: numeric('images').notNull(),
  seconds: numeric('seconds').notNull(),
  characters: numeric('characters').notNull(),
  searches: numeric('searches').notNull(),
  /** Nano-dollars, as are the next three. */
  cost: numeric('cost').notNull(),
  charged: numeric('charged').notNull(),
  /** Of the requests whose channel has upstream prices; null if there are none. */
  upstreamCost: numeric('upstream_cost'),
  /** `cost - upstream_cost` of the same requests. */
  margin: numeric('margin'),
  /** Histogram of durations: counts by slot, as defined in `usage-facts.ts` of the store. */
  totalMs: jsonb('total_ms').$type<Record<string, number>>().notNull(),
  firstTokenMs: jsonb('first_token_ms').$type<Record<string, number>>().notNull(),
})

/** Sums of one hour for one combination of keys. */
export const usageHours = pgTable(
  'usage_hours',
  {
    id: id(),
    hour: hour(),
    ...facts(),
  },
  (table) => [
    index('usage_hours_hour').on(table.hour),
    // For new budgets: an index-only scan gives the charges of their key.
    index('usage_hours_key').on(table.keyId, table.hour, table.charged),
    index('usage_hours_user').on(table.userId, table.hour, table.charged),
    index('usage_hours_group').on(table.group, table.hour, table.charged),
  ],
)

/**
 * One row for every hour in which usage rows were written, inserted by a trigger: `usage_hours` does not cover all of them yet. Since
 * the hour in `usage_parts_since`, its rows are those covered by the sums in `usage_parts`, and those that marks name.
 */
export const usageMarks = pgTable('usage_marks', {
  id: id(),
  hour: hour(),
  /** The rows that were written, by their key; null once they are in `usage_parts`. */
  ats: timestamp('ats', { withTimezone: true, mode: 'date' }).array(),
  ids: text('ids').array(),
  /** A row was deleted: only the rows are exact for this hour. */
  apart: boolean('apart').notNull().default(false),
})

/** Partial sums of usage rows of recent hours: an hour can have several sums with the same keys. */
export const usageParts = pgTable(
  'usage_parts',
  {
    id: id(),
    hour: hour(),
    ...facts(),
  },
  (table) => [index('usage_parts_hour').on(table.hour)],
)

/** One row: the hour since which `usage_parts` and the rows that marks name cover all usage rows. */
export const usagePartsSince = pgTable('usage_parts_since', {
  hour: hour(),
})

/**
 * `usage_hours` added up further, so that reports over months read little. `hours`: without users and keys. `days`: by the day (UTC).
 * `totals`: by the day, without users and keys. Exact for every day without a mark.
 */
export const usageRollups = pgTable(
  'usage_rollups',
  {
    id: id(),
    level: text('level').$type<'hours' | 'days' | 'totals'>().notNull(),
    start: timestamp('start', { withTimezone: true, mode: 'date' }).notNull(),
    ...facts(),
  },
  (table) => [
    index('usage_rollups_level').on(table.level, table.start),
    index('usage_rollups_key').on(table.keyId, table.start).where(sql`${table.level} = 'days'`),
    index('usage_rollups_user').on(table.userId, table.start).where(sql`${table.level} = 'days'`),
  ],
)

/** One row for every day (UTC) whose `usage_hours` changed, inserted by a trigger. */
export const usageRollupMarks = pgTable('usage_rollup_marks', {
  id: id(),
  day: timestamp('day', { withTimezone: true, mode: 'date' }).notNull(),
})
