/** Opens tomorrow's budgets ahead, a few at a time, so that midnight causes no burst. */
import type { Account, BudgetWindow } from '#billing/lease/account'
import type { Clock } from '#runtime/clock'
import type { BooksDatabase } from './books-database.ts'
import { budgetAccounts, type Terms } from './budgets.ts'

/** How long before its beginning a window is opened, in milliseconds. */
const aheadMs = 2 * 3_600_000
/** Budgets in one transaction, and the pause for others between two. */
const budgetsPerCall = 10
const pauseMs = 20
const looked = 500

/** Dependencies. */
export interface AheadParts {
  database: BooksDatabase
  clock: Clock
  /** The current budget of a key, user or group; undefined: nothing is opened ahead. */
  budgetOf: ((of: BudgetWindow['of'], id: string) => Terms | null | undefined) | undefined
}

/** Opens the next window of every budget used in one that ends soon; resolves to how many. */
export async function openBudgetsAhead({ database, clock, budgetOf }: AheadParts): Promise<number> {
  if (!budgetOf) return 0
  const now = clock.now()
  let [opened, after] = [0, '']
  for (;;) {
    const ending = await database.endingBudgets({ from: new Date(now), till: new Date(now + aheadMs), most: looked, after })
    const next = ending.flatMap(({ account, of, ofId, until }): Account[] => {
      const budget = budgetOf(of, ofId)
      if (!budget) return []
      // The id of the key, user or group may have colons of its own.
      const [span] = account.slice(`budget:${of}:${ofId}:`.length).split(':')
      return budgetAccounts([{ of, id: ofId, budget }], until.getTime()).filter((one) => one.budget?.span === span)
    })
    for (let at = 0; at < next.length; at += budgetsPerCall) {
      const some = next.slice(at, at + budgetsPerCall)
      await database.openBudgets(some.map(({ id, budget }) => ({ account: id, budget })))
      opened += some.length
      await clock.sleep(pauseMs)
    }
    const last = ending.at(-1)
    if (ending.length < looked || !last) return opened
    after = last.account
  }
}
