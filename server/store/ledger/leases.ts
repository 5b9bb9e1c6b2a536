/**
 * Instances and their leases: slices of accounts that are spent in memory. Always true at every commit: what is free of a wallet and
 * what is on lease of it add up to its entries. Each call of an instance carries a number that only grows: a call that was given up
 * and arrives late is refused (`fenced`), so its outcome never has to be guessed.
 */
import { and, eq, gte, inArray, lt, notExists, sql } from 'drizzle-orm'
import { accounts, instances, leases, logs } from '#db/schema'
import { returned } from '#store/engine/rows'
import { sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { restoreInstance } from './instances.ts'
import type { NewLog } from './ledger.ts'

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
  /** The number of the last call that was answered: a database that does not know of that one has lost commits. */
  heard?: bigint
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

/** The instance has been closed or forgotten, or a later call of it came first. */
const fencedState = 'PF001'
class Forgotten extends Error {
  readonly code = fencedState
}
export const isFenced = (thrown: unknown): boolean => sqlState(thrown) === fencedState

/** What was sent can never be written as it is: trying again is no use. */
export const isUnwritable = (thrown: unknown): boolean => /^2[23]/.test(sqlState(thrown) ?? '')

/** One call, one transaction. Lines whose request has its usage row already change nothing. Rejects with `isFenced`. */
export async function syncBooks({ db }: Store, call: SyncCall): Promise<SyncAnswer> {
  const { instance, seq, lines, own, ask, replay = false, heard = 0n } = call
  const sent = lines.map(({ row, accounts, owed, covered }, n) => ({ n, row: columnsOf(row), accounts, cost: owed, covered }))
  const result = await db.execute(
    sql`select books_sync(${instance}::bigint, ${seq}::bigint, ${replay}::boolean, ${json(sent)}, ${json(own)}, ${json(ask)}) as answer
      from instances where id = ${instance} and seq >= ${heard}::bigint`,
  )
  const [row] = returned<{ answer: string }>(result)
  if (!row) throw new Forgotten('the database does not know of a call that it has answered')
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

export interface Resync {
  instance: bigint
  seq: bigint
  /** The number of the last call that was answered. */
  heard: bigint
  /** Which installation the instance belongs to. */
  folder: string
}

export interface Resynced {
  /** The database has lost calls that it had answered. */
  forgot: boolean
  /** The leases as they are; undefined when the instance has been closed. */
  leases: Map<string, bigint> | undefined
}

/**
 * After a call whose outcome is not known: from here on it cannot happen any more. An instance of which the database knows nothing
 * at all is there afterwards, closed.
 */
export async function resyncLeases(store: Store, call: Resync): Promise<Resynced> {
  if (await renumber(store, call, call.heard)) return { forgot: false, leases: await leasesOf(store, call.instance) }
  const [now] = await store.db.select().from(instances).where(eq(instances.id, call.instance))
  if (!now) {
    await restoreInstance(store, call.instance, call.folder)
    return { forgot: true, leases: undefined }
  }
  const forgot = now.seq < call.heard
  const isMine = forgot && (await renumber(store, call, 0n))
  return { forgot, leases: isMine ? await leasesOf(store, call.instance) : undefined }
}

/** False when the instance is closed, a later call came first, or the database does not know of the call that was `heard`. */
async function renumber({ db }: Store, { instance, seq }: Resync, heard: bigint): Promise<boolean> {
  const fitting = and(eq(instances.id, instance), eq(instances.state, 'live'), lt(instances.seq, seq), gte(instances.seq, heard))
  const rows = await db.update(instances).set({ seq, seen: sql`clock_timestamp()` }).where(fitting).returning({ id: instances.id })
  return rows.length > 0
}

/** In a statement of its own: the one before may have waited, and its snapshot is from before. */
async function leasesOf({ db }: Store, instance: bigint): Promise<Map<string, bigint>> {
  const rows = await db.select().from(leases).where(eq(leases.instance, instance))
  return new Map(rows.map(({ accountId, amount }) => [accountId, amount]))
}

/** Those of the lines whose request has no usage row yet. */
export async function linesNotInBooks({ db }: Store, lines: readonly BookLine[]): Promise<BookLine[]> {
  const sent = lines.map(({ row: { at, requestId } }, n) => ({ n, at, id: requestId }))
  const result = await db.execute(sql`
    select l.n from jsonb_to_recordset(${json(sent)}) as l(n integer, at timestamptz, id text)
    where not exists (select from logs where logs.at = l.at and logs.request_id = l.id)`)
  const missing = new Set(returned<{ n: number }>(result).map(({ n }) => n))
  return lines.filter((_, n) => missing.has(n))
}

/** Whether the wallet of any of these lines is there; true when they name none. False: they belong to another database. */
export async function knowsWallets({ db }: Store, lines: readonly BookLine[]): Promise<boolean> {
  const wallets = [...new Set(lines.flatMap(({ accounts: [wallet] }) => (wallet === undefined ? [] : [wallet])))]
  if (wallets.length === 0) return true
  return (await db.select({ id: accounts.id }).from(accounts).where(inArray(accounts.id, wallets)).limit(1)).length > 0
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
