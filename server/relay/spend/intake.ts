/**
 * Before a large body is read: whether its caller could be served at all. Reading, parsing and keeping it costs more than anything else
 * that a request which is refused can cost, so what its headers tell is asked first. A small body is cheaper to read than to judge.
 */
import type { Caller } from '#accounts/caller'
import type { Price } from '#billing/pricing/price'
import type { Ask, RelayParts } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'
import { accountsOf, limitsOf } from './hold.ts'

/** Bytes: a larger body is large. */
export const largeBody = 64 * 1024
const mebibyte = 1024 * 1024
/** Bytes of large bodies that are read or kept at once. A single one always may. */
const mostOfCaller = 96 * mebibyte
const mostOfAll = 768 * mebibyte

/** The large bodies of all requests that are being served. */
export interface Intake {
  /**
   * Takes room for the body; the result gives it back. Rejects with `rate_limit_exceeded`, `insufficient_quota` or `overloaded`, and as
   * `Limiter.refusal` and `Books.affords` do.
   */
  admit(ask: Pick<Ask, 'caller' | 'bytes'>): Promise<() => void>
}

/** Nothing is being read. */
export function createIntake({ limiter, books, prices, clock }: Pick<RelayParts, 'limiter' | 'books' | 'prices' | 'clock'>): Intake {
  const ofCaller = new Map<string, number>()
  let ofAll = 0

  function take(id: string, bytes: number): () => void {
    const mine = ofCaller.get(id) ?? 0
    if (mine > 0 && mine + bytes > mostOfCaller) throw callerIsFull()
    if (ofAll > 0 && ofAll + bytes > mostOfAll) throw allIsFull()
    ofCaller.set(id, mine + bytes)
    ofAll += bytes
    return () => {
      const left = (ofCaller.get(id) ?? 0) - bytes
      if (left > 0) ofCaller.set(id, left)
      else ofCaller.delete(id)
      ofAll -= bytes
    }
  }

  return {
    async admit({ caller, bytes }) {
      if (bytes <= largeBody) return nothing
      const refusal = limiter.refusal(limitsOf(caller))
      if (refusal) throw refusal
      if (!mayAskForNothing(caller, prices.all())) await books.affords(accountsOf(caller, clock.now()))
      return take(caller.key?.id ?? caller.user.id, bytes)
    },
  }
}

const nothing = () => undefined

/** Whether a model costs nothing that the caller may use, as far as its key says. */
function mayAskForNothing({ models, group: { ratio } }: Caller, prices: Iterable<Price>): boolean {
  if (ratio === 0n) return true
  for (const { model, rates } of prices) {
    const isFree = Object.values(rates).every((rate) => typeof rate !== 'bigint' || rate === 0n)
    if (isFree && (models === null || models.has(model))) return true
  }
  return false
}

const callerIsFull = () =>
  new GatewayError('rate_limit_exceeded', `The requests of this key that are being read have ${mostOfCaller / mebibyte} MiB already.`, {
    retryAfter: 1,
  })

const allIsFull = () =>
  new GatewayError('overloaded', 'Too much is being read at once. Nothing was charged. Try again shortly.', { retryAfter: 2 })
