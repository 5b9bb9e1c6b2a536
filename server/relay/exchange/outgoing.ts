/**
 * The request to one candidate: its URL and headers, and the JSON of a conversation with the fields that the channel adds, sets and
 * removes.
 */

import type { ConversationCodec, Memo, Target } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { Variant } from '#canonical/operation/operation'
import type { Finish, FinishedBytes } from '#relay/contract/large-body'
import type { Channel } from '#routing/channel'
import type { Candidate } from '#routing/order'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { sha256Hex } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import type { Operation } from '#shared/ids'
import { createSseSplitter, type SseSplitter } from '#shared/sse'
import { quirkedBody, withQuirk } from '#upstream/apply-quirk'
import type { Signer } from '#upstream/sign'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { authHeaders, isSigned, schemeOf } from '#vendors/auth'
import type { BodyQuirk } from '#vendors/vendor'
import { bytewise } from '#wire/bytewise'
import { createEventStreamSplitter } from '#wire/event-stream'

export interface Outgoing {
  operation: Operation
  stream: boolean
  version: string
  variant?: Variant
}

/** Where the requests of one kind to one candidate go, and how they authenticate; the same until the channel changes. */
type Destination = Pick<UpstreamRequest, 'url' | 'headers' | 'route' | 'credential'>

const encoder = new TextEncoder()

/** A changed channel is a new object, so nothing here becomes stale. */
const destinations = new WeakMap<Channel, Map<string, Destination>>()

/** The URL with the channel's headers. Throws GatewayError `unsupported_endpoint` for an endpoint that the vendor lacks. */
export function destinationOf(wanted: Omit<Outgoing, 'version'>, candidate: Candidate): Destination {
  const { channel, key, model, dialect, style = '' } = candidate
  const { operation, stream, variant = '' } = wanted
  const known = destinations.get(channel) ?? new Map<string, Destination>()
  const name = `${operation} ${stream} ${variant} ${style} ${dialect} ${key?.id ?? ''} ${model.upstream}`
  const found = known.get(name)
  if (found) return found
  const destination = newDestination(wanted, candidate)
  destinations.set(channel, known.set(name, destination))
  return destination
}

function newDestination({ operation, stream, variant }: Omit<Outgoing, 'version'>, candidate: Candidate): Destination {
  const { channel, key, model, dialect, style } = candidate
  const { vendor, options } = channel
  const scheme = schemeOf(vendor, dialect)
  const target = { operation, dialect, model: model.upstream, stream, options, ...(style && { style }), ...(variant && { variant }) }
  return {
    url: vendor.endpoint(channel.baseUrl, target),
    headers: { ...authHeaders(scheme, key?.secret), ...channel.headers },
    ...(channel.route && { route: channel.route }),
    ...(isSigned(scheme) && { credential: { scheme, secret: key?.secret, options } }),
  }
}

/**
 * Of the client's own headers only those in `extra` are sent: those that its dialect forwards to an upstream of the same dialect, or those
 * that the codec wrote. All others are built here from the channel.
 */
export function outgoing(
  wanted: Outgoing,
  candidate: Candidate,
  body: string | Payload,
  extra: Record<string, string> = {},
): UpstreamRequest {
  const destination = destinationOf(wanted, candidate)
  const request: UpstreamRequest = {
    ...destination,
    method: 'POST',
    headers: {
      'content-type': typeof body === 'string' ? 'application/json' : body.type,
      accept: wanted.stream ? 'text/event-stream' : 'application/json',
      'user-agent': `parley/${wanted.version}`,
      ...extra,
      ...destination.headers,
    },
    body,
  }
  const quirk = candidate.channel.vendor.body?.[candidate.dialect] && quirkOf(wanted.operation, candidate)
  return quirk ? withQuirk(request, quirk) : request
}

function quirkOf(operation: Operation, { channel: { vendor }, model, dialect }: Candidate): BodyQuirk | undefined {
  // A cloud's changes to the Messages body do not apply to Converse.
  const quirk = vendor.converses?.(model.upstream) ? undefined : vendor.body?.[dialect]
  if (!quirk) return undefined
  // The URL for counting does not name the model, so it stays in the body.
  return operation === 'count-tokens' ? { ...quirk, remove: quirk.remove.filter((field) => field !== 'model') } : quirk
}

