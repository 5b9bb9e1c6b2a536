/**
 * What the database has granted to this instance of one limit that others share: taken ahead of need, used in memory. Synchronous
 * arithmetic. Per minute a grant is used up (`minute-grants.ts`); a place is returned at the end of its request.
 */

import type { Moment } from '#billing/lease/database-availability'
import type { RateAnswer, RateAsk } from '#store/ledger/rates'

/** What a call reports about the grants themselves. */
export type Parcel = Pick<RateAsk, 'keep' | 'burn' | 'back'>

/** What is granted of one limit. Amounts are whole tokens, requests or places. */
export interface Grants {
  /** How much may be used now. */
  spare(now: Moment): number
  /** How much of that can be counted on for a while. */
  lasting(now: Moment): number
  /** Uses an available amount. Call the result at the end with what was actually used, less or more. */
  spend(amount: number, now: Moment): (used: number, now: Moment) => void
  /** Sets that much of the spare aside, oldest first, to be given back with the next call. */
  shed(amount: number, now: Moment): void
  /** Whether the next call has anything to report. */
  hasNews(now: Moment): boolean
  /** What the next call reports; reported once. */
  parcel(now: Moment): Parcel
  /** Applies the answer to a call sent at `sent`. */
  receive(answer: RateAnswer, sent: Moment): void
  /** A call with this parcel failed with an unknown outcome. */
  lost(parcel: Parcel): void
  /** Whether nothing of it is left to be given back. */
  isQuiet(): boolean
}

/** Grants of places. `isValid`: whether the places of this instance are still its own. */
export function createPlaceGrants(isValid: (now: Moment) => boolean): Grants {
  /** What the database has granted to this instance, or less. */
  let leased = 0
  let held = 0
  let news = false
  const spare = (now: Moment) => (isValid(now) ? leased - held : 0)

  return {
    spare,
    lasting: spare,
    spend(amount) {
      held += amount
      return () => {
        held -= amount
      }
    },
    shed(amount) {
      leased -= amount
      news = true
    },
    hasNews: () => news,
    parcel(now) {
      // The spare part may have been granted to others meanwhile; open requests keep their places all the same.
      if (!isValid(now)) leased = held
      news = false
      return { keep: leased, burn: 0, back: {} }
    },
    receive({ got }) {
      leased += got
    },
    lost() {
      news = true
    },
    isQuiet: () => leased === held && !news,
  }
}
