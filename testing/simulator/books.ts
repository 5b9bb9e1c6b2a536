/**
 * In-memory books with the contract of the real ones that check every call: each hold is closed once, each request has one usage row, no
 * hold exceeds the balance, and interim progress never claims more than a crash may charge.
 */
import type { Books, NewLog } from '#billing/ledger/books'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { RunLog } from './run-log.ts'
import { oneIn } from './script.ts'

/** In-memory books, with access for the checks. */
export interface Ledger extends Books {
  /** Usage rows by request id. */
  readonly rows: ReadonlyMap<string, NewLog>
  /** Checks every wallet's invariants now. */
  check(): void
  /** Number of open holds. */
  open(): number
}

interface Wallet {
  balance: bigint
  held: bigint
}

/** What the books need from the simulation. */
export interface LedgerParts {
  clock: StepClock
  random: Seeded
  log: RunLog
  /** Nano-dollars by user id. */
  balances: ReadonlyMap<string, bigint>
  /** An upper bound in nano-dollars for any hold. */
  ceiling: bigint
  /** Nano-dollars by which a stream may exceed its hold between two checks of its running cost. */
  slack: bigint
  /** Whether this request may cost more than its hold. */
  mayExceed(requestId: string): boolean
  /** Whether the upstream has finished its answer; the final cost may then be lower than the estimate so far. */
  finished(requestId: string): boolean
}

interface Hold {
  wallet: Wallet
  user: string
  amount: bigint
  /** Top-ups in flight, and whether one was refused; later top-ups are then smaller and less frequent. */
  asking: number
  refused: boolean
  /** The cost last reported by `progress`. */
  noted: bigint
}

/** Creates the books; their delays and failures are drawn from `random`. */
export function createLedger({ clock, random, log, balances, ceiling, slack, mayExceed, finished }: LedgerParts): Ledger {
  const wallets = new Map<string, Wallet>([...balances].map(([id, balance]) => [id, { balance, held: 0n }]))
  const holds = new Map<string, Hold>()
  const opened = new Set<string>()
  const rows = new Map<string, NewLog>()

  const away = () => new GatewayError('books_unavailable', 'The books are unavailable.')
  const trip = async () => {
    if (oneIn(random, 2)) await clock.sleep(random.pick([0, 250, 1000]))
  }

  function keep(row: NewLog): void {
    log.check(!rows.has(row.requestId), `${row.requestId} has a second usage row`)
    log.check(row.cost >= 0n, `${row.requestId} has a negative cost`)
    rows.set(row.requestId, row)
    log.note(`${row.requestId} ends: ${row.end} ${row.status} ${row.error?.code ?? ''} cost ${row.cost}`)
  }

  function close(row: NewLog, charge: bigint): void {
    const hold = holds.get(row.requestId)
    if (!hold) {
      log.fail(`${row.requestId} closes a hold that is not open`)
      return
    }
    holds.delete(row.requestId)
    const { wallet } = hold
    wallet.held -= hold.amount
    const free = wallet.balance - wallet.held
    // A charge never exceeds the free balance.
    wallet.balance -= charge < free ? charge : free
    judgeCost(row, hold, charge, 'costs')
  }

  function judgeCost({ requestId }: NewLog, hold: Hold, cost: bigint, how: string): void {
    if (mayExceed(requestId)) return
    const allowed = hold.amount + (hold.asking > 0 || hold.refused ? slack : 0n)
    log.check(cost <= allowed, `${requestId} ${how} ${cost}, more than the ${hold.amount} held`)
  }

  async function grown(requestId: string, hold: Hold, extra: bigint): Promise<boolean> {
    await trip()
    if (oneIn(random, 20)) throw away()
    if (holds.get(requestId) !== hold || hold.wallet.balance - hold.wallet.held < extra) return false
    hold.amount += extra
    hold.wallet.held += extra
    log.note(`${requestId} holds ${hold.amount}`)
    log.check(hold.amount <= ceiling, `${requestId} holds ${hold.amount}, more than any request costs`)
    return true
  }

  return {
    rows,
    async hold(requestId, accounts, amount) {
      const user = accounts[0]?.id ?? ''
      await trip()
      if (oneIn(random, 60)) throw away()
      const wallet = wallets.get(user)
      if (!wallet || wallet.balance - wallet.held < amount) throw new GatewayError('insufficient_quota', 'Insufficient balance.')
      log.check(!opened.has(requestId), `${requestId} opens a second hold`)
      opened.add(requestId)
      holds.set(requestId, { wallet, user, amount, asking: 0, refused: false, noted: 0n })
      wallet.held += amount
      await trip()
    },
    drop: () => log.check(false, 'a request of the simulator is dropped'),
    async affords([payer]) {
      await trip()
      if ((wallets.get(payer?.id ?? '')?.balance ?? 0n) <= 0n) throw new GatewayError('insufficient_quota', 'Insufficient balance.')
    },
    async grow(requestId, extra) {
      log.check(extra > 0n, `${requestId} asks for ${extra} more`)
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
    // That no cost exceeds its hold is required only when money is scarce.
    hasPlenty: () => false,
    progress(row) {
      const { requestId, cost } = row
      const hold = holds.get(requestId)
      log.check(hold !== undefined, `${requestId} reports progress after it was settled`)
      if (!hold || mayExceed(requestId)) return
      const { noted } = hold
      hold.noted = cost
      // The decision to continue uses counted tokens; progress is an estimate that may be up to a third higher.
      judgeCost(row, hold, (cost * 3n) / 4n, 'has come to')
      log.check(cost >= noted || finished(requestId), `${requestId} has come to ${cost}, less than the ${noted} reported before`)
    },
    async settle(row) {
      await trip()
      close(row, row.cost)
      keep(row)
      await trip()
    },
    async release(row) {
      await trip()
      log.check(row.cost === 0n, `${row.requestId} is released but costs ${row.cost}`)
      close(row, 0n)
      keep(row)
    },
    async record(row) {
      log.check(!holds.has(row.requestId), `${row.requestId} is recorded while its hold is open`)
      log.check(row.cost === 0n, `${row.requestId} never had a hold but costs ${row.cost}`)
      keep(row)
    },
    check() {
      for (const [user, { balance, held }] of wallets) {
        const open = [...holds.values()].filter((hold) => hold.user === user).reduce((sum, hold) => sum + hold.amount, 0n)
        log.check(open === held, `${user} has ${held} held, the holds say ${open}`)
        log.check(balance >= held, `${user} has ${held} held of ${balance}`)
      }
    },
    open: () => holds.size,
  }
}
