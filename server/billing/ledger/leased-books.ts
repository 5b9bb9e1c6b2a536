/**
 * The books of an instance: holds are taken from leases in memory, ends are written to the journal, and both reach the database afterwards
 * (`money-sync.ts`). Keeps every promise of `books.ts` without a statement in front of a request. Start reading at `openLeasedBooks`.
 */

import { type EncodedLine, encodedLine } from '#billing/journal/encoded-line'
import { journalFull } from '#billing/journal/journal'
import type { Account, BudgetWindow } from '#billing/lease/account'
import { type LeaseLevels, leaseLevels } from '#billing/lease/lease-levels'
import { beyondAllMoney } from '#billing/lease/money-lease'
import { unavailable } from '#billing/lease/with-timeout'
import type { Books, NewLog } from './books.ts'
import { directBooks } from './books-database.ts'
import { type Terms, withLimitOf } from './budgets.ts'
import { openBudgetsAhead } from './budgets-ahead.ts'
import { removeOldBudgets } from './budgets-removed.ts'
import { insufficientFunds } from './insufficient-funds.ts'
import type { MoneySync } from './money-sync.ts'
import { createRefusals } from './refusals.ts'
import { openRegistrations, type Registration, type RegistrationOptions } from './registrations.ts'

/** The books and their upkeep. */
export interface LeasedBooks extends Books {
  /** Resolves when every request that has ended is in the database; false when the database does not answer. */
  flush(): Promise<boolean>
  /** Resolves when every request that has ended so far is in the database, or as soon as the database does not answer. */
  written(): Promise<void>
  /** Whether the database answered the last call. */
  answering(): boolean
  /** Whether holds can succeed: the database answers, or there is money on lease. */
  serving(): boolean
  /** Whether requests can be written to the journal, whatever the state of the database. */
  isOpen(): boolean
  /** The share of the journal that waits for the database, from 0 to 1. */
  journalShare(): number
  /** Holds, leases and charges, for operators. Iterates over every lease. */
  levels(): BooksLevels
  /**
   * Takes back the leases of instances not seen for `writeOffMs`, and resolves to their number; removes budgets that ended
   * long ago. Call it on a schedule.
   */
  writeOff(): Promise<number>
  /** Opens the next windows of budgets whose current one ends soon; resolves to how many. Call it on a schedule. */
  openAhead(): Promise<number>
  /** Writes what is left and gives every lease back. What the database does not take stays in the journal for the next start. */
  close(): Promise<void>
}

/** Open holds of requests, leases, and nano-dollars that were charged for requests of this run. */
export interface BooksLevels extends LeaseLevels {
  holds: number
  charged: bigint
}

/** Options of the books. */
export interface LeasedBooksOptions extends Omit<RegistrationOptions, 'lingerMs'> {
  /** Whether settling waits for the database while it answers, so that the row can be read at once; otherwise only for the journal. */
  settleWaits: boolean
  /** The current budget of a key, user or group: a change while a request runs limits its further holds. */
  budgetOf?(of: BudgetWindow['of'], id: string): Terms | null | undefined
}

interface Hold {
  registration: Registration
  accounts: readonly Account[]
  ids: readonly string[]
  amount: bigint
  ready: Promise<void>
}

/** Milliseconds. The cost of a call depends little on its number of lines; reads of rows or balances flush them at once. */
const lingerMs = 200
const settledAfter = 60_000
/** Three heartbeats of an idle instance: one seen within that time is alive, whatever `writeOffMs` is. */
const aliveMs = 30_000
const growPatienceMs = 500

/** Takes a hold; refused at once when the amount would not even fit into the database. */
function holdIn(sync: MoneySync, accounts: readonly Account[], amount: bigint, patienceMs?: number): ReturnType<MoneySync['hold']> {
  const [payer] = accounts
  return payer && amount >= beyondAllMoney ? Promise.resolve(payer) : sync.hold(accounts, amount, patienceMs)
}

