/** One usage row per request. Names are kept as they were, so that a row outlives what it speaks of. */
import { bigint, boolean, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { AttemptRow, LogRow, LossRow, UsageRow } from '../shared/console/log.ts'
import type { End, Operation, Provenance, Wire } from '../shared/ids.ts'

export const logs = pgTable(
  'logs',
  {
    requestId: text('request_id').primaryKey(),
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
  },
  (table) => [
    // `nullsFirst` is what a plain descending order means; without it these would not serve one.
    index('logs_at').on(table.at.desc().nullsFirst(), table.requestId.desc().nullsFirst()),
    index('logs_user_at').on(table.userId, table.at.desc().nullsFirst(), table.requestId.desc().nullsFirst()),
  ],
)
