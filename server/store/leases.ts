/**
 * Instances and their leases: slices of accounts that are spent in memory. Always true at every commit: what is free of a wallet and
 * what is on lease of it add up to its entries. Each call of an instance carries a number that only grows: a call that was given up
 * and arrives late is refused (`fenced`), so its outcome never has to be guessed.
 */
import { and, eq, gt, inArray, lt, notExists, sql } from 'drizzle-orm'
import { accounts, instances, leases, logs } from '#db/schema'
import type { NewLog } from './ledger.ts'
import { returned } from './returned.ts'
import { sqlState } from './sql-state.ts'
import type { Store } from './store.ts'

/** A finished request on its way into the books. Amounts are nano-dollars. */
export interface BookLine {
  row: NewLog
  /** What pays, the wallet first; empty for a request that never had a hold. */
  accounts: readonly string[]
  /** What it costs each of them. */
  owed: bigint
  /** How much of that the instance's leases pay; the rest comes out of what is free, as far as that goes in all of them. */
  covered: bigint
}

export interface AskedPart {
  account: string
  need: bigint
  want: bigint
  /** What a budget is, when it may be new or have another limit now. */
  budget?: { limit: bigint; of: 'key' | 'user' | 'group'; ofId: string; from: Date | null; until: Date | null } | undefined
}

export interface SyncCall {
  instance: bigint
  /** Larger than in every call of this instance before. */
  seq: bigint
  lines: readonly BookLine[]
  /** Of a lease: what goes back, and how much of the rest is in open holds. */
  own: readonly { account: string; back: bigint; held: bigint }[]
  /** In each list every `need` or nothing, and up to `want` where enough stays for others. */
  ask: readonly (readonly AskedPart[])[]
  /** The lines are an earlier run's, whose lease may be smaller than they say, or gone. */
  replay?: boolean
}

export interface LeaseState {
  leased: bigint
  /** What anybody could still take. */
  free: bigint
}

/** What a call says, all of it as it is now. */
export interface SyncAnswer {
  /** Every account that was touched; one that does not exist is missing. */
  accounts: Map<string, LeaseState>
  /** How many instances were seen lately, this one included. */
  live: number
  /** By place in `ask`: an account that has too little. */
  refused: Map<number, string>
  /** By request id: what was charged of those that could not be charged in full. */
  short: Map<string, bigint>
}

/** The instance has been closed, or a later call of it came first. */
const fencedState = 'PF001'
export const isFenced = (thrown: unknown): boolean => sqlState(thrown) === fencedState

/** What was sent can never be written as it is: trying again is no use. */
export const isUnwritable = (thrown: unknown): boolean => /^2[23]/.test(sqlState(thrown) ?? '')

/** A new instance with no leases. */
export async function registerInstance({ db }: Store, folder: string): Promise<bigint> {
  const [row] = await db.insert(instances).values({ folder }).returning({ id: instances.id })
  if (!row) throw new Error('the database did not answer a row that it was given')
  return row.id
}

/** One call, one transaction. Lines whose request has its usage row already change nothing. Rejects with `isFenced`. */
export async function syncBooks({ db }: Store, { instance, seq, lines, own, ask, replay = false }: SyncCall): Promise<SyncAnswer> {
  const sent = lines.map(({ row, accounts, owed, covered }, n) => ({ n, row: columnsOf(row), accounts, cost: owed, covered }))
  const result = await db.execute(
    sql`select books_sync(${instance}::bigint, ${seq}::bigint, ${replay}::boolean, ${json(sent)}, ${json(own)}, ${json(ask)}) as answer`,
  )
  const [row] = returned<{ answer: string }>(result)
  if (!row) throw new Error('the database did not answer a call')
  const answer: Answer = JSON.parse(row.answer)
  const states = Object.entries(answer.accounts).map(
    ([id, [leased, free]]) => [id, { leased: BigInt(leased), free: BigInt(free) }] as const,
  )
  return {
    accounts: new Map(states),
    live: answer.live,
    refused: new Map(Object.entries(answer.refused).map(([n, account]) => [Number(n), account])),
    short: new Map(Object.entries(answer.short).map(([id, charged]) => [id, BigInt(charged)])),
  }
}

