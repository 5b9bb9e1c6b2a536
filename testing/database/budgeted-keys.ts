/** Many keys with a daily budget each, as after a day on which all of them were used, generated in the database. */
import postgres from 'postgres'

/** Properties of the keys. */
export interface BudgetedKeys {
  count: number
  /** Nano-dollars a day. */
  limit: bigint
  /** Nano-dollars of each wallet; ten keys share one. */
  balance: bigint
  /** The day (UTC) whose windows are open, and have nothing charged. */
  day: Date
}

/** The key with this number, from 1. */
export const budgetedKey = (n: number): string => `sk-budgeted-${String(n).padStart(8, '0')}`

/** Adds the keys, their users, wallets and windows to a PostgreSQL database with this build's schema. */
export async function putBudgetedKeys(databaseUrl: string, { count, limit, balance, day }: BudgetedKeys): Promise<void> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  const [from, until] = [day.toISOString(), new Date(day.getTime() + 86_400_000).toISOString()]
  const usd = `${limit / 1_000_000_000n}.${String(limit % 1_000_000_000n).padStart(9, '0')}`
  const users = Math.ceil(count / 10)
  try {
    await client.begin(async (tx) => {
      await tx`
        insert into users (id, name, "group", groups, created_at)
        select 'u' || n, 'user ' || n, 'default', '{default}', ${from}::timestamptz from generate_series(1, ${users}) n`
      await tx`insert into accounts (id, free) select 'u' || n, ${String(balance)}::bigint from generate_series(1, ${users}) n`
      await tx`
        insert into entries (wallet_id, amount, kind, ref, actor, reason, at)
        select 'u' || n, ${String(balance)}::bigint, 'grant', 'grant:u' || n, 'test', 'test', ${from}::timestamptz from generate_series(1, ${users}) n`
      await tx`
        insert into api_keys (id, user_id, name, digest, hint, budget, created_at)
        select 'k' || n, 'u' || 1 + (n - 1) / 10, 'key ' || n, encode(sha256(('sk-budgeted-' || lpad(n::text, 8, '0'))::bytea), 'hex'), 'sk-...',
          jsonb_build_object('daily', ${usd}::text), ${from}::timestamptz from generate_series(1, ${count}) n`
      await tx`
        insert into accounts (id, kind, free, "limit", "of", of_id, "from", until)
        select 'budget:key:k' || n || ':day:' || ${day.toISOString()}::text, 'budget', ${String(limit)}::bigint, ${String(limit)}::bigint, 'key', 'k' || n,
          ${from}::timestamptz, ${until}::timestamptz from generate_series(1, ${count}) n`
    })
    await client`analyze accounts`
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** How many windows of budgets begin at this instant and are open. */
export async function openedWindows(databaseUrl: string, from: Date): Promise<number> {
  const client = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const [row] = await client<{ n: number }[]>`
      select count(*)::int as n from accounts where kind = 'budget' and "from" = ${from.toISOString()}::timestamptz`
    return row?.n ?? 0
  } finally {
    await client.end({ timeout: 5 })
  }
}
