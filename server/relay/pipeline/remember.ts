/** Passes a complete answer on to be stored, before its last bytes are sent. */
import type { RelayParts } from '#relay/contract/ask'
import type { ReadRequest } from '#relay/contract/steps'
import type { LongPictures } from '#relay/exchange/long-pictures'

/** Never rejects: an answer that was paid for is not withheld because it could not be stored. The failure is logged. */
export async function remember(
  { log }: Pick<RelayParts, 'log'>,
  { ask, head }: ReadRequest,
  text: string,
  pictures?: LongPictures,
): Promise<void> {
  try {
    await ask.answered?.(text, head.stream, pictures?.restored)
  } catch (thrown) {
    log.warn({ requestId: ask.requestId, err: thrown }, 'the conversation could not be stored')
  }
}