/** The vendor's last changes to bytes for this candidate; `headers`: those that its dialect forwards. */
export function finishOf(operation: Operation, candidate: Candidate, headers: Readonly<Record<string, string>> = {}): Finish {
  const { channel, dialect } = candidate
  const quirk = quirkOf(operation, candidate)
  const list = quirk?.listFromHeader
  const listed = list && (channel.headers[list.header] ?? headers[list.header])
  return {
    ...(quirk && { quirk }),
    ...(listed !== undefined && { listed }),
    ...(schemeOf(channel.vendor, dialect) === 'sigv4' && { digest: true }),
  }
}

/** A body changed for its vendor, and hashed if it will be signed. `headers`: those that were written with it. */
export function finished(text: string, { quirk, listed, digest }: Finish, headers: Readonly<Record<string, string>> = {}): FinishedBytes {
  const list = quirk?.listFromHeader
  const bytes = encoder.encode(quirk ? quirkedBody(text, quirk, listed ?? (list && headers[list.header])) : text)
  return { bytes, ...(digest && { sha256: sha256Hex(bytes) }) }
}

/** The request as it is sent: signed, if its headers alone do not authenticate it. Rejects as `Signer.sign` does. */
export async function signed(signer: Signer, request: UpstreamRequest, signal: AbortSignalLike): Promise<UpstreamRequest> {
  return request.credential ? signer.sign(request, request.credential, signal) : request
}

/** The request with its trace headers, which no signature covers. */
export const inTrace = (request: UpstreamRequest, headers: Record<string, string>): UpstreamRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

/** Cuts a streamed answer of this candidate into events. */
export function splitterOf({ channel }: Candidate): SseSplitter {
  return channel.vendor.framing === 'event-stream' ? createEventStreamSplitter() : createSseSplitter({ bytewise })
}

/** The fields that this upstream is known to reject, except those that its channel sets. */
export function refusable({ channel, dialect }: Candidate): readonly string[] {
  const refused = channel.vendor.refuses?.[dialect] ?? noFields
  const { set } = channel.params
  return set ? refused.filter((field) => !Object.hasOwn(set, field)) : refused
}

const noFields: readonly string[] = []

/** The losses for fields that this upstream rejects. */
export const refusedLosses = (fields: readonly string[]): Loss[] =>
  fields.map((field) => ({ field, what: 'dropped', reason: 'This upstream rejects the field.', meaning: false }))

/** A body that Parley wrote, with the fields that the channel sets and removes. */
export function withParams(body: Record<string, unknown>, { channel }: { channel: Pick<Channel, 'params'> }): Record<string, unknown> {
  const removed = new Set(channel.params.remove ?? [])
  const kept = Object.entries(body).filter(([field]) => !removed.has(field))
  return Object.fromEntries([...kept, ...Object.entries(channel.params.set ?? {})])
}

/** Strict mode: throws `unsupported_value` with the field for a loss of meaning. */
export function refuseLosses(losses: readonly Loss[]): void {
  const loss = losses.find((one) => one.meaning)
  if (loss) {
    throw new GatewayError(
      'unsupported_value',
      `This upstream cannot carry \`${loss.field}\`, and strict mode was asked for: ${loss.reason}`,
      { param: loss.field },
    )
  }
}

/** Parameters of writing a request. */
export interface WrittenFor {
  target: Target
  channel: Pick<Channel, 'systemPrompt' | 'params'>
  /** Fields that this upstream rejects. */
  refuses: readonly string[]
  /** A loss of meaning is refused. */
  strict: boolean
  /** Earlier losses. */
  lost: readonly Loss[]
}

/** A request for an upstream. */
export interface WrittenBody {
  body: string
  headers: Record<string, string>
  losses: readonly Loss[]
  memo: Memo
}

/** Throws GatewayError `unsupported_value` when the upstream's dialect cannot express the request. */
export function writtenBody(
  upstream: Pick<ConversationCodec, 'writeRequest'>,
  request: ConversationRequest,
  { target, channel, refuses, strict, lost }: WrittenFor,
): WrittenBody {
  const written = upstream.writeRequest(withChannelPrompt(request, channel.systemPrompt), target)
  const refused = refuses.filter((field) => written.body[field] !== undefined)
  const losses = [...lost, ...written.losses, ...refusedLosses(refused)]
  if (strict) refuseLosses(losses)
  const accepted = Object.fromEntries(Object.entries(written.body).filter(([field]) => !refused.includes(field)))
  return { body: JSON.stringify(withParams(accepted, { channel })), headers: written.headers, losses, memo: written.memo }
}

function withChannelPrompt(request: ConversationRequest, prompt: string | null): ConversationRequest {
  if (prompt === null) return request
  return { ...request, instructions: [{ role: 'system', text: prompt }, ...request.instructions] }
}
