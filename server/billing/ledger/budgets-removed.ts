/** Deletes accounts of budgets that were removed or changed their windows, so that their owners' lines take the usual path again. */

import { budgetAccounts } from './budgets.ts'
import type { AheadParts } from './budgets-ahead.ts'

const looked = 1_000

/** Deletes the accounts of budgets that no owner has any more and of which nothing is on lease; resolves to how many. */
export async function removeOldBudgets({ database, clock, budgetOf }: AheadParts): Promise<number> {
  if (!budgetOf) return 0
  const now = clock.now()
  let [removed, after] = [0, '']
  for (;;) {
    const opened = await database.openedBudgets({ now: new Date(now), most: looked, after })
    const old = opened.filter(({ account, of, ofId, from }) => {
      const budget = budgetOf(of, ofId)
      // The budget of an owner unknown here is unknown.
      if (budget === undefined) return false
      // A window opened ahead counts as of its own start.
      const present = budgetAccounts([{ of, id: ofId, budget }], Math.max(now, from?.getTime() ?? now))
      return !present.some(({ id }) => id === account)
    })
    if (old.length > 0) removed += await database.removeBudgets(old.map(({ account }) => account))
    const last = opened.at(-1)
    if (opened.length < looked || !last) return removed
    after = last.account
  }
}
