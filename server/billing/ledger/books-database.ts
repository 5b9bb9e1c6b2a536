/**
 * The database as the books of an instance use it. The only crossing from the thread that carries streams: lines as
 * bytes, answers as a few numbers. `directBooks` queries on this thread, for tests and simulators; `remote-books.ts` calls a worker.
 */

import { decodedLines, type EncodedLine, joinedLines } from '#billing/journal/encoded-line'
import { withTimeout } from '#billing/lease/with-timeout'
import type { Clock } from '#runtime/clock'
import { type EndingBudget, endingBudgets, openBudgets } from '#store/ledger/budgets-ahead'
import { type OpenedBudget, openedBudgets, removeBudgets } from '#store/ledger/budgets-removed'
import {
  closeInstance,
  type InstanceState,
  lastCallOf,
  missingInstances,
  numberForReplay,
  registerInstance,
  restoreInstance,
} from '#store/ledger/instances'
import { sweepInterrupted } from '#store/ledger/interrupted'
import { type BatchRequest, keptAnswers } from '#store/ledger/kept-answers'
import {
  type AskedPart,
  knowsWallets,
  linesNotInBooks,
  type Resync,
  type Resynced,
  resyncLeases,
  type SyncAnswer,
  type SyncCall,
  sweepBudgets,
  syncBooks,
} from '#store/ledger/leases'
import { endTelling } from '#store/ledger/recoveries'
import type { BooksPlace } from '#store/ledger/usual-call'

/** One call, with its lines in bytes. */
export type EncodedCall = SyncCall<EncodedLine>

/**
 * The database. Each function is the store's function of a similar name; where `withinMs` is given it rejects with `books_unavailable` when
 * the database takes longer than that. All reject with `books_unavailable` when it cannot be reached.
 */
export interface BooksDatabase {
  sync(call: EncodedCall, withinMs?: number): Promise<SyncAnswer>
  resync(call: Resync, withinMs?: number): Promise<Resynced>
  /** What a resync found lost has been written back. */
  endTelling(instance: bigint): Promise<void>
  /** The ids of those lines whose request has no usage row yet. */
  missing(lines: readonly EncodedLine[], withinMs?: number): Promise<ReadonlySet<string>>
  /** Whether the wallet of any of these lines exists; true when they name none. */
  knowsWallets(lines: readonly EncodedLine[]): Promise<boolean>
  /** The ids of those batch requests whose answers are stored. */
  keptAnswers(requests: readonly BatchRequest[]): Promise<ReadonlySet<string>>
  register(instance: bigint, folder: string): Promise<void>
  /** The state of an instance and the number of its last call; undefined for an unknown one. */
  lastCall(instance: bigint): Promise<{ state: InstanceState; seq: bigint } | undefined>
  /** Inserts a lost instance again, as closed. */
  restore(instance: bigint, folder: string): Promise<void>
  numberForReplay(instance: bigint): Promise<bigint | undefined>
  /** Returns all its leases; false when it was already closed, or was seen within `unseenMs`. */
  close(instance: bigint, unseenMs?: number): Promise<boolean>
  /** Open instances that were not seen for `unseenMs` milliseconds. */
  missingInstances(unseenMs: number): Promise<bigint[]>
  /** Budgets that end soon and have no successor: see `budgets-ahead.ts` of the store. */
  endingBudgets(asked: { from: Date; till: Date; most: number; after: string }): Promise<EndingBudget[]>
  openBudgets(budgets: readonly Pick<AskedPart, 'account' | 'budget'>[]): Promise<void>
  /** Budgets whose windows are not over, for removal: see `budgets-removed.ts` of the store. */
  openedBudgets(asked: { now: Date; most: number; after: string }): Promise<OpenedBudget[]>
  removeBudgets(accounts: readonly string[]): Promise<number>
  /** Removes budgets that ended long ago, and notes of interrupted requests older than a day. */
  sweepBudgets(): Promise<number>
}

/** The part of a store that the books need. */
export type BooksStore = BooksPlace

