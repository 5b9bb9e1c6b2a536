/** Hands a complete answer to whoever stores it, before its last bytes leave. */
import type { RelayParts } from '#relay/contract/ask'
import type { ReadRequest } from '#relay/contract/steps'
import type { LongPictures } from '#relay/exchange/long-pictures'

/** Never rejects: an answer that was paid for is not withheld because it could not be stored. The log says so. */
export async function remember(
  { log }: Pick<RelayParts, 'log'>,
  { ask, head }: ReadRequest,
  text: string,
  pictures?: LongPictures,
): Promise<void> {
  try {
    await ask.answered?.(text, head.stream, pictures?.restored)
  } catch (thrown) {
    log.warn({ requestId: ask.requestId, err: thrown }, 'the conversation could not be kept')
  }
}
