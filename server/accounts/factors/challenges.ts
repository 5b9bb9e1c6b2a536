/**
 * Challenges for passkeys. A challenge is sealed, not stored, since anyone may request any number of them; it contains its expiry
 * and purpose, and is recorded once answered, so that no answer counts twice on any instance.
 */
import type { Clock } from '#runtime/clock'
import { type Sealer, sha256Hex } from '#runtime/secrets'
import { spendChallenge } from '#store/accounts/second-factors'
import type { Store } from '#store/engine/store'

/** Milliseconds that a person has to answer. */
export const challengeMs = 300_000

/** Makes and checks challenges. */
export interface Challenges {
  /** A text to sign; `subject`: its purpose and user. */
  make(subject: string): string
  /** Whether this challenge, base64url as browsers send it, was made here for the subject and is still valid. */
  holds(challenge: string, subject: string): boolean
  /** Marks it as answered correctly; false when it already was. */
  spend(challenge: string): Promise<boolean>
}

/** Challenges under the master key. */
export function createChallenges({ store, sealer, clock }: { store: Store; sealer: Sealer; clock: Clock }): Challenges {
  const identity = (subject: string) => `challenge ${subject}`

  /** Its expiry in milliseconds; undefined for anything not made here for this subject. */
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
    // After its expiry it is refused anyway.
    spend: (challenge) => spendChallenge(store, sha256Hex(challenge), new Date(clock.now() + challengeMs)),
  }
}