/** Replays the journals of earlier runs and opens the books. Rejects when the database does not answer or the disk has no room. */
export async function openLeasedBooks(options: LeasedBooksOptions): Promise<LeasedBooks> {
  const { store, clock, log, writeOffMs, settleWaits, budgetOf, database = directBooks(store, clock) } = options
  const holds = new Map<string, Hold>()
  const refusals = createRefusals(clock, (row) => void write(row))
  const registrations = await openRegistrations({ ...options, database, lingerMs: settleWaits ? 0 : lingerMs })
  /** When this one is in the database, so are all earlier ones. */
  let last: { sync: MoneySync; line: EncodedLine } | undefined

  async function open(id: string, hold: Hold): Promise<void> {
    const { registration, accounts, ids, amount } = hold
    const { sync, journal, due, drop } = registration
    let isHeld = false
    let isOpen = false
    try {
      const held = holdIn(sync, accounts, amount)
      const outcome = held === true || (await held)
      if (outcome !== true) throw insufficientFunds(outcome)
      isHeld = true
      journal.open(id, ids, amount)
      isOpen = true
      due.add(id)
      if (!(await journal.written())) throw journalFull()
    } catch (thrown) {
      if (holds.get(id) !== hold) throw thrown
      holds.delete(id)
      if (isHeld) sync.settle(ids, amount, 0n)
      if (isOpen) drop(id)
      throw thrown
    }
  }

  /** The accounts of a request with their current limits. A removed budget no longer limits it: its hold there ends. */
  function presentAccounts(hold: Hold): readonly Account[] {
    const present = hold.accounts.flatMap(
      (account) => withLimitOf(account.budget && budgetOf?.(account.budget.of, account.budget.ofId), account) ?? [],
    )
    const removed = hold.ids.filter((id) => !present.some((account) => account.id === id))
    if (removed.length === 0) return present
    hold.registration.sync.settle(removed, hold.amount, 0n)
    hold.accounts = present
    hold.ids = present.map(({ id }) => id)
    return present
  }

  /** Adds the newly held amount to a hold; false where the hold has ended meanwhile. */
  function grown(id: string, hold: Hold, extra: bigint): boolean {
    const { sync, journal } = hold.registration
    if (holds.get(id) !== hold) {
      sync.settle(hold.ids, extra, 0n)
      return false
    }
    hold.amount += extra
    journal.grow(id, extra)
    return true
  }

  function end(row: NewLog, owed: bigint): Promise<void> {
    const id = row.requestId
    const hold = holds.get(id)
    if (!hold) return record(row)
    holds.delete(id)
    const { sync, journal } = hold.registration
    const line = { row, accounts: hold.ids, owed, covered: sync.settle(hold.ids, hold.amount, owed) }
    const encoded = encodedLine(line)
    journal.settle(line, encoded.bytes)
    return finish(hold.registration, encoded)
  }

  async function finish({ sync, journal }: Registration, line: EncodedLine): Promise<void> {
    sync.push(line)
    last = { sync, line }
    const written = settleWaits && sync.gone(line)
    await journal.safe()
    if (written) await written
  }

  /** Writes the row of a request without a hold, unless there are many like it. */
  const record = (row: NewLog): Promise<void> => (refusals.isRow(row) ? write(row) : Promise.resolve())

  /** No money depends on it: where it cannot be stored, it is only counted. */
  async function write(row: NewLog): Promise<void> {
    const mine = registrations.current
    if (mine?.due.has(row.requestId)) return
    const line = { row, accounts: [], owed: 0n, covered: 0n }
    const encoded = encodedLine(line)
    const kept = mine !== undefined && (mine.journal.record(line, encoded.bytes) || mine.sync.answeringSince() !== undefined)
    if (!kept) return refusals.lost(row)
    mine.due.add(row.requestId)
    await finish(mine, encoded)
  }

  store.changes.subscribe('leases', async (account) => {
    if (account !== undefined) await registrations.current?.sync.recall(account)
  })
  store.changes.subscribe('accounts', async (account) => {
    if (account !== undefined) registrations.current?.sync.replenish(account)
  })

  const isOpen = () => registrations.current?.journal.hasRoom() === true

  return {
    hold(id, accounts, amount) {
      const known = holds.get(id)
      if (known) return known.ready
      const epoch = registrations.current
      if (!epoch) return Promise.reject(unavailable())
      const hold: Hold = { registration: epoch, accounts, ids: accounts.map((account) => account.id), amount, ready: Promise.resolve() }
      holds.set(id, hold)
      hold.ready = open(id, hold)
      return hold.ready
    },
    async affords(accounts) {
      const sync = registrations.current?.sync
      if (!sync) throw unavailable()
      const outcome = await holdIn(sync, accounts, 1n)
      if (outcome !== true) throw insufficientFunds(outcome)
      sync.settle(
        accounts.map(({ id }) => id),
        1n,
        0n,
      )
    },
    grow(id, extra) {
      const hold = holds.get(id)
      if (!hold) return false
      const held = holdIn(hold.registration.sync, presentAccounts(hold), extra, growPatienceMs)
      return held === true ? grown(id, hold, extra) : held.then((outcome) => outcome === true && grown(id, hold, extra))
    },
    hasPlenty(id) {
      const hold = holds.get(id)
      return hold?.registration.sync.arePlentiful(hold.ids) ?? false
    },
    settle(row) {
      if (row.cost < beyondAllMoney) return end(row, row.cost)
      // No table could hold it, and the row would be lost.
      log.error({ requestId: row.requestId, cost: row.cost.toString() }, 'a request cost more than all money; the rest is not written')
      return end({ ...row, cost: beyondAllMoney }, beyondAllMoney)
    },
    release: (row) => end(row, 0n),
    record,
    drop(id) {
      const hold = holds.get(id)
      if (!hold) return
      holds.delete(id)
      hold.registration.sync.settle(hold.ids, hold.amount, 0n)
      hold.registration.drop(id)
    },
    progress(row, soon) {
      const hold = holds.get(row.requestId)
      if (!hold) return
      const { journal } = hold.registration
      journal.progress({ row, accounts: hold.ids, owed: row.cost, covered: row.cost < hold.amount ? row.cost : hold.amount })
      if (soon === undefined) journal.flush()
    },
    written() {
      registrations.current?.sync.hurry()
      return last ? last.sync.gone(last.line) : Promise.resolve()
    },
    flush: () => registrations.flush(),
    answering: () => registrations.current?.sync.answeringSince() !== undefined,
    serving: () => isOpen() && (registrations.current?.sync.serving() ?? false),
    isOpen,
    journalShare: () => registrations.current?.journal.waitingShare() ?? 0,
    levels: () => ({
      ...(registrations.current?.sync.levels() ?? leaseLevels([], 0)),
      holds: holds.size,
      charged: registrations.charged,
    }),
    async writeOff() {
      await registrations.sweep()
      const epoch = registrations.current
      // Right after an outage every other instance appears missing.
      const since = epoch?.sync.answeringSince()
      if (!epoch || since === undefined || clock.monotonic() - since < settledAfter) return 0
      await database.sweepBudgets()
      await removeOldBudgets({ database, clock, budgetOf })
      const unseenMs = Math.max(writeOffMs, aliveMs)
      let count = 0
      for (const instance of await database.missingInstances(unseenMs)) {
        if (instance === epoch.instance || !(await database.close(instance, unseenMs))) continue
        log.error({ instance: instance.toString() }, 'the leases of a missing instance were written off')
        count += 1
      }
      return count
    },
    openAhead: () => openBudgetsAhead({ database, clock, budgetOf }),
    close() {
      refusals.flush()
      return registrations.close()
    },
  }
}
