/** Outcomes of a request of one dialect at upstreams of another one, or of its own, determined by running the codecs as the relay does. */
import type { ConversationRequest } from '#canonical/conversation'
import { conversationCodecs as codecs } from '#protocols/index'
import { remoteMedia } from '#relay/conversation/remote-media'
import { GatewayError } from '#shared/errors'
import { type Dialect, servedBy } from '#shared/ids'
import type { FetchMedia } from '#upstream/media'
import { type Cell, type Converted, compared, type Verdict } from './outcome.ts'

/** A case as it goes over the wire: the bodies of both requests as text. */
export interface WireCase {
  path: string
  body: string
  base: string
  hollow?: true
  /** For an event that belongs to an item: the stream without the item, and whether the event only reports its progress. */
  item?: { stream: string; isProgress: boolean }
}

/** The path parameter that a request of Gemini has. */
export const actionPath = 'asked:generateContent'

/** The cells of one case, for every upstream that serves its dialect. */
export async function requestCells(from: Dialect, { path, body, base, hollow }: WireCase): Promise<Cell[]> {
  const [wanted, plain] = await Promise.all([opened(from, body), opened(from, base)])
  return Promise.all(
    servedBy[from].map(async (to): Promise<Cell> => {
      if (to === from) return { from, to, path, ...native(from, body), ...(hollow && { hollow }) }
      const [one, other] = await Promise.all([written(wanted, to), written(plain, to)])
      return { from, to, path, ...compared(one, other), ...(hollow && { hollow }) }
    }),
  )
}

/** State in an account is refused to everyone but its owner, which a walk has not. */
function native(dialect: Dialect, raw: string): Verdict {
  const codec = codecs[dialect]
  try {
    const head = codec.readHead(codec.scan(raw), actionPath)
    if (head.stateRefs && head.stateRefs.length > 0) return { plain: 'refused', strict: 'refused' }
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.blame === 'client') return { plain: 'refused', strict: 'refused' }
    throw thrown
  }
  const outcome = codec.editRequest(raw, {}) === raw ? 'same' : 'silent'
  return { plain: outcome, strict: outcome }
}

type Opened = ConversationRequest | GatewayError

async function opened(dialect: Dialect, raw: string): Promise<Opened> {
  return attempt(async () => {
    const codec = codecs[dialect]
    const { stateRefs = [] } = codec.readHead(codec.scan(raw), actionPath)
    const named = stateRefs.find(({ aside }) => aside !== true)
    if (named) throw new GatewayError('not_found', `There is no ${named.kind} with this id.`)
    const request = codec.readRequest(raw, actionPath)
    // As the relay does: an empty turn means nothing.
    return { ...request, turns: request.turns.filter(({ parts }) => parts.length > 0) }
  })
}

async function written(request: Opened, to: Dialect): Promise<Converted | GatewayError> {
  if (request instanceof GatewayError) return request
  const codec = codecs[to]
  const target = { model: 'asked', capabilities: {}, stream: false }
  return attempt(async () => {
    const fetched = await remoteMedia(fetchFixture, new AbortController().signal)(request, (part) => codec.needsBytes(part, target))
    const { body, losses, memo } = codec.writeRequest(fetched.request, target)
    // Fields not sent upstream may still apply when its answer is read.
    return { text: JSON.stringify([body, memo]), losses: [...fetched.losses, ...losses] }
  })
}

const fetchFixture: FetchMedia = (url) => {
  const data = Buffer.from(url).toString('base64')
  return Promise.resolve({ mimeType: url.endsWith('.pdf') ? 'application/pdf' : 'image/png', data, bytes: data.length })
}

/** The result, or the refusal of what the caller sent. */
async function attempt<T>(work: () => Promise<T>): Promise<T | GatewayError> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof GatewayError && (thrown.blame === 'client' || thrown.code === 'not_found')) return thrown
    throw thrown
  }
}
