/**
 * What usage rows add up to, by hour (UTC), user, key, group, model and channel. Sums of an hour that has a mark are out of date.
 * They outlive the usage rows; what comes late to them then is one row more. They are `numeric`: an upstream may name any figure.
 */
import { bigint, index, jsonb, numeric, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const hour = () => timestamp('hour', { withTimezone: true, mode: 'date' }).notNull()

export const usageHours = pgTable(
  'usage_hours',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    hour: hour(),
    userId: text('user_id').notNull(),
    /** Empty: without a key. */
    keyId: text('key_id').notNull(),
    /** A name that the key had. */
    key: text('key'),
    group: text('group').notNull(),
    model: text('model').notNull(),
    /** Empty: no channel answered. */
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
    /** Nano-dollars, as the three below. */
    cost: numeric('cost').notNull(),
    charged: numeric('charged').notNull(),
    /** Of the requests whose channel says what it costs; null where none does. */
    upstreamCost: numeric('upstream_cost'),
    /** `cost - upstream_cost` of the same requests. */
    margin: numeric('margin'),
    /** How many requests took how long: a count by slot, as `usage-facts.ts` of the store makes them. */
    totalMs: jsonb('total_ms').$type<Record<string, number>>().notNull(),
    firstTokenMs: jsonb('first_token_ms').$type<Record<string, number>>().notNull(),
  },
  (table) => [
    index('usage_hours_hour').on(table.hour),
    // For budgets that begin: what was charged to one of them is in the index itself.
    index('usage_hours_key').on(table.keyId, table.hour, table.charged),
    index('usage_hours_user').on(table.userId, table.hour, table.charged),
    index('usage_hours_group').on(table.group, table.hour, table.charged),
  ],
)

/** One for every hour that a statement wrote usage rows of, made by a trigger. */
export const usageMarks = pgTable('usage_marks', {
  id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  hour: hour(),
})
