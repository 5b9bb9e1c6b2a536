/**
 * Limits password guessing without locking anyone out. Failures count by name and address together: ten are free, then each doubles
 * the wait, up to fifteen minutes. Failures also count by name and by address alone, with a higher limit and a wait of at
 * most a minute, which never refuses a user from a network where they have signed in before. An attempt counts from its start and is
 * undone on success, so that many concurrent attempts do not slip through.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { networkOf } from './network.ts'

const second = 1000
/** Failures before the first wait, and the longest wait in milliseconds. */
interface Rule {
  free: number
  longestMs: number
}
type Rules = Record<'pair' | 'name' | 'address', Rule>

/** For passwords, which anyone may try. */
const passwords: Rules = {
  pair: { free: 10, longestMs: 900 * second },
  name: { free: 100, longestMs: 60 * second },
  address: { free: 100, longestMs: 60 * second },
}
/** For second factors: only those who have given the password may try, but six digits are quickly guessed. */
export const ofFactors: Rules = {
  pair: { free: 5, longestMs: 900 * second },
  name: { free: 20, longestMs: 900 * second },
  address: { free: 100, longestMs: 60 * second },
}
/** Failures are forgotten after an hour without another one. */
const memoryMs = 3600 * second
/** How many names and addresses are tracked, separately for those that must wait and those that need not yet. */
const capacity = 10_000

/** Counts failed sign-ins. */
export interface Throttle {
  /**
   * Counts an attempt. Rejects with `too_many_attempts` when the name or address must wait. `isKnown`: whether this user has signed in
   * from this network before; asked only when it matters.
   */
  attempt(name: string, address: string, isKnown: () => Promise<boolean>): Promise<Attempt>
}

/** A counted attempt; call one of these unless it failed. */
export interface Attempt {
  /** Undoes this attempt and clears all failures of this name from this address. */
  succeeded(): void
  /** Undoes this attempt: it ended without a result. */
  undecided(): void
}

/** An empty throttle, in memory of this process only. `doing`: the action, for messages. */
export function createThrottle(clock: Pick<Clock, 'now'>, doing = 'to sign in', rules: Rules = passwords): Throttle {
  const refuse = (waitMs: number) => refuseFor(waitMs, doing)
  const counts = { pair: failureCounts(rules.pair), name: failureCounts(rules.name), address: failureCounts(rules.address) }

  return {
    async attempt(name, address, isKnown) {
      const network = networkOf(address)
      const pair = `${network} ${name}`
      const strangers = [counts.name.wait(name, clock.now()), counts.address.wait(network, clock.now())]
      refuse(counts.pair.wait(pair, clock.now()))
      if (Math.max(...strangers) > 0) {
        if (!(await isKnown())) refuse(Math.max(...strangers))
        // Concurrent attempts may have counted meanwhile.
        refuse(counts.pair.wait(pair, clock.now()))
      }
      const counted = [counts.pair.add(pair, clock.now()), counts.name.add(name, clock.now()), counts.address.add(network, clock.now())]
      const undecided = () => {
        for (const takeBack of counted) takeBack()
      }
      return {
        undecided,
        succeeded() {
          undecided()
          counts.pair.clear(pair)
        },
      }
    },
  }
}

function refuseFor(waitMs: number, doing: string): void {
  if (waitMs <= 0) return
  const retryAfter = Math.ceil(waitMs / second)
  throw new GatewayError('too_many_attempts', `Too many failed attempts ${doing}. Wait a while and try again.`, { retryAfter })
}

interface Failures {
  count: number
  lastAt: number
}

/**
 * Failures by key; keys that must wait are tracked separately from those that need not yet, so that others' failures do not displace a
 * wait.
 */
function failureCounts({ free, longestMs }: Rule) {
  const few = new Map<string, Failures>()
  const many = new Map<string, Failures>()

  function find(key: string, now: number): Failures | undefined {
    const found = many.get(key) ?? few.get(key)
    return found && now < found.lastAt + memoryMs ? found : undefined
  }

  function put(key: string, failures: Failures): void {
    few.delete(key)
    many.delete(key)
    if (failures.count <= 0) return
    const kept = failures.count >= free ? many : few
    kept.set(key, failures)
    for (const oldest of kept.keys()) {
      if (kept.size <= capacity) break
      kept.delete(oldest)
    }
  }

  return {
    /** Milliseconds until the next attempt; 0 = now. */
    wait(key: string, now: number): number {
      const found = find(key, now)
      if (found === undefined || found.count < free) return 0
      return Math.max(0, found.lastAt + Math.min(longestMs, second * 2 ** (found.count - free)) - now)
    },
    /** Counts one failure; returns a function that undoes it. */
    add(key: string, now: number): () => void {
      const before = find(key, now)
      put(key, { count: (before?.count ?? 0) + 1, lastAt: now })
      return () => {
        const { count, lastAt } = find(key, now) ?? { count: 0, lastAt: now }
        put(key, { count: count - 1, lastAt: lastAt === now && before ? before.lastAt : lastAt })
      }
    },
    clear(key: string): void {
      put(key, { count: 0, lastAt: 0 })
    },
  }
}
