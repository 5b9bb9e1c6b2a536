/**
 * Budgets that no owner has any more. While one has an account, every line of its owner is processed separately, because it is charged
 * there too. Removing the account loses nothing: a restored budget begins with what was charged in its window.
 */
import { and, asc, eq, gt, inArray, isNull, notExists, or } from 'drizzle-orm'
import { leases } from '#db/leases'
import { accounts } from '#db/ledger'
import type { Store } from '#store/engine/store'

/** The account of a budget whose window is not over. */
export interface OpenedBudget {
  account: string
  of: 'key' | 'user' | 'group' | 'member'
  ofId: string
  /** Null: no beginning. */
  from: Date | null
}

/** At most `most` of the budgets whose windows are not over at this instant, in the order of their accounts. */
export async function openedBudgets({ db }: Pick<Store, 'db'>, now: Date, most: number, after = ''): Promise<OpenedBudget[]> {
  const rows = await db
    .select({ account: accounts.id, of: accounts.of, ofId: accounts.ofId, from: accounts.from })
    .from(accounts)
    .where(and(eq(accounts.kind, 'budget'), gt(accounts.id, after), or(isNull(accounts.until), gt(accounts.until, now))))
    .orderBy(asc(accounts.id))
    .limit(most)
  return rows.flatMap(({ of, ofId, ...row }) => (of === null || ofId === null ? [] : [{ of, ofId, ...row }]))
}

/** Deletes the accounts of these budgets, except those with leases; resolves to how many. */
export async function removeBudgets({ db }: Pick<Store, 'db'>, ids: readonly string[]): Promise<number> {
  const leased = db.select().from(leases).where(eq(leases.accountId, accounts.id))
  const isThere = and(eq(accounts.kind, 'budget'), inArray(accounts.id, [...ids]))
  return (
    await db
      .delete(accounts)
      .where(and(isThere, notExists(leased)))
      .returning({ id: accounts.id })
  ).length
}
