/** One call to the account that has an object, or will have it. */
import type { ObjectApi } from '#canonical/account-object'
import { conversationCodecs } from '#protocols/index'
import type { RelayParts } from '#relay/contract/ask'
import type { ObjectAsk, ObjectContent } from '#relay/contract/objects'
import { readPieces, textOf } from '#relay/exchange/answer-text'
import { signed } from '#relay/exchange/outgoing'
import type { Channel, ChannelModel } from '#routing/channel'
import type { Candidate } from '#routing/order'
import type { AnswerHeaders } from '#runtime/contract/http-client'
import { GatewayError } from '#shared/errors'
import type { PhaseTimer } from '#upstream/timeouts'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { dialectOf, objectAddress } from '#vendors/account-objects'
import { authHeaders, isSigned, schemeOf } from '#vendors/auth'
import { forwardedHeaders } from '#vendors/forwarded-headers'
import { writeMultipart } from '#wire/multipart'

/** Maximum bytes of an answer, including files. */
const mostBytes = 64 * 1024 * 1024
/** Maximum bytes of JSON that is parsed: a larger answer is forwarded unread. */
const mostJson = 4 * 1024 * 1024
/** Sent to Messages if the client sent none. */
const usualVersion = '2023-06-01'

/** For requests without a model. */
export const noModel: ChannelModel = { name: '', upstream: '', capabilities: {} }

/** The public names of a channel's models, by the upstream's names. */
export const callersNames = ({ models }: Channel): Map<string, string> =>
  new Map([...models.values()].map(({ name, upstream }) => [upstream, name]))

export interface ObjectCall {
  api: ObjectApi
  method: UpstreamRequest['method']
  /** After the version, with its query. */
  path: string
  content?: ObjectContent | undefined
  /** The client's headers. */
  headers: Pick<Headers, 'get'>
  upload?: ObjectAsk['upload']
}

export interface ObjectAnswer {
  status: number
  headers: AnswerHeaders
  pieces: readonly Uint8Array[]
  /** The body as text and as JSON, if it is JSON. */
  text?: string
  value?: unknown
}

type Parts = Pick<RelayParts, 'upstream' | 'signer' | 'version' | 'random'>

/** The answer to a successful call. Rejects with the upstream's refusal. */
export async function call(parts: Parts, candidate: Candidate, asked: ObjectCall, timer: PhaseTimer): Promise<ObjectAnswer> {
  const request = await signed(parts.signer, requestOf(parts, candidate, asked), timer.signal)
  const answer = await parts.upstream.open(request, timer.signal, () => timer.connected())
  try {
    const { pieces, size, whole } = await readPieces(answer, mostBytes)
    const { status, headers } = answer
    if (status < 200 || status > 299) {
      throw conversationCodecs[dialectOf[asked.api]].readError(status, new Headers([...headers]), textOf(pieces))
    }
    if (!whole) throw new GatewayError('upstream_error', `The upstream answered with more than ${mostBytes} bytes.`)
    return { status, headers, pieces, ...(size <= mostJson && parsed(headers, pieces)) }
  } finally {
    answer.cancel()
  }
}

/** Whether an answer is JSON. */
export const isJson = (headers: AnswerHeaders): boolean => /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '')

function parsed(headers: AnswerHeaders, pieces: readonly Uint8Array[]): Pick<ObjectAnswer, 'text' | 'value'> {
  if (!isJson(headers)) return {}
  const text = textOf(pieces)
  try {
    return { text, value: text.trim() === '' ? {} : JSON.parse(text) }
  } catch {
    throw new GatewayError('upstream_error', 'The upstream answered with something that is not JSON.')
  }
}

function requestOf({ version, random }: Parts, { channel, key }: Candidate, asked: ObjectCall): UpstreamRequest {
  const { api, method, path, content, headers, upload } = asked
  const dialect = dialectOf[api]
  const scheme = schemeOf(channel.vendor, dialect)
  const body = content && bodyOf(content, random)
  return {
    method,
    url: upload?.url === undefined ? objectAddress(channel, api, path, upload !== undefined) : atOwnHost(channel.baseUrl, upload.url),
    headers: {
      accept: '*/*',
      'user-agent': `parley/${version}`,
      ...(api === 'messages' && { 'anthropic-version': usualVersion }),
      ...forwardedHeaders(api === 'openai' ? 'responses' : dialect, (name) => headers.get(name)),
      ...upload?.headers,
      ...(body !== undefined && { 'content-type': typeof body === 'string' ? 'application/json' : body.type }),
      ...authHeaders(scheme, key?.secret),
      ...channel.headers,
    },
    body,
    ...(channel.route && { route: channel.route }),
    ...(isSigned(scheme) && { credential: { scheme, secret: key?.secret, options: channel.options } }),
  }
}

/** Resolves a URL from an upstream at the channel's own host, whatever host it names: the channel's credential is sent nowhere else. */
function atOwnHost(baseUrl: string, named: string): string {
  const { pathname, search } = new URL(named, baseUrl)
  return `${new URL(baseUrl).origin}${pathname}${search}`
}

function bodyOf(content: ObjectContent, random: Parts['random']): string | Payload {
  if ('text' in content) return content.text
  if ('form' in content) return writeMultipart(content.form.parts, `parley-${random.base62(24)}`)
  const { bytes, type } = content
  return { type, length: bytes.length, open: () => new Blob([new Uint8Array(bytes)]).stream() }
}
