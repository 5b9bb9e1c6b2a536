/** The facts read from a large body when it is opened: what Parley reads from any body, as plain data that can cross between threads. */
import { sampleRequest } from '#billing/tokens/tokenizer'
import type { ConversationCodec, Head } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { OperationEndpoint, OperationHead } from '#canonical/operation/operation'
import { conversationCodecs, countCodecs } from '#protocols/index'
import { operationCodecs } from '#protocols/operations'
import { nativeInteractions } from '#protocols/wordings'
import { questionOf } from '#reasoning-state/call-names'
import { mayHoldEnvelope } from '#reasoning-state/envelope'
import type { LargeAsk } from '#relay/contract/large-body'
import type { Storing } from '#relay/contract/stored'
import { isOddlySpelled } from '#relay/conversation/odd-spelling'
import { storingOf } from '#relay/conversation/stored-exchange'
import { GatewayError } from '#shared/errors'
import { type Dialect, isSideOperation, type Style } from '#shared/ids'

export interface Opened {
  head: Head | OperationHead
  hasEnvelopes: boolean
  isOddlySpelled: boolean
  ownHasEnvelopes: boolean
  storing: Storing
  sample: ReturnType<typeof sampleRequest>
  readsAnswers: boolean
  reworded?: readonly Loss[]
}

/** Throws GatewayError `invalid_json` for bytes that are not UTF-8. */
export function decoded(pieces: readonly Uint8Array[]): string {
  const [first] = pieces
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(first && pieces.length === 1 ? first : Buffer.concat(pieces))
  } catch {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.')
  }
}

/** The client's side of an operation; undefined for a conversation. */
export function endpointOf({ operation, dialect }: LargeAsk): OperationEndpoint | undefined {
  if (!isSideOperation(operation)) return undefined
  const endpoint = operationCodecs[operation][dialect as Style]
  if (!endpoint || !('readHead' in endpoint)) throw new Error('an operation without a client side')
  return endpoint
}

/** The codec of a conversation. */
export const conversationOf = ({ dialect }: LargeAsk): ConversationCodec => conversationCodecs[dialect as Dialect]

/** Reads and edits bodies that are forwarded to an upstream of the same dialect or style. */
export function passingOf({ operation, dialect }: LargeAsk) {
  if (operation === 'interact') return nativeInteractions
  if (operation === 'count-tokens') return countCodecs[dialect as keyof typeof countCodecs]
  return conversationCodecs[dialect as Dialect]
}

/** The digest of the question, under which tool calls of the answer are remembered; undefined if it has no tools. */
export const questionIn = (request: ConversationRequest): string | undefined => (request.tools.length > 0 ? questionOf(request) : undefined)

const nothingStored: Storing = { waits: false, keeps: false, references: [] }

/** The part of a body that Parley reads. Throws GatewayError. */
export function headOf(text: string, asked: LargeAsk): { head: Head | OperationHead; storing: Storing } {
  const endpoint = endpointOf(asked)
  if (endpoint) return { head: endpoint.readHead(text, asked.path, asked.variant), storing: nothingStored }
  const codec = passingOf(asked)
  const scanned = codec.scan(text)
  const storing = asked.dialect === 'responses' ? storingOf(scanned.value) : nothingStored
  return { head: codec.readHead(scanned, asked.path), storing }
}

/** Throws GatewayError. */
export function factsOf(text: string, own: string, asked: LargeAsk): Opened {
  const { head: whole, storing } = headOf(text, asked)
  const { question, ...head } = whole as OperationHead
  const mayHold = (body: string) => !isSideOperation(asked.operation) && mayHoldEnvelope(body)
  const hasEnvelopes = mayHold(text)
  return {
    head,
    hasEnvelopes,
    ownHasEnvelopes: own === text ? hasEnvelopes : mayHold(own),
    storing,
    isOddlySpelled: asked.dialect === 'chat' && isOddlySpelled(text),
    readsAnswers: question !== undefined,
    sample: sampleRequest({ body: text, bytes: head.inputBytes, hasFiles: head.media.length > 0 }),
  }
}
