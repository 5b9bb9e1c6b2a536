/**
 * Checks before a large body is read whether its caller could be served at all. Reading, parsing and storing the body is the most expensive
 * part of a request that is refused in the end, so everything that its headers reveal is checked first. A small body is cheaper to read
 * than to check.
 */
import type { Caller } from '#accounts/caller'
import type { Price } from '#billing/pricing/price'
import type { RelayParts } from '#relay/contract/ask'
import type { BodyRoom, Intake } from '#relay/contract/body-rooms'
import { createBodyRooms } from './body-rooms.ts'
import { accountsOf, limitsOf } from './hold.ts'

/** Bytes above which a body counts as large. */
export const largeBody = 64 * 1024

type IntakeParts = Pick<RelayParts, 'limiter' | 'books' | 'prices' | 'clock' | 'rooms'>

export function createIntake({ limiter, books, prices, clock, rooms = createBodyRooms() }: IntakeParts): Intake {
  return {
    async admit({ caller, bytes, isSpooled = false }) {
      if (bytes <= largeBody) return noRoom
      const refusal = limiter.refusal(limitsOf(caller))
      if (refusal) throw refusal
      if (!mayAskForNothing(caller, prices.all())) await books.affords(accountsOf(caller, clock.now()))
      const room = rooms.open(caller.key?.id ?? caller.user.id, isSpooled)
      room.grow(bytes)
      return room
    },
  }
}

const noRoom: BodyRoom = { grow: () => undefined, release: () => undefined }

/** Whether the caller may use a free model, as far as its key says. */
function mayAskForNothing({ models, group: { ratio } }: Caller, prices: Iterable<Price>): boolean {
  if (ratio === 0n) return true
  for (const { model, rates } of prices) {
    const isFree = Object.values(rates).every((rate) => typeof rate !== 'bigint' || rate === 0n)
    if (isFree && (models === null || models.has(model))) return true
  }
  return false
}
