/** The worker's jobs for a large request of an operation: write it for another style, and read its whole answers. */
import type { CodecContext, WholeAnswer } from '#canonical/codec'
import type { OperationEndpoint, OperationHead, OperationUpstream, WantedFile, WrittenOperation } from '#canonical/operation/operation'
import { operationCodecs } from '#protocols/operations'
import type {
  Finish,
  LargeAnswer,
  LargeAnswering,
  LargeAsk,
  LargeOperation,
  LargeQuestion,
  LargeQuestioned,
} from '#relay/contract/large-body'
import { finished, withParams } from '#relay/exchange/outgoing'
import { joinedAnswer } from '#relay/operation/joined-answer'
import type { SideOperation, Style } from '#shared/ids'
import { endpointOf } from './opened.ts'

interface Held {
  text: string
  asked: LargeAsk
}

function sidesOf({ asked }: Held, style: Style): { endpoint: OperationEndpoint; upstream: OperationUpstream } {
  return { endpoint: ownEndpoint(asked), upstream: upstreamOf(asked.operation as SideOperation, style) }
}

function upstreamOf(operation: SideOperation, style: Style): OperationUpstream {
  const upstream = operationCodecs[operation][style]
  return upstream && 'writeQuestion' in upstream ? upstream : nobody()
}

const ownEndpoint = (asked: LargeAsk): OperationEndpoint => endpointOf(asked) ?? nobody()

function nobody(): never {
  throw new Error('no such operation or style')
}

/** As `LargeBody.questioned`. Throws GatewayError. */
export function questioned(held: Held, wanted: LargeQuestion): LargeQuestioned | { wants: readonly WantedFile[] } {
  const { text, asked } = held
  const { style, target, params, digest, files } = wanted
  const { endpoint, upstream } = sidesOf(held, style)
  const question = endpoint.readQuestion(text, asked.path, asked.variant)
  const wants = files ? [] : (upstream.filesWanted?.(question, target) ?? [])
  if (wants.length > 0) return { wants }
  const { requests, losses } = upstream.writeQuestion(question, target, files ?? [])
  const bytesOf = onceEach({ params }, digest ? { digest } : {})
  const [first, ...rest] = requests
  const written = ({ body, ...others }: WrittenOperation): LargeOperation => ({ ...others, ...bytesOf(body) })
  return { requests: [written(first), ...rest.map(written)], losses, ...(endpoint.outline && { outline: endpoint.outline(question) }) }
}

/** A body that is sent several times is written once. */
function onceEach(channel: Parameters<typeof withParams>[1]['channel'], finish: Finish) {
  const known = new Map<unknown, ReturnType<typeof finished>>()
  return (body: WrittenOperation['body']) => {
    const found = known.get(body) ?? finished(textOf(body, channel), finish)
    known.set(body, found)
    return found
  }
}

function textOf(body: WrittenOperation['body'], channel: Parameters<typeof withParams>[1]['channel']): string {
  if (typeof body === 'string') return body
  // Files are sent in forms, which are never large JSON.
  if ('parts' in body || 'open' in body) throw new Error('a form cannot be written here')
  return JSON.stringify(withParams(body, { channel }))
}

/** As `LargeBody.answered`. Throws GatewayError. */
export function answered(held: Held, bodies: readonly string[], { style, edits, priced, now }: LargeAnswering): WholeAnswer {
  const { text, asked } = held
  const head: OperationHead = { ...ownEndpoint(asked).readHead(text, asked.path, asked.variant), ...(priced && { priced }) }
  if (style === undefined) return ownEndpoint(asked).readWhole(bodies[0] ?? '', edits, head)
  const { endpoint, upstream } = sidesOf(held, style)
  const question = endpoint.readQuestion(text, asked.path, asked.variant)
  const codecContext: CodecContext = { now: () => now, id: noIds }
  return joinedAnswer({ endpoint, upstream, question, head, codecContext }, bodies)
}

/** As `LargeBodies.answer`. Throws GatewayError. */
export function answerRead(bodies: readonly string[], { operation, endpoint: style, edits, head, converted }: LargeAnswer): WholeAnswer {
  const codec = operationCodecs[operation][style]
  const endpoint = codec && 'readHead' in codec ? codec : nobody()
  if (!converted) return endpoint.readWhole(bodies[0] ?? '', edits, head)
  const { question, now } = converted
  const codecContext: CodecContext = { now: () => now, id: noIds }
  return joinedAnswer({ endpoint, upstream: upstreamOf(operation, converted.style), question, head, codecContext }, bodies)
}

/** No answer of an operation has an id of its own. */
function noIds(): never {
  throw new Error('an answer of an operation has no id')
}
