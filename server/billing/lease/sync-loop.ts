/**
 * The only path from the leases in memory to the database, for money and limits alike: one call in flight, which batches everything.
 * When the outcome of a call is unknown the next one follows after a pause, by the timer only, however many requests arrive meanwhile.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { DatabaseAvailability } from './database-availability.ts'
import { type Moment, momentOf } from './database-availability.ts'
import { createScheduler } from './scheduler.ts'

/** Composes the calls to the database, and applies its answers. */
export interface SyncClient<Call, Answer> {
  /** Reads the actual state, after a call with an unknown outcome. Rejects when the database does not answer. */
  recover(): Promise<void>
  /** The call to send now; undefined: none. */
  compose(sentAt: Moment): Call | undefined
  /** Must number its calls, so that an abandoned one that arrives late has no effect. Rejects when there is no answer in time. */
  send(call: Call): Promise<Answer>
  /** Returns after how many milliseconds to call again; undefined: `hasMore` and `restMs` decide. */
  accept(call: Call, answer: Answer, sentAt: Moment): number | undefined
  /** The call (none: `recover`) failed. True when that was handled and the database is available all the same. */
  handled(error: unknown, call: Call | undefined): boolean
  /** The database has not answered the call (none: `recover`). */
  unanswered(call: Call | undefined): void
  /** Whether another call is needed at once. */
  hasMore(): boolean
  /** Milliseconds until the next call when there is no such reason; undefined: none is planned. */
  restMs(): number | undefined
}

/** The calls of one kind of lease. */
export interface SyncLoop {
  /** Calls as soon as possible; a database that does not answer is not called before the pause is over. */
  kick(): void
  /** Calls within so many milliseconds. */
  within(ms: number): void
  /** Kicks; resolves after a call that began later than this, or when there are no more. */
  round(): Promise<void>
  /** No more calls; resolves when the last one is over. */
  stop(): Promise<void>
  /** One more call after all others, if the database answers, and then none. */
  finish(): Promise<void>
}

/** Milliseconds before a database that did not answer is called again. */
const againMs = 100

/** Makes no call before it is kicked. */
export function createSyncLoop<Call, Answer>(clock: Clock, availability: DatabaseAvailability, client: SyncClient<Call, Answer>): SyncLoop {
  const scheduler = createScheduler(clock, { round: once, more: client.hasMore, rest: client.restMs })
  /** A call failed: its outcome is unknown. */
  let isUnsure = false

  async function once(): Promise<number | undefined> {
    // Batches whatever else happens in this turn.
    await Promise.resolve()
    let call: Call | undefined
    try {
      if (isUnsure) await client.recover()
      isUnsure = false
      const sentAt = momentOf(clock)
      call = client.compose(sentAt)
      if (call === undefined) return undefined
      const answer = await client.send(call)
      availability.answered(sentAt)
      return client.accept(call, answer, sentAt)
    } catch (thrown) {
      isUnsure = true
      if (client.handled(thrown, call)) return undefined
      availability.failed(thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown)
      client.unanswered(call)
      return againMs
    }
  }

  function kick(): void {
    if (availability.isAnswering() || !scheduler.isPlanned()) scheduler.now()
  }

  return {
    kick,
    within: scheduler.within,
    round() {
      const over = scheduler.over()
      kick()
      return over
    },
    stop: scheduler.stop,
    async finish() {
      await scheduler.stop()
      if (availability.isAnswering()) await once()
    },
  }
}
