/**
 * Rate and concurrency limits shared by all instances. What an instance takes counts immediately, used or not; what it does not use
 * is returned. Each call of an instance carries an increasing number: an abandoned call that arrives late is rejected. The
 * database's clock is the only one.
 */
import { eq, sql } from 'drizzle-orm'
import { rateHolders } from '#db/schema'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'

/** An instance's request for one limit: see the comment of the function in the migration. */
export interface RateAsk {
  id: string
  /** The limit itself. */
  cap: number
  /** Granted in full or not at all. */
  need: number
  /** Total demand of waiting requests. */
  claim: number
  /** In advance, for future requests. */
  ahead: number
  /** Concurrency limits: the places that the instance counts on. Absent for rate limits. */
  keep?: number
  /** Rate limits: used without having been taken. */
  burn: number
  /** Rate limits: taken and not used, by sub-window. */
  back: Readonly<Record<string, number>>
}

/** One call of an instance. */
export interface RateCall {
  /** The instance (process start) that calls. */
  holder: string
  /** Larger than in every earlier call of this holder. */
  seq: number
  asks: readonly RateAsk[]
  /** Milliseconds after which an unseen holder loses its places. */
  writeOffMs: number
  /** True when the caller has reached the database all that time, so that an unseen holder is really gone. */
  trusting: boolean
}

/** The answer for one limit. */
export interface RateAnswer {
  id: string
  /** Granted for the sub-window `slot`; for concurrency: places beyond those kept. */
  got: number
  /** True when less than `need` was available. */
  short: boolean
  /** True when the other instances should be asked to return what they can spare. */
  tell: boolean
  /** Milliseconds worth waiting for that. */
  waitMs: number
  /** Milliseconds for which no instance should keep more than it needs. */
  scarceMs: number
  /** The database's time, in milliseconds since the epoch. */
  at: number
  slot: number
  /** Taken in each sub-window, newest first. */
  ring: number[]
}

/** Runs one call in one transaction. `at`: replaces the database's time in tests. Rejects with `isFenced`. */
export async function syncRates(
  { db }: Pick<Store, 'db'>,
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

/** Returns all places of a holder that shuts down. */
export async function forgetRateHolder({ db }: Pick<Store, 'db'>, holder: string): Promise<void> {
  await db.delete(rateHolders).where(eq(rateHolders.id, holder))
}

/** Deletes limits unused for an hour, a thousand at a time. */
export async function sweepRates({ db }: Pick<Store, 'db'>): Promise<void> {
  await db.execute(sql`delete from rate_holders where seen < clock_timestamp() - interval '1 hour'`)
  await db.execute(sql`
    delete from rates where id in (
      select id from rates where slot < extract(epoch from clock_timestamp()) / 5 - 720
        and not exists (select from rate_places where rate_id = rates.id)
      limit 1000 for update skip locked)`)
}
