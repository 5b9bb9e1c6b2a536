/** Replays of kept requests: jobs and their items. No bodies, only figures of them. */
import { bigint, boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import type { ReplayDifference, ReplayFigures, ReplayItemState, ReplayState, ReplayTarget } from '../shared/console/replay.ts'
import { users } from './accounts.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** One row per job. */
export const replayJobs = pgTable(
  'replay_jobs',
  {
    id: text('id').primaryKey(),
    /** Null once the user is gone: nothing more is begun. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    at: instant('at').notNull(),
    group: text('group').notNull(),
    /** The team that pays; null: the user. If it is gone nothing more is begun. */
    teamId: text('team_id'),
    targets: jsonb('targets').$type<ReplayTarget[]>().notNull(),
    /** Distinct originals. */
    requests: integer('requests').notNull(),
    /** Nano-dollars. */
    ceiling: bigint('ceiling', { mode: 'bigint' }).notNull(),
    /** Nano-dollars. */
    expected: bigint('expected', { mode: 'bigint' }).notNull(),
    state: text('state').$type<ReplayState>().notNull(),
    stopAsked: boolean('stop_asked').notNull().default(false),
    finishedAt: instant('finished_at'),
  },
  (table) => [index('replay_jobs_user').on(table.userId, table.at), index('replay_jobs_state').on(table.state)],
)

/** One row per request and target. */
export const replayItems = pgTable(
  'replay_items',
  {
    jobId: text('job_id')
      .notNull()
      .references(() => replayJobs.id, { onDelete: 'cascade' }),
    n: integer('n').notNull(),
    originalId: text('original_id').notNull(),
    target: integer('target').notNull(),
    state: text('state').$type<ReplayItemState>().notNull(),
    /** The id of the new request, written before it is sent; never sent twice. */
    replayId: text('replay_id'),
    /** When it was begun, by that process's clock. */
    begunAt: instant('begun_at'),
    error: jsonb('error').$type<{ code: string; message: string }>(),
    exact: boolean('exact').notNull().default(false),
    /** Nano-dollars. */
    expected: bigint('expected', { mode: 'bigint' }).notNull(),
    /** Nano-dollars; null while unknown. */
    charged: bigint('charged', { mode: 'bigint' }),
    original: jsonb('original').$type<ReplayFigures>(),
    result: jsonb('result').$type<ReplayFigures>(),
    difference: jsonb('difference').$type<ReplayDifference>(),
  },
  (table) => [
    primaryKey({ columns: [table.jobId, table.n] }),
    index('replay_items_original').on(table.originalId),
    index('replay_items_replay').on(table.replayId),
  ],
)
