/** One request as a client and the relay make it: hold, deliver, top up and settle, recording what the client knows. */
import type { Account } from '#billing/lease/account'
import type { LeasedBooks } from '#billing/ledger/leased-books'
import { GatewayError } from '#shared/errors'
import { usageRow } from '#testing/usage-row'
import type { Process } from './simulated-process.ts'
import type { ClientRecord } from './verdict.ts'

/** The plan of one request. Times are milliseconds, amounts nano-dollars. */
export interface Request {
  id: string
  accounts: readonly Account[]
  hold: bigint
  /** The top-up during the stream; 0 = none. */
  grow: bigint
  /** The part of the second half of its hold that it costs, in tenths. */
  tenths: bigint
  /** Fails before any content. */
  fails: boolean
  firstMs: number
  restMs: number
}

/** How a request ended. */
export type Outcome = 'done' | 'refused' | 'unavailable' | 'full'

/** Runs the request within the process; the promise never settles if that is killed first. `granted`: called at the grant. */
export async function ask(
  request: Request,
  process: Process,
  books: LeasedBooks,
  record: ClientRecord,
  granted = () => {},
): Promise<Outcome> {
  const { id, accounts, hold, grow, tenths, fails, firstMs, restMs } = request
  const { clock } = process
  const userId = accounts[0]?.id ?? ''
  const memberId = accounts.find(({ budget }) => budget?.of === 'member')?.budget?.ofId ?? null
  const at = new Date(clock.now())
  const row = (cost: bigint, end: 'complete' | 'error' = 'complete') =>
    usageRow({ requestId: id, at, userId, memberId, keyId: userId, cost, end })
  const holding = (amount: bigint) => {
    const mine = record.held.get(process) ?? new Map<string, bigint>()
    record.held.set(process, mine)
    for (const account of accounts) mine.set(account.id, (mine.get(account.id) ?? 0n) + amount)
  }
  try {
    await books.hold(id, accounts, hold)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    record.refused.add(id)
    await books.record(row(0n, 'error'))
    return thrown.code === 'insufficient_quota' ? 'refused' : thrown.code === 'journal_full' ? 'full' : 'unavailable'
  }
  granted()
  holding(hold)
  await clock.sleep(firstMs)
  if (fails) {
    holding(-hold)
    await books.release(row(0n, 'error'))
    record.begun.set(id, 0n)
    record.done.set(id, 0n)
    return 'done'
  }
  const half = hold / 2n
  books.progress(row(half, 'error'))
  record.begun.set(id, half)
  const grown = grow > 0n && (await Promise.resolve(books.grow(id, grow)).catch(() => false)) ? grow : 0n
  if (grown > 0n) granted()
  holding(grown)
  await clock.sleep(restMs)
  const cost = half + ((hold + grown - half) * tenths) / 10n
  holding(-hold - grown)
  await books.settle(row(cost))
  record.done.set(id, cost)
  return 'done'
}
