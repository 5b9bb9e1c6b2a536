/**
 * Books in memory with the contract of the real ones, that look at every entry: each hold is closed once, each request has one
 * row, nobody holds what he does not have, and what is noted on the way is what a crash could charge.
 */
import type { Books, NewLog } from '#billing/ledger/books'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'

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
  random: Seeded
  journal: Journal
  /** Nano-dollars by user. */
  balances: ReadonlyMap<string, bigint>
  /** Nano-dollars that no request can need. */
  ceiling: bigint
  /** Nano-dollars that may come between two looks at the bill: what a stream is ahead of its hold while that cannot grow. */
  slack: bigint
  /** May this request cost more than was held for it? */
  mayExceed(requestId: string): boolean
  /** Has the upstream finished its answer? What was estimated so far is then told or counted, and may be less. */
  finished(requestId: string): boolean
}

interface Hold {
  wallet: Wallet
  user: string
  amount: bigint
  /** Questions for more that are open, and whether one was refused: then less is asked for at a time, and later. */
  asking: number
  refused: boolean
  /** The last note of how far it is. */
  noted: bigint
}

export function createLedger({ clock, random, journal, balances, ceiling, slack, mayExceed, finished }: LedgerParts): Ledger {
  const wallets = new Map<string, Wallet>([...balances].map(([id, balance]) => [id, { balance, held: 0n }]))
  const holds = new Map<string, Hold>()
  const opened = new Set<string>()
  const rows = new Map<string, NewLog>()

  const away = () => new GatewayError('books_unavailable', 'The books are away.')
  const trip = async () => {
    if (oneIn(random, 2)) await clock.sleep(random.pick([0, 250, 1000]))
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
    const { wallet } = hold
    wallet.held -= hold.amount
    const free = wallet.balance - wallet.held
    // Nobody is charged more than he has.
    wallet.balance -= charge < free ? charge : free
    judgeCost(row, hold, charge, 'costs')
  }

  function judgeCost({ requestId }: NewLog, hold: Hold, cost: bigint, how: string): void {
    if (mayExceed(requestId)) return
    const allowed = hold.amount + (hold.asking > 0 || hold.refused ? slack : 0n)
    journal.holds(cost <= allowed, `${requestId} ${how} ${cost}, more than the ${hold.amount} that are held`)
  }

  async function grown(requestId: string, hold: Hold, extra: bigint): Promise<boolean> {
    await trip()
    if (oneIn(random, 20)) throw away()
    if (holds.get(requestId) !== hold || hold.wallet.balance - hold.wallet.held < extra) return false
    hold.amount += extra
    hold.wallet.held += extra
    journal.note(`${requestId} holds ${hold.amount}`)
    journal.holds(hold.amount <= ceiling, `${requestId} holds ${hold.amount}, more than anything costs`)
    return true
  }

  return {
    rows,
    async hold(requestId, accounts, amount) {
      const user = accounts[0]?.id ?? ''
      await trip()
      if (oneIn(random, 60)) throw away()
      const wallet = wallets.get(user)
      if (!wallet || wallet.balance - wallet.held < amount) throw new GatewayError('insufficient_quota', 'No money.')
      journal.holds(!opened.has(requestId), `${requestId} is held for twice`)
      opened.add(requestId)
      holds.set(requestId, { wallet, user, amount, asking: 0, refused: false, noted: 0n })
      wallet.held += amount
      await trip()
    },
    async grow(requestId, extra) {
      journal.holds(extra > 0n, `${requestId} asks for ${extra} more`)
      const hold = holds.get(requestId)
      if (!hold) return false
      hold.asking += 1
      let given = false
      try {
        given = await grown(requestId, hold, extra)
      } finally {
        hold.asking -= 1
        hold.refused ||= !given
      }
      return given
    },
    progress(row) {
      const { requestId, cost } = row
      const hold = holds.get(requestId)
      journal.holds(hold !== undefined, `${requestId} goes on although it is settled`)
      if (!hold || mayExceed(requestId)) return
      const { noted } = hold
      hold.noted = cost
      // Whether it goes on is decided by counting, what is noted is estimated: up to a third more.
      judgeCost(row, hold, (cost * 3n) / 4n, 'has come to')
      journal.holds(cost >= noted || finished(requestId), `${requestId} has come to ${cost}, less than the ${noted} of before`)
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
        journal.holds(balance >= held, `${user} has ${held} held of ${balance}`)
      }
    },
    open: () => holds.size,
  }
}
