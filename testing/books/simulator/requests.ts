/** One request as a client and the relay make it: hold, deliver, top up, settle, and what the client knows of it. */
import type { Account } from '#billing/lease/account'
import type { LeasedBooks } from '#billing/ledger/leased-books'
import { GatewayError } from '#shared/errors'
import { usageRow } from '#testing/usage-row'
import type { Process } from './simulated-process.ts'
import type { Heard } from './verdict.ts'

/** Times are milliseconds, amounts nano-dollars. */
export interface Request {
  id: string
  accounts: readonly Account[]
  hold: bigint
  /** The top-up while it streams; 0: none. */
  grow: bigint
  /** Its cost, in tenths of what is held in the end. */
  tenths: bigint
  /** Fails before there is any content. */
  fails: boolean
  firstMs: number
  restMs: number
}

export type Outcome = 'done' | 'refused' | 'unavailable' | 'full'

/** Runs within the process: what has not ended when that is killed never ends. */
export async function ask(request: Request, process: Process, books: LeasedBooks, heard: Heard): Promise<Outcome> {
  const { id, accounts, hold, grow, tenths, fails, firstMs, restMs } = request
  const { clock } = process
  const userId = accounts[0]?.id ?? ''
  const at = new Date(clock.now())
  const row = (cost: bigint, end: 'complete' | 'error' = 'complete') => usageRow({ requestId: id, at, userId, keyId: userId, cost, end })
  const holding = (amount: bigint) => {
    const mine = heard.held.get(process) ?? new Map<string, bigint>()
    heard.held.set(process, mine)
    for (const account of accounts) mine.set(account.id, (mine.get(account.id) ?? 0n) + amount)
  }
  try {
    await books.hold(id, accounts, hold)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    heard.refused.add(id)
    await books.record(row(0n, 'error'))
    return thrown.code === 'insufficient_quota' ? 'refused' : thrown.code === 'journal_full' ? 'full' : 'unavailable'
  }
  holding(hold)
  await clock.sleep(firstMs)
  if (fails) {
    holding(-hold)
    await books.release(row(0n, 'error'))
    heard.begun.set(id, 0n)
    heard.done.set(id, 0n)
    return 'done'
  }
  const half = hold / 2n
  books.progress(row(half, 'error'))
  heard.begun.set(id, half)
  const grown = grow > 0n && (await books.grow(id, grow).catch(() => false)) ? grow : 0n
  holding(grown)
  await clock.sleep(restMs)
  const cost = half + ((hold + grown - half) * tenths) / 10n
  holding(-hold - grown)
  await books.settle(row(cost))
  heard.done.set(id, cost)
  return 'done'
}
