/**
 * Which way a candidate is spoken to. The client's request is read into the canonical conversation at most once, and only
 * when a candidate needs it: its dialect differs, or the text carries state that Parley sealed for another dialect.
 */
import type { Pen } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { conversationCodecs } from '#protocols/index'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { mayHoldEnvelope } from '#vault/envelope'
import type { Call } from './call.ts'
import { convertedWay } from './converted.ts'
import { nativeWay } from './native.ts'
import type { Way } from './way.ts'

/** Characters of base62 in an id that Parley makes. */
const idLength = 24

/** `call` is asked for when the first way is needed. */
export function waysOf(call: () => Call): (candidate: Candidate) => Promise<Way | GatewayError> {
  let request: Promise<ConversationRequest> | undefined

  async function read({ ask, codec, raw, parts }: Call): Promise<ConversationRequest> {
    const tenant = ask.caller.user.id
    return parts.vault.completeRequest(tenant, parts.vault.carryInRequest(tenant, codec.readRequest(raw, ask.path)))
  }

  return async (candidate) => {
    const now = call()
    const { parts, raw, codec } = now
    if (candidate.native && !mayHoldEnvelope(raw)) return nativeWay(now, candidate)
    const pen: Pen = { now: parts.clock.now, id: (prefix) => prefix + parts.dice.base62(idLength) }
    try {
      request ??= read(now)
      return convertedWay(now, candidate, { client: codec, upstream: conversationCodecs[candidate.dialect], request: await request, pen })
    } catch (thrown) {
      // What the client wrote cannot be said to this candidate; anything else is a fault of ours and is not hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }
}
