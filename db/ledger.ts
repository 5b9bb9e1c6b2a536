/** Money: accounts, and the append-only entries behind every wallet. All amounts in nano-dollars. */
import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { EntryKind } from '../shared/ids.ts'

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

/** Kinds of accounts. */
export const accountKinds = ['wallet', 'budget'] as const
/** What a budget can limit. `user`: the payer, so also a team; `member`: a user within a team. */
export const budgetOwners = ['key', 'user', 'group', 'member'] as const

/**
 * Accounts that pay for requests. For a wallet `free + leases = sum(entries)`; for a budget `limit - free - leases` is the sum charged
 * in its window to its key, user, team, member or group. Neither sum is stored anywhere else.
 */
export const accounts = pgTable(
  'accounts',
  {
    /** The id of the user or team for a wallet. */
    id: text('id').primaryKey(),
    kind: text('kind', { enum: accountKinds }).notNull().default('wallet'),
    /** The amount still available to any instance. Negative only for a budget: it was lowered, or usage was charged before it existed. */
    free: bigint('free', { mode: 'bigint' }).notNull().default(sql`0`),
    /** The following columns are for budgets only: the limit, whose usage counts, and when. */
    limit: bigint('limit', { mode: 'bigint' }),
    of: text('of', { enum: budgetOwners }),
    ofId: text('of_id'),
    from: instant('from'),
    until: instant('until'),
  },
  (table) => [
    // For budgets that end soon, or ended long ago. Queries for an owner's budgets must not use it: where statistics show
    // no budgets, reading all of it looks as cheap as the index of owners.
    index('accounts_until').on(table.until).where(sql`${table.kind} = 'budget' and ${table.until} is not null`),
    index('accounts_budgets').on(table.ofId, table.of).where(sql`${table.kind} = 'budget'`),
    check('accounts_not_overdrawn', sql`${table.kind} = 'budget' or ${table.free} >= 0`),
    check(
      'accounts_budget_terms',
      sql`(${table.kind} = 'budget') = (${table.limit} is not null and ${table.of} is not null and ${table.ofId} is not null)`,
    ),
  ],
)

/**
 * Append-only: a trigger refuses update, delete and truncate. Triggers of the migration named `row_costs` ensure that the
 * wallets of entries exist: a foreign key would look up the wallet of every request's entry, which has just been charged.
 */
export const entries = pgTable(
  'entries',
  {
    id: bigint('id', { mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    walletId: text('wallet_id').notNull(),
    /** Positive adds to the balance, negative takes from it. */
    amount: bigint('amount', { mode: 'bigint' }).notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    /**
     * The cause of the entry; makes every posting idempotent: `usage:<request id>`, `grant:<user id>`, `credit:<key>`, `code:<code id>`,
     * `payment:<reference>`, `refund:<reference>`.
     */
    ref: text('ref').notNull().unique(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    at: instant('at').notNull(),
  },
  (table) => [index('entries_wallet').on(table.walletId, table.id).where(sql`${table.kind} <> 'usage'`)],
)
