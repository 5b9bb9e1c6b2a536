/**
 * Limits per minute and at once, kept by all instances together. What one takes counts at once, whether it is used or not; what
 * is not used is given back. Each call of an instance carries a number that only grows: a call that was given up and arrives
 * late is refused. The database's clock is the only one.
 */
import { eq, sql } from 'drizzle-orm'
import { rateHolders } from '#db/schema'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** What an instance wants of one limit: see the comment of the function in the migration. */
export interface RateAsk {
  id: string
  /** The limit itself. */
  cap: number
  /** This or nothing. */
  need: number
  /** What waits in all. */
  claim: number
  /** For those who will come. */
  ahead: number
  /** For requests at once: the places that the instance counts on. Absent for a limit per minute. */
  keep?: number
  /** Per minute: used, and not taken before. */
  burn: number
  /** Per minute: by sub-window, taken and not used. */
  back: Readonly<Record<string, number>>
}

export interface RateCall {
  /** The process start that asks. */
  holder: string
  /** Larger than in every call of this holder before. */
  seq: number
  asks: readonly RateAsk[]
  /** Milliseconds after which a holder that was not seen has lost its places. */
  writeOffMs: number
  /** The caller has reached the database all that time, so that a holder that was not seen is gone. */
  trusting: boolean
}

export interface RateAnswer {
  id: string
  /** Taken, for the sub-window `slot`; of places: more than were kept. */
  got: number
  /** There was less than the need. */
  short: boolean
  /** The others should be told to give back what they can spare. */
  tell: boolean
  /** How long it is worth waiting for that, in milliseconds. */
  waitMs: number
  /** How long nobody should keep more than is needed, in milliseconds. */
  scarceMs: number
  /** The time of the database, in milliseconds since the epoch. */
  at: number
  slot: number
  /** Taken in each sub-window, the newest first. */
  ring: number[]
}

/** One call, one transaction. `at`: instead of the database's time, for tests. Rejects with `isFenced`. */
export async function syncRates(
  { db }: Store,
  { holder, seq, asks, writeOffMs, trusting }: RateCall,
  at?: Date,
): Promise<Map<string, RateAnswer>> {
  const time = at === undefined ? sql`` : sql`, ${at.toISOString()}::timestamptz`
  const result = await db.execute(
    sql`select rates_sync(${holder}, ${seq}::bigint, ${JSON.stringify(asks)}::text::jsonb, ${writeOffMs}::integer, ${trusting}::boolean${time})::text as answer`,
  )
  const answers = returned<{ answer: string }>(result).map(({ answer }): RateAnswer => JSON.parse(answer))
  return new Map(answers.map((answer) => [answer.id, answer]))
}

/** Gives back all places of a holder that ends. */
export async function forgetRateHolder({ db }: Store, holder: string): Promise<void> {
  await db.delete(rateHolders).where(eq(rateHolders.id, holder))
}

/** Removes what nobody has used for an hour; a thousand limits at a time. */
export async function sweepRates({ db }: Store): Promise<void> {
  await db.execute(sql`delete from rate_holders where seen < clock_timestamp() - interval '1 hour'`)
  await db.execute(sql`
    delete from rates where id in (
      select id from rates where slot < extract(epoch from clock_timestamp()) / 5 - 720
        and not exists (select from rate_places where rate_id = rates.id)
      limit 1000 for update skip locked)`)
}
