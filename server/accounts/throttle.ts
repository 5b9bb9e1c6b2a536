/**
 * Limits password guessing: ten failures in fifteen minutes per name and per client address. An attempt counts from its start and is
 * taken back on success, so that many concurrent attempts do not slip through.
 */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'

const allowed = 10
const windowMs = 15 * 60_000
/** How many names and addresses are tracked; those with the oldest failures are dropped first. */
const capacity = 10_000

/** Counts failed sign-ins. */
export interface Throttle {
  /** Counts an attempt against both. Throws `too_many_attempts` when either has no attempt left. */
  attempt(name: string, address: string): Attempt
}

/** A counted attempt; call one of these unless it failed. */
export interface Attempt {
  /** Takes this attempt back and clears all failures of the name, but no others of the address. */
  succeeded(): void
  /** Takes this attempt back: it ended without a result. */
  undecided(): void
}

/** An empty throttle, in memory of this process only. */
export function createThrottle(clock: Clock): Throttle {
  const failures = new Map<string, number[]>()

  function recent(who: string, now: number): number[] {
    return (failures.get(who) ?? []).filter((at) => at > now - windowMs)
  }

  function put(who: string, times: number[]): void {
    failures.delete(who)
    if (times.length > 0) failures.set(who, times)
    for (const oldest of failures.keys()) {
      if (failures.size <= capacity) break
      failures.delete(oldest)
    }
  }

  function without(times: number[], at: number): number[] {
    const index = times.indexOf(at)
    return index < 0 ? times : times.toSpliced(index, 1)
  }

  return {
    attempt(name, address) {
      const now = clock.now()
      const byName = `name ${name}`
      const byAddress = `address ${networkOf(address)}`
      for (const who of [byName, byAddress]) refuseAfter(recent(who, now), now)
      for (const who of [byName, byAddress]) put(who, [...recent(who, now), now])
      const takeBack = (who: string) => put(who, without(recent(who, clock.now()), now))
      return {
        succeeded() {
          put(byName, [])
          takeBack(byAddress)
        },
        undecided() {
          takeBack(byName)
          takeBack(byAddress)
        },
      }
    },
  }
}

function refuseAfter(times: readonly number[], now: number): void {
  const [oldest] = times
  if (oldest === undefined || times.length < allowed) return
  const retryAfter = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000))
  throw new GatewayError('too_many_attempts', 'Too many failed attempts to sign in. Wait a while and try again.', { retryAfter })
}

/** An IPv4 address unchanged; of an IPv6 address the /64 prefix, since one subscriber has all of it. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (!address.includes(':')) return address
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