interface Answer {
  accounts: Record<string, [leased: string, free: string]>
  live: number
  refused: Record<string, string>
  short: Record<string, string>
}

/**
 * After a call whose outcome is not known: from here on it cannot happen any more, and these are the leases as they are.
 * Undefined when the instance has been closed.
 */
export async function resyncLeases({ db }: Store, instance: bigint, seq: bigint): Promise<Map<string, bigint> | undefined> {
  const [mine] = await db
    .update(instances)
    .set({ seq, seen: sql`clock_timestamp()` })
    .where(and(eq(instances.id, instance), eq(instances.state, 'live'), lt(instances.seq, seq)))
    .returning({ id: instances.id })
  if (!mine) return undefined
  // A statement of its own: the first may have waited, and its snapshot is from before.
  const rows = await db.select().from(leases).where(eq(leases.instance, instance))
  return new Map(rows.map(({ accountId, amount }) => [accountId, amount]))
}

/** A call number that no earlier run of this instance can have reached, and its state; undefined when there is no such instance. */
export async function numberForReplay({ db }: Store, instance: bigint): Promise<bigint | undefined> {
  const beyond = 1_000_000n
  const [row] = await db
    .update(instances)
    .set({ seq: sql`${instances.seq} + ${beyond}::bigint` })
    .where(eq(instances.id, instance))
    .returning({ seq: instances.seq })
  return row?.seq
}

/**
 * Gives everything back that the instance holds and closes it for good; false when it is closed already, or was seen within
 * `unseenMs`. The caller must know that nothing which it spent is still unwritten: its journal has been replayed, or the house
 * takes the loss.
 */
export function closeInstance({ db }: Store, instance: bigint, unseenMs = 0): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [gone] = await tx
      .update(instances)
      .set({ state: 'closed' })
      .where(and(eq(instances.id, instance), eq(instances.state, 'live'), unseenFor(unseenMs)))
      .returning({ id: instances.id })
    if (!gone) return false
    const mine = tx.select({ id: leases.accountId }).from(leases).where(eq(leases.instance, instance))
    await tx.select({ id: accounts.id }).from(accounts).where(inArray(accounts.id, mine)).orderBy(accounts.id).for('no key update')
    await tx.execute(sql`
      with gone as (delete from leases where instance = ${instance} returning account_id, amount)
      update accounts set free = accounts.free + gone.amount from gone where accounts.id = gone.account_id`)
    return true
  })
}

/** Instances that are not closed and were not seen for so long. */
export async function missingInstances({ db }: Store, unseenMs: number): Promise<bigint[]> {
  const rows = await db
    .select({ id: instances.id })
    .from(instances)
    .where(and(eq(instances.state, 'live'), unseenFor(unseenMs)))
  return rows.map(({ id }) => id)
}

/** Removes budgets whose window ended so long ago that nothing of it is under way any more; answers how many. */
export async function sweepBudgets({ db }: Store): Promise<number> {
  const ended = and(eq(accounts.kind, 'budget'), lt(accounts.until, sql`clock_timestamp() - interval '30 days'`))
  const leased = db.select().from(leases).where(eq(leases.accountId, accounts.id))
  return (
    await db
      .delete(accounts)
      .where(and(ended, notExists(leased)))
      .returning({ id: accounts.id })
  ).length
}

const unseenFor = (ms: number) =>
  ms === 0 ? sql`true` : gt(sql`clock_timestamp() - ${sql.param(`${ms} milliseconds`)}::interval`, instances.seen)

/** As the columns are called. What a text column or JSON of the database cannot hold becomes a replacement character. */
function columnsOf(row: NewLog): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [columnNames.get(field) ?? field, value]))
}
const columnNames = new Map(Object.entries(logs).flatMap(([field, column]) => (isColumn(column) ? [[field, column.name] as const] : [])))

function isColumn(value: unknown): value is { name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'columnType' in value
}

const json = (value: unknown) =>
  sql`${JSON.stringify(value, (_, part) => {
    if (typeof part === 'bigint') return part.toString()
    return typeof part === 'string' ? part.replaceAll('\0', '\uFFFD').toWellFormed() : part
  })}::text::jsonb`
