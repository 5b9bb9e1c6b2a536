/**
 * Books in memory with the contract of the real ones, that look at every entry: each hold is closed once, each request has one
 * row, and nobody holds what he does not have.
 */
import type { Books, NewLog } from '#metering/books'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '../seeded.ts'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'
import type { StepClock } from './step-clock.ts'

export interface Ledger extends Books {
  /** By request id. */
  readonly rows: ReadonlyMap<string, NewLog>
  /** What every wallet must satisfy now. */
  check(): void
  /** Holds that are open. */
  open(): number
}

interface Wallet {
  balance: bigint
  held: bigint
}

export interface LedgerParts {
  clock: StepClock
  dice: Seeded
  journal: Journal
  /** Nano-dollars by user. */
  balances: ReadonlyMap<string, bigint>
  /** May this request cost more than was held for it? */
  mayExceed(requestId: string): boolean
}

export function createLedger({ clock, dice, journal, balances, mayExceed }: LedgerParts): Ledger {
  const wallets = new Map<string, Wallet>([...balances].map(([id, balance]) => [id, { balance, held: 0n }]))
  const overrun = new Set<string>()
  const holds = new Map<string, { wallet: Wallet; user: string; amount: bigint }>()
  const opened = new Set<string>()
  const rows = new Map<string, NewLog>()

  const trip = async () => {
    if (oneIn(dice, 2)) await clock.sleep(dice.pick([0, 250, 1000]))
  }

  function keep(row: NewLog): void {
    journal.holds(!rows.has(row.requestId), `${row.requestId} has a second usage row`)
    journal.holds(row.cost >= 0n, `${row.requestId} costs less than nothing`)
    rows.set(row.requestId, row)
    journal.note(`${row.requestId} ends: ${row.end} ${row.status} ${row.error?.code ?? ''} cost ${row.cost}`)
  }

  function close(row: NewLog, charge: bigint): void {
    const hold = holds.get(row.requestId)
    if (!hold) {
      journal.broken(`${row.requestId} closes a hold that is not open`)
      return
    }
    holds.delete(row.requestId)
    hold.wallet.held -= hold.amount
    hold.wallet.balance -= charge
    if (charge <= hold.amount) return
    if (mayExceed(row.requestId)) overrun.add(hold.user)
    else journal.broken(`${row.requestId} costs ${charge}, more than the ${hold.amount} that were held`)
  }

  return {
    rows,
    async hold(requestId, accounts, amount) {
      const user = accounts[0]?.id ?? ''
      await trip()
      if (oneIn(dice, 60)) throw new GatewayError('books_unavailable', 'The books are away.')
      const wallet = wallets.get(user)
      if (!wallet || wallet.balance - wallet.held < amount) throw new GatewayError('insufficient_quota', 'No money.')
      journal.holds(!opened.has(requestId), `${requestId} is held for twice`)
      opened.add(requestId)
      holds.set(requestId, { wallet, user, amount })
      wallet.held += amount
      await trip()
    },
    async grow(requestId, extra) {
      await trip()
      const hold = holds.get(requestId)
      if (!hold || hold.wallet.balance - hold.wallet.held < extra) return false
      hold.amount += extra
      hold.wallet.held += extra
      return true
    },
    progress(row) {
      journal.holds(holds.has(row.requestId), `${row.requestId} goes on although it is settled`)
    },
    async settle(row) {
      await trip()
      close(row, row.cost)
      keep(row)
      await trip()
    },
    async release(row) {
      await trip()
      journal.holds(row.cost === 0n, `${row.requestId} is released but costs ${row.cost}`)
      close(row, 0n)
      keep(row)
    },
    async record(row) {
      journal.holds(!holds.has(row.requestId), `${row.requestId} is recorded while its hold is open`)
      journal.holds(row.cost === 0n, `${row.requestId} never had a hold but costs ${row.cost}`)
      keep(row)
    },
    check() {
      for (const [user, { balance, held }] of wallets) {
        const open = [...holds.values()].filter((hold) => hold.user === user).reduce((sum, hold) => sum + hold.amount, 0n)
        journal.holds(open === held, `${user} has ${held} held, the holds say ${open}`)
        journal.holds(balance >= held || overrun.has(user), `${user} has ${held} held of ${balance}`)
      }
    },
    open: () => holds.size,
  }
}
