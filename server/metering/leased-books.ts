/**
 * The books of a busy instance: holds come out of slices in memory, ends go into the journal, and the database hears of both from
 * behind (`lane.ts`). What was promised by `books.ts` holds here too, without a statement in front of a request. Start reading at
 * `openLeasedBooks`.
 */
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { closeInstance, missingInstances, registerInstance } from '#store/instances'
import { type BookLine, sweepBudgets } from '#store/leases'
import type { Store } from '#store/store'
import type { Account } from './account.ts'
import type { Books, NewLog } from './books.ts'
import { bringHome, type Home } from './bring-home.ts'
import { type Fsync, type Journal, openJournal } from './journal.ts'
import { createLane, type Lane } from './lane.ts'
import { replayJournals, sweepJournals } from './replay.ts'
import { tooLittle } from './short.ts'
import { unavailable } from './within.ts'

export interface LeasedBooks extends Books {
  /** Resolves when everything that has ended is in the database; false when the database does not answer. */
  flush(): Promise<boolean>
  /** Whether the database answered the last call. */
  answering(): boolean
  /** Whether requests can be held for: the database answers, or what is on lease still serves. */
  serving(): boolean
  /**
   * Takes back what instances hold that were not seen for the time of the write-off, and answers how many; budgets of long ago go. For
   * a schedule.
   */
  writeOff(): Promise<number>
  /** Writes what is left and gives every slice back. What the database does not take stays in the journal for the next start. */
  close(): Promise<void>
}

export interface LeasedBooksOptions {
  store: Store
  clock: Clock
  dice: Dice
  log: Log
  /** Where the journals lie: in the locked data folder, on a disk that outlives this start. */
  folder: string
  /** Which installation this is: see `runtime/instance.ts`. */
  installation: string
  fsync: Fsync
  /** How many bytes of journals may wait for the database, and how many are kept that it has. */
  maxBytes: number
  /** How much traffic a slice should cover, in milliseconds; 0 takes exactly what is needed, each time. */
  coverMs: number
  /** After how many milliseconds the slices of a missing instance are written off. */
  writeOffMs: number
  /** Whether an end waits for the database as long as that answers, so that its row can be read at once; else only for the journal. */
  settleWaits: boolean
}

/** One registration at the database, with its lane and its files. */
interface Epoch {
  instance: bigint
  lane: Lane
  journal: Journal
  /** Requests that are open, or over and not in the database yet. */
  due: Set<string>
  /** Written off by others: it only brings its lines home. */
  retired: boolean
}

interface Hold {
  epoch: Epoch
  accounts: readonly Account[]
  ids: readonly string[]
  amount: bigint
  ready: Promise<void>
}

/** Milliseconds. */
const longestTrust = 15 * 60_000
const settledAfter = 60_000
const anewMs = 1_000
const growPatienceMs = 500