/** The calls to the database, with lines in bytes. */
export const booksCalls = (store: BooksStore) => ({
  sync: ({ lines, ...call }: Omit<EncodedCall, 'lines'> & { lines: ArrayBuffer }) =>
    syncBooks(store, { ...call, lines: decodedLines(new Uint8Array(lines)) }),
  resync: (call: Resync) => resyncLeases(store, call),
  endTelling: (instance: bigint) => endTelling(store, instance),
  async missing(requests: readonly Pick<EncodedLine, 'id' | 'at'>[]): Promise<ReadonlySet<string>> {
    const lines = requests.map(({ id, at }) => ({ row: { requestId: id, at: new Date(at) } }))
    return new Set((await linesNotInBooks(store, lines)).map(({ row }) => row.requestId))
  },
  knowsWallets: (lines: readonly { accounts: readonly string[] }[]) => knowsWallets(store, lines),
  keptAnswers: (requests: readonly BatchRequest[]) => keptAnswers(store, requests),
  register: async ({ instance, folder }: { instance: bigint; folder: string }) =>
    void (await registerInstance(store, { id: instance, folder })),
  lastCall: (instance: bigint) => lastCallOf(store, instance),
  restore: ({ instance, folder }: { instance: bigint; folder: string }) => restoreInstance(store, instance, folder),
  numberForReplay: (instance: bigint) => numberForReplay(store, instance),
  close: ({ instance, unseenMs }: { instance: bigint; unseenMs: number }) => closeInstance(store, instance, unseenMs),
  missingInstances: (unseenMs: number) => missingInstances(store, unseenMs),
  endingBudgets: ({ from, till, most, after }: { from: Date; till: Date; most: number; after: string }) =>
    endingBudgets(store, from, till, most, after),
  openBudgets: (budgets: readonly Pick<AskedPart, 'account' | 'budget'>[]) => openBudgets(store, budgets),
  openedBudgets: ({ now, most, after }: { now: Date; most: number; after: string }) => openedBudgets(store, now, most, after),
  removeBudgets: (accounts: readonly string[]) => removeBudgets(store, accounts),
  async sweepBudgets() {
    await sweepInterrupted(store)
    return sweepBudgets(store)
  },
})

/** The calls that cross threads, by name. */
export type BooksCalls = ReturnType<typeof booksCalls>

/** How one call reaches the database. `transfer`: a buffer of the payload that may be transferred. */
export type AskBooks = <Name extends keyof BooksCalls>(
  name: Name,
  payload: Parameters<BooksCalls[Name]>[0],
  how?: { withinMs?: number | undefined; transfer?: readonly ArrayBuffer[] },
) => Promise<Awaited<ReturnType<BooksCalls[Name]>>>

/** The database, reached through `ask`. */
export function booksBehind(ask: AskBooks): BooksDatabase {
  return {
    sync({ instance, seq, acknowledged, replay, interrupted, again, own, ask: asked, ...call }, withinMs) {
      const lines = joinedLines(call.lines)
      const kind = { ...(replay !== undefined && { replay }), ...(interrupted && { interrupted }), ...(again && { again }) }
      const numbers = { instance, seq, ...(acknowledged !== undefined && { acknowledged }), ...kind }
      return ask('sync', { ...numbers, lines, own, ask: asked }, { withinMs, transfer: [lines] })
    },
    resync: (call, withinMs) => ask('resync', call, { withinMs }),
    endTelling: (instance) => ask('endTelling', instance),
    missing: (lines, withinMs) =>
      ask(
        'missing',
        lines.map(({ id, at }) => ({ id, at })),
        { withinMs },
      ),
    knowsWallets: (lines) =>
      ask(
        'knowsWallets',
        lines.map(({ accounts }) => ({ accounts: accounts.slice(0, 1) })),
      ),
    keptAnswers: (requests) => ask('keptAnswers', requests),
    register: (instance, folder) => ask('register', { instance, folder }),
    lastCall: (instance) => ask('lastCall', instance),
    restore: (instance, folder) => ask('restore', { instance, folder }),
    numberForReplay: (instance) => ask('numberForReplay', instance),
    close: (instance, unseenMs = 0) => ask('close', { instance, unseenMs }),
    missingInstances: (unseenMs) => ask('missingInstances', unseenMs),
    endingBudgets: (asked) => ask('endingBudgets', asked),
    openBudgets: (budgets) => ask('openBudgets', budgets),
    openedBudgets: (asked) => ask('openedBudgets', asked),
    removeBudgets: (accounts) => ask('removeBudgets', accounts),
    sweepBudgets: () => ask('sweepBudgets', undefined),
  }
}

/** The database of this store, queried on this thread. */
export function directBooks(store: BooksStore, clock: Clock): BooksDatabase {
  const calls = booksCalls(store)
  return booksBehind(((name, payload, { withinMs } = {}) => {
    const call = calls[name] as (payload: unknown) => Promise<unknown>
    const answer = call(payload)
    return withinMs === undefined ? answer : withTimeout(clock, withinMs, answer)
  }) as AskBooks)
}
