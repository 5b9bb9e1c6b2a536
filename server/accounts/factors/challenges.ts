/**
 * Challenges for passkeys. A challenge is sealed, not stored, since strangers may ask for any number of them; it says until when it holds
 * and what for, and is noted once it was answered, so that no answer counts twice on any instance.
 */
import type { Clock } from '#runtime/clock'
import { type Sealer, sha256Hex } from '#runtime/secrets'
import { spendChallenge } from '#store/accounts/second-factors'
import type { Store } from '#store/engine/store'

/** Milliseconds that a person has for an answer. */
export const challengeMs = 300_000

/** Makes and checks challenges. */
export interface Challenges {
  /** A text to sign; `subject` is what it is for, and for whom. */
  make(subject: string): string
  /** Whether this challenge, base64url as a browser sends it, was made here for the subject and still holds. */
  holds(challenge: string, subject: string): boolean
  /** Notes that it was answered rightly; false when it was before. */
  spend(challenge: string): Promise<boolean>
}

/** Challenges under the master key. */
export function createChallenges({ store, sealer, clock }: { store: Store; sealer: Sealer; clock: Clock }): Challenges {
  const identity = (subject: string) => `challenge ${subject}`

  /** When it ends, in milliseconds; undefined for what was not made here for this. */
  function endOf(challenge: string, subject: string): number | undefined {
    try {
      return Number(sealer.open(Buffer.from(challenge, 'base64url').toString('utf8'), identity(subject)))
    } catch {
      return undefined
    }
  }

  return {
    make: (subject) => sealer.seal(String(clock.now() + challengeMs), identity(subject)),
    holds: (challenge, subject) => clock.now() < (endOf(challenge, subject) ?? 0),
    // After its end it is refused anyway.
    spend: (challenge) => spendChallenge(store, sha256Hex(challenge), new Date(clock.now() + challengeMs)),
  }
}
