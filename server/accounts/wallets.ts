/** Shared by wallets of users and teams: credits, and reading entries. */
import type { Clock } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import type { Credit, EntryRow } from '#shared/console/user'
import { formatUsd, parseUsd } from '#shared/money'
import type { Grant } from '#store/accounts/users'
import { checkViolation, outOfRange, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { type EntryFilter, type EntryPlace, type EntryRecord, pageEntries } from '#store/ledger/entries'
import { pageEntryDays } from '#store/ledger/entry-days'
import type { Directory } from './directory.ts'
import { invalid, readUsd } from './refusals.ts'

/** The credit to post. Throws `invalid_value` for zero, and for an invalid amount. */
export function readCredit(by: Actor, { amount: text, reason }: Credit, clock: Pick<Clock, 'now'>): Grant {
  const amount = readUsd(text, 'amount')
  if (amount === 0n) throw invalid('amount', 'an amount other than zero')
  return { amount, actor: by.id, reason, at: new Date(clock.now()) }
}

/** `invalid_value` for a credit that the wallet cannot hold, or cannot cover; any other error unchanged. */
export function refusedCredit(thrown: unknown): unknown {
  const state = sqlState(thrown)
  if (state === checkViolation) return invalid('amount', 'a deduction no larger than the available balance')
  if (state === outOfRange) return invalid('amount', 'an amount that the wallet can hold')
  return thrown
}

/**
 * Filter and position of entries. `after`: the `next` of an earlier page with the same filter. `days`: the time zone by whose days
 * charges are summed; absent: every entry.
 */
export type EntriesAsked = EntryFilter & { limit: number; after?: string; days?: string }

/** The entries of a wallet, newest first. Throws `invalid_value` when `after` is not a cursor of this list. */
export async function entriesOf(
  store: Store,
  directory: Directory,
  walletId: string,
  { after, days, ...asked }: EntriesAsked,
): Promise<Page<EntryRow>> {
  const rowOf = (entry: EntryRecord): EntryRow => ({
    id: String(entry.id),
    at: entry.at.toISOString(),
    kind: entry.kind,
    amount: formatUsd(entry.amount),
    balance: formatUsd(entry.balance),
    ref: entry.ref,
    actor: entry.actor,
    actorName: directory.users.get(entry.actor)?.name ?? null,
    reason: entry.reason,
  })
  if (days === undefined) {
    const { rows, next } = await pageEntries(store, walletId, { ...asked, ...(after !== undefined && { before: placeOf(after) }) })
    return { data: rows.map(rowOf), next: next && cursorAt(next) }
  }
  const { lines, next } = await pageEntryDays(store, walletId, {
    ...asked,
    timezone: days,
    ...(after !== undefined && { before: lineOf(after) }),
  })
  const data = lines.map(({ day, entries, ...entry }) => {
    const row = rowOf(entry)
    return day === null ? row : { ...row, ref: '', actor: '', actorName: null, reason: '', day, entries }
  })
  return { data, next: next === null ? null : lineCursor(next) }
}

/** Where a page of entries ends with this one. `byDay`: of lines by the day. */
export const entryCursor = ({ id, amount, balance }: EntryRow, byDay: boolean): string =>
  byDay ? lineCursor(BigInt(id)) : cursorAt({ id: BigInt(id), balance: parseUsd(balance) - parseUsd(amount) })

const cursorAt = ({ id, balance }: EntryPlace) => `${id}~${balance}`
const lineCursor = (id: bigint) => `day~${id}`
const badCursor = () => invalid('after', 'the `next` of an earlier page')

function placeOf(after: string): EntryPlace {
  const [, id, balance] = /^(\d{1,18})~(-?\d{1,18})$/.exec(after) ?? []
  if (id === undefined || balance === undefined) throw badCursor()
  return { id: BigInt(id), balance: BigInt(balance) }
}

function lineOf(after: string): bigint {
  const [, id] = /^day~(\d{1,18})$/.exec(after) ?? []
  if (id === undefined) throw badCursor()
  return BigInt(id)
}
