/** Credits and refunds of payment systems, each posted once under its reference, with its entry in the ledger. Amounts in nano-dollars. */
import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { accounts } from '#db/ledger'
import { credits } from '#db/selling'
import { checkViolation, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { postGrant, readWallets } from '#store/ledger/ledger'
import { onRecord } from './audit.ts'
import { hasWords } from './codes.ts'
import type { Beside } from './users.ts'

/** A row. */
export type CreditRecord = typeof credits.$inferSelect

/** Result of a posting: the row, which may be an earlier one; or `conflict`: the reference belongs to a different posting. */
export type Posted = { row: CreditRecord; repeated: boolean } | 'conflict'

/** Why a refund was not posted. */
export type RefundRefusal = 'unknown' | 'exceeds' | 'nothing'

/** A requested refund. */
export interface RefundAsked {
  reference: string
  /** The reference of the credit. */
  of: string
  /** Positive; undefined: everything not refunded yet. */
  amount: bigint | undefined
  /** Take what is left if that is less. */
  partial: boolean
  reason: string
  /** The original request, to recognise a repetition. */
  asked: string
  actor: string
  at: Date
}

/** The credit or refund with this reference. */
export async function loadCredit({ db }: Pick<Store, 'db'>, reference: string): Promise<CreditRecord | undefined> {
  const [row] = await db.select().from(credits).where(eq(credits.reference, reference))
  return row
}

/** Filter and position of a list of credits and refunds. */
export interface CreditsAsked {
  limit: number
  /** Where the previous page ended. */
  after?: { at: Date; reference: string }
  /** That credit and its refunds. */
  reference?: string
  walletId?: string
  kind?: 'credit' | 'refund'
  /** Part of the reference, the reason or the refunded reference, or a wallet with one of these ids. */
  words?: { text: string; walletIds: readonly string[] }
}

/** Newest first, each with its refunds so far; one row more than requested where there are more. */
export const pageCredits = ({ db }: Store, asked: CreditsAsked): Promise<(CreditRecord & { refunded: bigint })[]> => {
  const { limit, after, reference, walletId, kind, words } = asked
  const refunded = sql`(select coalesce(-sum(r.amount), 0) from credits r where r.refund_of = credits.reference)`.mapWith(BigInt)
  return db
    .select({ ...getTableColumns(credits), refunded })
    .from(credits)
    .where(
      and(
        reference === undefined ? undefined : or(eq(credits.reference, reference), eq(credits.refundOf, reference)),
        walletId === undefined ? undefined : eq(credits.walletId, walletId),
        kind && (kind === 'refund' ? isNotNull(credits.refundOf) : isNull(credits.refundOf)),
        words &&
          or(
            hasWords(words.text, credits.reference, credits.reason, credits.refundOf),
            words.walletIds.length > 0 ? inArray(credits.walletId, [...words.walletIds]) : undefined,
          ),
        after && or(lt(credits.at, after.at), and(eq(credits.at, after.at), lt(credits.reference, after.reference))),
      ),
    )
    .orderBy(desc(credits.at), desc(credits.reference))
    .limit(limit + 1)
}

/** Posts a credit once under its reference. `beside` runs in the transaction that posts it. Rejects with out of range when the wallet cannot hold the sum. */
export async function postPayment(store: Store, row: CreditRecord, actor: string, beside: Beside): Promise<Posted> {
  const done = await onRecord(store, async (store): Promise<Posted> => {
    const before = await claim(store, row)
    if (before) return before.asked === row.asked ? { row: before, repeated: true } : 'conflict'
    await enter(store, row, `payment:${row.reference}`, actor)
    await beside(store)
    return { row, repeated: false }
  })
  if (done !== 'conflict' && !done.repeated) await store.changes.publish('accounts', row.walletId)
  return done
}

/**
 * Posts a refund once under its reference, of at most what is left of the credit. If the wallet has too little, leases are first recalled
 * from every instance; then the result is `nothing`, or with `partial` what is left is taken. `beside` gets the row.
 */
export async function postRefund(
  store: Store,
  refund: RefundAsked,
  beside: (store: Store, row: CreditRecord) => Promise<void>,
): Promise<Posted | RefundRefusal> {
  const credit = await loadCredit(store, refund.of)
  const walletId = credit?.walletId ?? ''
  for (let tries = 1; ; tries++) {
    try {
      const done = await refundOnce(store, refund, refund.partial && tries > recalls, beside)
      if (typeof done === 'object' && !done.repeated) await store.changes.publish('accounts', walletId)
      return done
    } catch (thrown) {
      if (sqlState(thrown) !== checkViolation) throw thrown
      if (tries > recalls) return 'nothing'
      await store.changes.publish('leases', walletId)
      // This instance has returned its part already; others get the request a moment later.
      if (store.engine === 'postgres') await store.db.execute(sql`select pg_sleep(${recallSeconds})`)
    }
  }
}

const recalls = 5
const recallSeconds = 0.1

const refundOnce = (
  store: Store,
  { reference, of, amount, reason, asked, actor, at }: RefundAsked,
  some: boolean,
  beside: (store: Store, row: CreditRecord) => Promise<void>,
): Promise<Posted | RefundRefusal> =>
  onRecord(store, async (store) => {
    const known = await loadCredit(store, reference)
    if (known) return known.asked === asked ? { row: known, repeated: true } : 'conflict'
    // Refunds of one credit are serialised.
    const [credit] = await store.db.select().from(credits).where(eq(credits.reference, of)).for('update')
    if (!credit || credit.refundOf !== null) return 'unknown'
    const [{ sum } = { sum: 0n }] = await store.db
      .select({ sum: sql`coalesce(sum(${credits.amount}), 0)`.mapWith(BigInt) })
      .from(credits)
      .where(eq(credits.refundOf, of))
    const open = credit.amount + sum
    const wanted = amount ?? open
    if (wanted > open || wanted === 0n) return 'exceeds'
    const taken = some ? await spareOf(store, credit.walletId, wanted) : wanted
    if (taken === 0n) return 'nothing'
    const row = { reference, walletId: credit.walletId, amount: -taken, asked, reason, refundOf: of, at }
    const before = await claim(store, row)
    if (before) return before.asked === asked ? { row: before, repeated: true } : 'conflict'
    await enter(store, row, `refund:${reference}`, actor)
    await beside(store, row)
    return { row, repeated: false }
  })

/** What the wallet can spare now, at most this much. */
async function spareOf({ db }: Store, walletId: string, most: bigint): Promise<bigint> {
  const [wallet] = await db.select({ free: accounts.free }).from(accounts).where(eq(accounts.id, walletId)).for('no key update')
  const free = wallet?.free ?? 0n
  return free < most ? free : most
}

/** Inserts the row, which claims its reference; returns the row that already has it, if any. Waits for a concurrent claim. */
async function claim(store: Store, row: CreditRecord): Promise<CreditRecord | undefined> {
  const made = await store.db.insert(credits).values(row).onConflictDoNothing().returning({ reference: credits.reference })
  return made.length > 0 ? undefined : loadCredit(store, row.reference)
}

async function enter(store: Store, { walletId, amount, reason, at }: CreditRecord, ref: string, actor: string): Promise<void> {
  await postGrant(store.db, { walletId, amount, ref, kind: 'credit', actor, reason, at })
  // Leased money counts too: a balance that exceeds the column could no longer be read.
  await readWallets(store.db, [walletId])
}
