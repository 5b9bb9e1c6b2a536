/**
 * One usage row per request. Names are kept as they were, so that a row outlives what it speaks of. Partitioned by the month of
 * `at` in UTC (the migration named `usage`), which this file cannot say; a request id is unique among the rows of its instant.
 * A column that is added later must allow null: rows also come out of journals that do not know it.
 */
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { AttemptRow, BillLine, LogRow, LossRow, UsageRow } from '../shared/console/log.ts'
import type { PriceFields } from '../shared/console/price.ts'
import type { End, Operation, Provenance, Wire } from '../shared/ids.ts'

export const logs = pgTable(
  'logs',
  {
    requestId: text('request_id').notNull(),
    at: timestamp('at', { withTimezone: true, mode: 'date' }).notNull(),
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
    error: jsonb('error').$type<{ code: string; message: string }>(),
    usage: jsonb('usage').$type<UsageRow>(),
    provenance: text('provenance').$type<Provenance>(),
    /** Nano-dollars: what the request costs by its price snapshot. */
    cost: bigint('cost', { mode: 'bigint' }).notNull(),
    /** Nano-dollars: what was taken from the wallet; below `cost` only when the balance could not cover it. */
    charged: bigint('charged', { mode: 'bigint' }).notNull(),
    price: jsonb('price').$type<NonNullable<LogRow['price']>>(),
    losses: jsonb('losses').$type<LossRow[]>().notNull(),
    firstTokenMs: integer('first_token_ms'),
    totalMs: integer('total_ms').notNull(),
    attempts: jsonb('attempts').$type<AttemptRow[]>().notNull(),
    /** Nano-dollars: what the upstream charges by what its channel says; null where it does not say. */
    upstreamCost: bigint('upstream_cost', { mode: 'bigint' }),
    upstreamPrice: jsonb('upstream_price').$type<PriceFields>(),
    /** What was used at which price, where `usage` and `price` cannot tell: each answer of a session is priced by itself. */
    lines: jsonb('lines').$type<BillLine[]>(),
  },
  (table) => [
    primaryKey({ columns: [table.at, table.requestId] }),
    index('logs_request').on(table.requestId),
    // `nullsFirst` is what a plain descending order means; without it this would not serve one.
    index('logs_user_at').on(table.userId, table.at.desc().nullsFirst(), table.requestId.desc().nullsFirst()),
    index('logs_key_at').on(table.keyId, table.at),
    index('logs_group_at').on(table.group, table.at),
    index('logs_model_at').on(table.model, table.at),
    index('logs_channel_at').on(table.channel, table.at),
  ],
)
