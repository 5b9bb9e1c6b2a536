/**
 * What this instance has of one limit that others share: taken from the database ahead of need, used in memory. Plain
 * arithmetic, done in one go. Of a minute it is used up; of places it comes back with the end of a request.
 */
import type { RateAnswer, RateAsk } from '#store/rates'

/** By both clocks: one stands still while the machine sleeps, the other may be set. Milliseconds. */
export interface Moment {
  tick: number
  wall: number
}

/** Whether fewer than `ms` have passed, by either clock. */
export const isWithin = (ms: number, from: Moment, now: Moment): boolean => now.tick - from.tick < ms && Math.abs(now.wall - from.wall) < ms

/** What a call says of the stock itself. */
export type Parcel = Pick<RateAsk, 'keep' | 'burn' | 'back'>

export interface Stock {
  /** What may be used now. */
  spare(now: Moment): number
  /** What of that can be counted on for a while. */
  lasting(now: Moment): number
  /** Uses an amount that is there. To be called at the end with what was used in truth, less or more. */
  spend(amount: number, now: Moment): (used: number, now: Moment) => void
  /** Lays so much of what is spare aside, the oldest first, to go back with the next call. */
  shed(amount: number, now: Moment): void
  /** Whether the next call has anything to tell. */
  hasNews(now: Moment): boolean
  /** What the next call tells; it is told once. */
  parcel(now: Moment): Parcel
  receive(answer: RateAnswer, sent: Moment): void
  /** A call with this parcel failed: how it went is not known. */
  lost(parcel: Parcel): void
  /** Whether nothing of it is left to be given back. */
  isQuiet(): boolean
}

/** `valid`: whether the places of this instance are its own still. */
export function createPlaces(valid: (now: Moment) => boolean): Stock {
  /** What the database has for this instance, or less. */
  let leased = 0
  let held = 0
  let news = false
  const spare = (now: Moment) => (valid(now) ? leased - held : 0)

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
      // What others may have been given meanwhile is not counted on; open requests are, whoever has their places.
      if (!valid(now)) leased = held
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
