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
/** Bytes of large bodies that are read or kept at once, for a caller and in all. A single one always may. */
const inMemory = { mostOfCaller: 96 * mebibyte, mostOfAll: 768 * mebibyte }
const onDisk = { mostOfCaller: 512 * mebibyte, mostOfAll: 4096 * mebibyte }

/** The large bodies of all requests that are being served. */
export interface Intake {
  /**
   * Takes room for the body; the result gives it back. Rejects with `rate_limit_exceeded`, `insufficient_quota` or `overloaded`, and as
   * `Limiter.refusal` and `Books.affords` do.
   */
  admit(ask: Pick<Ask, 'caller' | 'bytes' | 'isSpooled'>): Promise<() => void>
}

/** Nothing is being read. */
export function createIntake({ limiter, books, prices, clock }: Pick<RelayParts, 'limiter' | 'books' | 'prices' | 'clock'>): Intake {
  const memory = createRoom(inMemory)
  const disk = createRoom(onDisk)
  return {
    async admit({ caller, bytes, isSpooled = false }) {
      if (bytes <= largeBody) return nothing
      const refusal = limiter.refusal(limitsOf(caller))
      if (refusal) throw refusal
      if (!mayAskForNothing(caller, prices.all())) await books.affords(accountsOf(caller, clock.now()))
      return (isSpooled ? disk : memory).take(caller.key?.id ?? caller.user.id, bytes)
    },
  }
}

/** Counts the bytes that callers have taken, and refuses more than there is room for. */
function createRoom({ mostOfCaller, mostOfAll }: typeof inMemory) {
  const ofCaller = new Map<string, number>()
  let ofAll = 0
  return {
    take(id: string, bytes: number): () => void {
      const mine = ofCaller.get(id) ?? 0
      if (mine > 0 && mine + bytes > mostOfCaller) throw callerIsFull(mostOfCaller)
      if (ofAll > 0 && ofAll + bytes > mostOfAll) throw allIsFull()
      ofCaller.set(id, mine + bytes)
      ofAll += bytes
      return () => {
        const left = (ofCaller.get(id) ?? 0) - bytes
        if (left > 0) ofCaller.set(id, left)
        else ofCaller.delete(id)
        ofAll -= bytes
      }
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

const callerIsFull = (most: number) =>
  new GatewayError('rate_limit_exceeded', `The requests of this key that are being served have ${most / mebibyte} MiB at most.`, {
    retryAfter: 1,
  })

const allIsFull = () =>
  new GatewayError('overloaded', 'Too much is being read at once. Nothing was charged. Try again shortly.', { retryAfter: 2 })
