/** How much this instance has on lease, for operators. Pure. */
import type { MoneyLease } from './money-lease.ts'

/** All leases of one kind of account; amounts are nano-dollars. */
export interface LeaseLevel {
  leases: number
  leased: bigint
  /** Held for open requests; a request has a hold in its wallet and in each of its budgets. */
  held: bigint
}

/** Leases on wallets and on budgets, and how many holds wait for either. */
export interface LeaseLevels {
  wallets: LeaseLevel
  budgets: LeaseLevel
  waiting: number
}

/** Adds them up. */
export function leaseLevels(leases: Iterable<Pick<MoneyLease, 'budget' | 'leased' | 'held'>>, waiting: number): LeaseLevels {
  const levels: LeaseLevels = { wallets: none(), budgets: none(), waiting }
  for (const { budget, leased, held } of leases) {
    const level = budget ? levels.budgets : levels.wallets
    level.leases += 1
    level.leased += leased
    level.held += held
  }
  return levels
}

const none = (): LeaseLevel => ({ leases: 0, leased: 0n, held: 0n })
