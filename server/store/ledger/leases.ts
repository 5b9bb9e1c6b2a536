/**
 * Leases: parts of accounts that instances spend in memory. Invariant at every commit: the free amount of a wallet and its leases add
 * up to its entries. Each call of an instance carries an increasing number: an abandoned call that arrives late is rejected
 * (`fenced`), so its outcome never has to be guessed.
 */
import { and, eq, gte, inArray, lt, notExists, sql } from 'drizzle-orm'
import { accounts, instances, leases } from '#db/schema'
import { returned } from '#store/engine/rows'
import { sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import type { BookLine } from './book-line.ts'
import { restoreInstance } from './instances.ts'
import { correctInterrupted, noteInterrupted } from './interrupted.ts'
import { rowByColumns, storable, textArray } from './line-columns.ts'
import { beginTelling, TakesPaused } from './recoveries.ts'
import { writeNotes } from './state-notes.ts'
import { type BooksPlace, usualCall } from './usual-call.ts'

/** A request for a lease of one account, in nano-dollars. */
export interface AskedPart {
  account: string
  need: bigint
  want: bigint
  /** The definition of a budget that may be new or have another limit now. */
  budget?: { limit: bigint; of: 'key' | 'user' | 'group' | 'member'; ofId: string; from: Date | null; until: Date | null } | undefined
}

/** One call of an instance; `Line`: the form of its lines. */
export interface SyncCall<Line = BookLine> {
  instance: bigint
  /** Larger than in every earlier call of this instance. */
  seq: bigint
  lines: readonly Line[]
  /** Per lease: what is returned, and how much of the rest is in open holds. */
  own: readonly { account: string; back: bigint; held: bigint }[]
  /** Each list is granted as a whole or refused: every `need`, and up to `want` where enough remains for others. */
  ask: readonly (readonly AskedPart[])[]
  /** The lines are an earlier run's, whose leases may be smaller than the lines assume, or gone. */
  replay?: boolean
  /** The request is for what this instance had before the database lost commits: no one else may take meanwhile. */
  again?: boolean
  /** The lines are interrupted requests whose process may be alive: their real ends may still arrive. */
  interrupted?: boolean
  /** The number of the last answered call: a database that does not know it has lost commits. */
  acknowledged?: bigint
}

/** An account from an instance's view, in nano-dollars. */
export interface LeaseState {
  leased: bigint
  /** Available to any instance. */
  free: bigint
}

/** The answer to a call, with current amounts. */
export interface SyncAnswer {
  /** Every account that was involved; an account that does not exist is missing. */
  accounts: Map<string, LeaseState>
  /** How many instances were seen recently, including this one. */
  live: number
  /** By index in `ask`: an account with too little. */
  refused: Map<number, string>
  /** By request id: what was charged for those not charged in full. */
  short: Map<string, bigint>
}

/** The instance was closed or is unknown, or a later call of it arrived first. */
const fencedState = 'PF001'
/** The database has lost a call that it had answered. */
export class Forgotten extends Error {
  readonly code = fencedState
}
/** True for the rejection of a fenced call. */
export const isFenced = (thrown: unknown): boolean => sqlState(thrown) === fencedState

/** True when the data can never be written as it is, so that retrying is useless. */
export const isUnwritable = (thrown: unknown): boolean => /^2[23]/.test(sqlState(thrown) ?? '')

/**
 * Runs one call in one transaction, after the notes of its lines. Lines whose request already has a usage row change nothing, unless it
 * is one of an interrupted request. Rejects with `isFenced`, or `areTakesPaused`.
 */
export async function syncBooks(store: BooksPlace, call: SyncCall): Promise<SyncAnswer> {
  await writeNotes(store, call.lines)
  if (call.interrupted) {
    return store.db.transaction(async (tx) => {
      await noteInterrupted({ db: tx }, call.lines)
      return syncSlowly({ db: tx }, call)
    })
  }
  // The end of a request whose row another process has written comes as a replay.
  if (call.replay) await correctInterrupted(store, call.lines)
  if (isUnusual(call)) return syncSlowly(store, call)
  const answer = await usualCall(store, call)
  return answer === undefined ? syncSlowly(store, call) : answerOf(answer)
}

function isUnusual({ replay = false, lines, own, ask }: SyncCall): boolean {
  if (replay || lines.some(({ covered, owed }) => covered !== owed)) return true
  return lines.length === 0 && (ask.length > 0 || own.some(({ back }) => back !== 0n))
}

/** One call with everything in JSON: for replays, for lines that leases do not pay in full, and other unusual cases. */
async function syncSlowly({ db }: Pick<Store, 'db'>, call: SyncCall): Promise<SyncAnswer> {
  const { instance, seq, lines, own, ask, replay = false, acknowledged = 0n, again = false } = call
  const sent = lines.map(({ row, accounts, owed, covered }, n) => ({ n, row: rowByColumns(row), accounts, cost: owed, covered }))
  const result = await db.execute(
    sql`select books_sync(${instance}::bigint, ${seq}::bigint, ${replay}::boolean, ${json(sent)}, ${json(own)}, ${json(ask)}) as answer
      from instances ${ask.length > 0 && !again ? sql`, books_may_take()` : sql``} where id = ${instance} and seq >= ${acknowledged}::bigint`,
  )
  const [row] = returned<{ answer: string }>(result)
  if (!row) throw await whyNothing(db, call)
  return answerOf(row.answer)
}

async function whyNothing(db: Store['db'], { instance, acknowledged = 0n, ask }: SyncCall): Promise<Error> {
  const known =
    ask.length > 0 &&
    (await db
      .select()
      .from(instances)
      .where(and(eq(instances.id, instance), gte(instances.seq, acknowledged))))
  return known && known.length > 0 ? new TakesPaused() : new Forgotten('the database has lost a call that it had answered')
}

function answerOf(text: string): SyncAnswer {
  const answer: Answer = JSON.parse(text)
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

/** What `resyncLeases` needs. */
export interface Resync {
  instance: bigint
  seq: bigint
  /** The number of the last answered call. */
  acknowledged: bigint
  /** The installation the instance belongs to. */
  folder: string
}

/** The result of a resync. */
export interface Resynced {
  /** True when the database has lost calls that it had answered. */
  forgot: boolean
  /** The current leases; undefined when the instance was closed. */
  leases: Map<string, bigint> | undefined
}

/**
 * Call this after a call with unknown outcome: from here on that call cannot take effect. An instance unknown to the database exists
 * afterwards, closed.
 */
export async function resyncLeases(store: Pick<Store, 'db'>, call: Resync): Promise<Resynced> {
  if (await renumber(store, call, call.acknowledged)) return { forgot: false, leases: await leasesOf(store, call.instance) }
  const [now] = await store.db.select().from(instances).where(eq(instances.id, call.instance))
  if (!now) {
    await restoreInstance(store, call.instance, call.folder)
    await beginTelling(store, call.instance)
    return { forgot: true, leases: undefined }
  }
  const forgot = now.seq < call.acknowledged
  if (forgot) await beginTelling(store, call.instance)
  const isMine = forgot && (await renumber(store, call, 0n))
  return { forgot, leases: isMine ? await leasesOf(store, call.instance) : undefined }
}

/** False when the instance is closed, a later call arrived first, or the database does not know the call `acknowledged`. */
async function renumber({ db }: Pick<Store, 'db'>, { instance, seq }: Resync, acknowledged: bigint): Promise<boolean> {
  const fitting = and(eq(instances.id, instance), eq(instances.state, 'live'), lt(instances.seq, seq), gte(instances.seq, acknowledged))
  const rows = await db.update(instances).set({ seq, seen: sql`clock_timestamp()` }).where(fitting).returning({ id: instances.id })
  return rows.length > 0
}

/** A separate statement: the previous one may have waited on a lock, with an older snapshot. */
async function leasesOf({ db }: Pick<Store, 'db'>, instance: bigint): Promise<Map<string, bigint>> {
  const rows = await db.select().from(leases).where(eq(leases.instance, instance))
  return new Map(rows.map(({ accountId, amount }) => [accountId, amount]))
}

/** The lines whose request has no usage row yet, or one as an interrupted request. */
export async function linesNotInBooks<Line extends { row: Pick<BookLine['row'], 'at' | 'requestId'> }>(
  { db }: Pick<Store, 'db'>,
  lines: readonly Line[],
): Promise<Line[]> {
  const [ats, ids] = [lines.map(({ row }) => row.at.toISOString()), lines.map(({ row }) => row.requestId)]
  // OFFSET 0 makes the planner find each row by its key, however many there are.
  const result = await db.execute(sql`
    select l.n::integer - 1 as n from unnest(${textArray(ats)}::timestamptz[], ${textArray(ids)}::text[]) with ordinality as l(at, id, n)
    left join lateral (select true as known from logs where logs.at = l.at and logs.request_id = l.id offset 0) as row on true
    where row.known is null or exists (select from unsettled where unsettled.request_id = l.id)`)
  const missing = new Set(returned<{ n: number }>(result).map(({ n }) => n))
  return lines.filter((_, n) => missing.has(n))
}

/** True when the wallet of any of these lines exists, or when they name none. False: they belong to another database. */
export async function knowsWallets({ db }: Pick<Store, 'db'>, lines: readonly Pick<BookLine, 'accounts'>[]): Promise<boolean> {
  const wallets = [...new Set(lines.flatMap(({ accounts: [wallet] }) => (wallet === undefined ? [] : [wallet])))]
  if (wallets.length === 0) return true
  return (await db.select({ id: accounts.id }).from(accounts).where(inArray(accounts.id, wallets)).limit(1)).length > 0
}

/** Deletes budgets whose window ended so long ago that no request in it can still be running; resolves to how many. */
export async function sweepBudgets({ db }: Pick<Store, 'db'>): Promise<number> {
  const ended = and(eq(accounts.kind, 'budget'), lt(accounts.until, sql`clock_timestamp() - interval '30 days'`))
  const leased = db.select().from(leases).where(eq(leases.accountId, accounts.id))
  return (
    await db
      .delete(accounts)
      .where(and(ended, notExists(leased)))
      .returning({ id: accounts.id })
  ).length
}

const jsonOf = (value: unknown): string => JSON.stringify(value, storable)
const json = (value: unknown) => sql`${jsonOf(value)}::text::jsonb`
