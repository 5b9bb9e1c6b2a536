/**
 * One usage row per request. Names are copied, so that a row outlives the objects it refers to. Partitioned by the month of `at` in UTC
 * (the migration named `usage`), which Drizzle's schema cannot express; a request id is unique among the rows of the same `at`. Columns
 * added later must be nullable: rows also come from journals written by earlier versions.
 *
 * A row is written once and read rarely, so it is as cheap as possible to write: values only read with their row are one text
 * (`detail`), summed values are an array of numbers (`figures`), and the only indexes that order rows are those that
 * budgets and users need. All other filters use `logs_filters` and `logs_upstream_models`, BRIN indexes of the migrations named
 * `row_costs` and `upstream_models`, which Drizzle's schema cannot express either.
 */
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, numeric, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { AttemptRow, BillLine, LogRow, LossRow, UsageRow } from '../shared/console/log.ts'
import type { PriceFields } from '../shared/console/price.ts'
import type { End, Operation, Provenance, Wire } from '../shared/ids.ts'

/** Usage rows. */
export const logs = pgTable(
  'logs',
  {
    requestId: text('request_id').notNull(),
    at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull(),
    /** Who pays: a user, or a team. */
    userId: text('user_id').notNull(),
    keyId: text('key_id'),
    key: text('key'),
    group: text('group').notNull(),
    model: text('model').notNull(),
    upstreamModel: text('upstream_model'),
    channel: text('channel'),
    operation: text('operation').$type<Operation>().notNull(),
    dialect: text('dialect').$type<Wire>().notNull(),
    stream: boolean('stream').notNull(),
    status: integer('status').notNull(),
    end: text('end').$type<End>().notNull(),
    error: jsonb('error').$type<NonNullable<LogRow['error']>>(),
    /** Null in rows that have a `detail`, as are `price`, `attempts` and `upstreamPrice`. */
    usage: jsonb('usage').$type<UsageRow>(),
    provenance: text('provenance').$type<Provenance>(),
    /** Nano-dollars: the cost of the request at its price snapshot. */
    cost: bigint('cost', { mode: 'bigint' }).notNull(),
    /** Nano-dollars: what the wallet was charged; less than `cost` only when the balance was insufficient. */
    charged: bigint('charged', { mode: 'bigint' }).notNull(),
    price: jsonb('price').$type<NonNullable<LogRow['price']>>(),
    losses: jsonb('losses').$type<LossRow[]>().notNull(),
    firstTokenMs: integer('first_token_ms'),
    totalMs: integer('total_ms').notNull(),
    attempts: jsonb('attempts').$type<AttemptRow[]>(),
    /** Nano-dollars: what the upstream charges, according to its channel's prices; null where the channel has none. */
    upstreamCost: bigint('upstream_cost', { mode: 'bigint' }),
    upstreamPrice: jsonb('upstream_price').$type<PriceFields>(),
    /** Bill lines where `usage` and `price` are not enough: each answer of a realtime session is priced separately. */
    lines: jsonb('lines').$type<BillLine[]>(),
    /** JSON: an object with `usage`, `price`, `attempts`, `upstreamPrice` and `replayOf`, without nulls. Null in older rows. */
    detail: text('detail'),
    /** The summed figures of `usage`, in the order of `usage-facts.ts` of the store, without trailing zeros. Null in older rows. */
    figures: numeric('figures').array(),
    /** If a team pays: the id in `team_members` of the member whose cap applies; null where there is none any more. */
    memberId: text('member_id'),
  },
  (table) => [
    primaryKey({ columns: [table.at, table.requestId] }),
    // `nullsFirst` matches PostgreSQL's default for descending order; without it the index would not serve such a query.
    index('logs_user_at').on(table.userId, table.at.desc().nullsFirst(), table.requestId.desc().nullsFirst()),
    index('logs_key_at').on(table.keyId, table.at),
  ],
)

/**
 * Rows whose charge may still change: requests that a takeover of a data folder wrote as interrupted although their process may be alive.
 * Their real end replaces the row, once, within a day.
 */
export const unsettled = pgTable('unsettled', {
  requestId: text('request_id').primaryKey(),
  at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull(),
  since: timestamp('since', { withTimezone: true, mode: 'date' }).notNull().default(sql`clock_timestamp()`),
})