/** Replays what earlier runs left, and begins. Rejects when the database does not answer or the disk has no room. */
export async function openLeasedBooks(options: LeasedBooksOptions): Promise<LeasedBooks> {
  const { store, clock, dice, log, folder, installation, fsync, maxBytes, coverMs, writeOffMs, settleWaits } = options
  const holds = new Map<string, Hold>()
  /** Of this run; nobody else looks at their files. */
  const writing = new Set<string>()
  let epoch: Epoch | undefined
  let ended = false

  async function begin(): Promise<Epoch> {
    const instance = BigInt(`0x${dice.hex(6)}`)
    writing.add(`${instance}`)
    const journal = await openJournal({ folder: `${folder}/${instance}`, instance, fsync, maxBytes, clock, log })
    // Not before there are files: an instance without any could never be closed by its next start.
    await registerInstance(store, { id: instance, folder: installation }).catch(async (thrown: unknown) => {
      await journal.close(false)
      throw thrown
    })
    const flushed = ({ row }: BookLine) => {
      journal.flushed(row.requestId)
      made.due.delete(row.requestId)
      if (made.retired && made.due.size === 0) void retire(made)
    }
    const validMs = Math.min(longestTrust, writeOffMs)
    const forgotten = async (home: Home) => {
      for await (const lines of journal.kept()) await bringHome(home, lines, log)
    }
    const place = { store, clock, dice, log, instance, folder: installation }
    const lane = createLane({ ...place, coverMs, validMs, flushed, forgotten, closed: () => void replace(made) })
    const made: Epoch = { instance, lane, journal, due: new Set(), retired: false }
    return made
  }

  /** Until there is a new one, nothing can be held. */
  async function replace(old: Epoch): Promise<void> {
    old.retired = true
    epoch = undefined
    if (old.due.size === 0) void retire(old)
    while (!ended && !epoch) {
      try {
        await replayJournals(journals())
        const next = await begin()
        if (ended) await next.lane.stop()
        else epoch = next
      } catch (err) {
        log.warn({ err }, 'the accounts cannot be opened anew')
        await clock.sleep(anewMs)
      }
    }
  }

  const journals = () => ({ store, folder, installation, but: writing, maxBytes, now: clock.now(), log })

  async function retire({ instance, lane, journal }: Epoch): Promise<void> {
    await lane.stop()
    await journal.close(false)
    writing.delete(`${instance}`)
  }

  async function open(id: string, { epoch: { lane, journal, due }, accounts, ids, amount }: Hold): Promise<void> {
    const held = lane.hold(accounts, amount)
    const outcome = held === true || (await held)
    if (outcome !== true) throw tooLittle(outcome)
    try {
      journal.open(id, ids, amount)
    } catch (thrown) {
      lane.settle(ids, amount, 0n)
      throw thrown
    }
    due.add(id)
  }

  async function end(row: NewLog, owed: bigint): Promise<void> {
    const id = row.requestId
    const hold = holds.get(id)
    if (!hold) return record(row)
    holds.delete(id)
    const { lane, journal } = hold.epoch
    const line = { row, accounts: hold.ids, owed, covered: lane.settle(hold.ids, hold.amount, owed) }
    journal.settle(line)
    await finish(hold.epoch, line)
  }

  async function finish({ lane, journal }: Epoch, line: BookLine): Promise<void> {
    const written = lane.push(line)
    await journal.safe()
    if (settleWaits) await written
  }

  /** The row of a request without a hold. It is worth no money: where nothing can keep it, it is let go. */
  async function record(row: NewLog): Promise<void> {
    const mine = epoch
    if (mine?.due.has(row.requestId)) return
    const line = { row, accounts: [], owed: 0n, covered: 0n }
    const kept = mine !== undefined && (mine.journal.record(line) || mine.lane.answeringSince() !== undefined)
    if (!kept) return log.warn({ requestId: row.requestId }, 'the usage row of a refused request was dropped')
    mine.due.add(row.requestId)
    await finish(mine, line)
  }

  await replayJournals(journals())
  epoch = await begin()
  store.changes.subscribe('leases', async (account) => {
    if (account !== undefined) await epoch?.lane.recall(account)
  })
  store.changes.subscribe('accounts', async (account) => {
    if (account !== undefined) epoch?.lane.replenish(account)
  })

  return {
    hold(id, accounts, amount) {
      const known = holds.get(id)
      if (known) return known.ready
      if (!epoch || ended) return Promise.reject(unavailable())
      const hold: Hold = { epoch, accounts, ids: accounts.map((account) => account.id), amount, ready: Promise.resolve() }
      holds.set(id, hold)
      hold.ready = open(id, hold).catch((thrown: unknown) => {
        holds.delete(id)
        throw thrown
      })
      return hold.ready
    },
    async grow(id, extra) {
      const hold = holds.get(id)
      if (!hold) return false
      const { lane, journal } = hold.epoch
      const held = lane.hold(hold.accounts, extra, growPatienceMs)
      if (held !== true && (await held) !== true) return false
      if (holds.get(id) !== hold) {
        lane.settle(hold.ids, extra, 0n)
        return false
      }
      hold.amount += extra
      journal.grow(id, extra)
      return true
    },
    settle: (row) => end(row, row.cost),
    release: (row) => end(row, 0n),
    record,
    progress(row) {
      const hold = holds.get(row.requestId)
      const covered = hold && row.cost < hold.amount ? row.cost : hold?.amount
      if (hold && covered !== undefined) hold.epoch.journal.progress({ row, accounts: hold.ids, owed: row.cost, covered })
    },
    flush: async () => (await epoch?.lane.flush()) ?? false,
    answering: () => epoch?.lane.answeringSince() !== undefined,
    serving: () => epoch?.lane.serving() ?? false,
    async writeOff() {
      await sweepJournals(journals())
      // After an outage everybody else looks as if he were gone.
      const since = epoch?.lane.answeringSince()
      if (!epoch || since === undefined || clock.monotonic() - since < settledAfter) return 0
      await sweepBudgets(store)
      let count = 0
      for (const instance of await missingInstances(store, writeOffMs)) {
        if (instance === epoch.instance || !(await closeInstance(store, instance, writeOffMs))) continue
        log.error({ instance: instance.toString() }, 'the slices of a missing instance were written off')
        count += 1
      }
      return count
    },
    async close() {
      ended = true
      const last = epoch
      epoch = undefined
      if (!last) return
      const { lane, journal, due, instance } = last
      const flushed = await lane.flush()
      await lane.stop()
      const done =
        flushed &&
        due.size === 0 &&
        (await closeInstance(store, instance).catch((err: unknown) => {
          log.warn({ err }, 'the slices of this instance stay out until its next start')
          return false
        }))
      await journal.close(!done)
    },
  }
}
