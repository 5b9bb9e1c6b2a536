/**
 * Failed sign-ins in the audit trail and the log. Anyone can cause them, and the trail is never deleted: so a bounded number a minute is
 * recorded one by one, and the rest as a count. The given name is recorded only if it is a user's: people type passwords there by mistake.
 */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { note, onRecord } from '#store/accounts/audit'
import type { Store } from '#store/engine/store'
import type { User } from './caller.ts'
import type { Origin } from './sessions.ts'

const perMinute = 20
const anyone = { id: 'anyone', name: null }
const action = 'session.refuse'

/** Why a sign-in was refused. */
export type Why = 'wrong' | 'wrong second factor' | 'throttled'

/** Records failed sign-ins. */
export interface SignInLog {
  /** `user`: the user with the given name, if any. */
  refused(user: User | undefined, from: Origin, why: Why): Promise<void>
  /** Writes the number of those that were not recorded, if any. */
  flush(): Promise<void>
}

/** In the audit trail of this store, and in the program's log. */
export function createSignInLog(store: Store, clock: Pick<Clock, 'now'>, log: Pick<Log, 'info'>): SignInLog {
  let minute = 0
  let recorded = 0
  let uncounted = 0

  return {
    async refused(user, { address = null, agent = null, requestId }, why) {
      const now = Math.floor(clock.now() / 60_000)
      if (now !== minute) recorded = 0
      minute = now
      if (recorded >= perMinute) {
        uncounted += 1
        return
      }
      recorded += 1
      const by = { ...anyone, ...(requestId !== undefined && { requestId }) }
      const whom = { target: user?.id ?? 'unknown', name: user?.name ?? 'unknown' }
      log.info({ user: whom.name, address, why }, 'a sign-in was refused')
      await onRecord(store, (store) => note(store, by, { action, ...whom, after: { address, agent: agent?.slice(0, 200) ?? null, why } }))
    },
    async flush() {
      const times = uncounted
      if (times === 0) return
      uncounted = 0
      log.info({ times }, 'more sign-ins were refused')
      try {
        await onRecord(store, (store) => note(store, anyone, { action, target: 'many', name: 'many', after: { times } }))
      } catch (thrown) {
        uncounted += times
        throw thrown
      }
    },
  }
}
