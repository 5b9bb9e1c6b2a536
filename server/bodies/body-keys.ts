/**
 * The keys of records, in their rows. The thread seals them with its own key, which is derived from the master key: this takes the work off
 * the thread that carries requests, and keeps the master key out of the other. Rows of earlier versions are sealed with the master key.
 */
import { type Sealer, sealer } from '#runtime/secrets'
import type { BodyRecord } from '#store/bodies/kept-bodies'

/** Prefix of values sealed with the thread's key. */
const mark = 'd.'

/** Associated data of a record's key. */
const nameOf = (requestId: string) => `body:${requestId}`

/** The key that the thread seals with, as 64 hexadecimal digits. */
export const threadKeyOf = (master: Sealer): string => master.derive('kept bodies')

/** The key of a record, sealed by the sealer of the thread's key. */
export const sealBodyKey = (own: Sealer, requestId: string, key: string): string => mark + own.seal(key, nameOf(requestId))

/** The record's key. Throws GatewayError `internal_error` for another master key, another row, or changed text. */
export function openBodyKey(master: Sealer, { requestId, sealedKey }: Pick<BodyRecord, 'requestId' | 'sealedKey'>): string {
  if (!sealedKey.startsWith(mark)) return master.open(sealedKey, nameOf(requestId))
  return sealer(threadKeyOf(master)).open(sealedKey.slice(mark.length), nameOf(requestId))
}
