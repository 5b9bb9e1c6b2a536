/**
 * The keys of records, in their rows. The thread seals them with a key of its own, which is derived from the master key: it spares the thread
 * that carries requests that work, and never has the master key itself. Rows of earlier versions are sealed with the master key.
 */
import { type Sealer, sealer } from '#runtime/secrets'
import type { BodyRecord } from '#store/bodies/kept-bodies'

/** Before what is sealed with the thread's key. */
const mark = 'd.'

/** What the key of a record is sealed as. */
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
