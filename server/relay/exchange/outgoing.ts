/** What is sent to one candidate: where, with which headers, and what its channel changes in a body that Parley wrote. */

import type { Loss } from '#canonical/loss'
import type { Variant } from '#canonical/operation/operation'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Operation } from '#shared/ids'
import { createSseSplitter, type SseSplitter } from '#shared/sse'
import { withQuirk } from '#upstream/apply-quirk'
import type { Credential } from '#upstream/sign'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { authHeaders, schemeOf } from '#vendors/auth'
import { createEventStreamSplitter } from '#wire/event-stream'

export interface Outgoing {
  operation: Operation
  stream: boolean
  version: string
  variant?: Variant
}

/**
 * Nothing of the client's own headers goes out but what `extra` holds: those its dialect passes on to an upstream of the same
 * dialect, or those that the codec wrote. The rest is built here from the channel alone.
 */
export function outgoing(
  { operation, stream, version, variant }: Outgoing,
  candidate: Candidate,
  body: string | Payload,
  extra: Record<string, string> = {},
): UpstreamRequest {
  const { channel, key, model, dialect, style } = candidate
  const { vendor } = channel
  const target = {
    operation,
    dialect,
    model: model.upstream,
    stream,
    options: channel.options,
    ...(style && { style }),
    ...(variant && { variant }),
  }
  const request: UpstreamRequest = {
    method: 'POST',
    url: vendor.endpoint(channel.baseUrl, target),
    headers: {
      'content-type': typeof body === 'string' ? 'application/json' : body.type,
      accept: stream ? 'text/event-stream' : 'application/json',
      'user-agent': `parley/${version}`,
      ...extra,
      ...authHeaders(schemeOf(vendor, dialect), key?.secret),
      ...channel.headers,
    },
    body,
  }
  const quirk = vendor.body?.[dialect]
  return quirk ? withQuirk(request, quirk) : request
}

/** What the request is signed with, where a header is not enough. */
export function credentialOf({ channel, key, dialect }: Candidate): Credential {
  return { scheme: schemeOf(channel.vendor, dialect), secret: key?.secret, options: channel.options }
}

/** Cuts a streamed answer of this candidate into events. */
export function splitterOf({ channel }: Candidate): SseSplitter {
  return channel.vendor.framing === 'event-stream' ? createEventStreamSplitter() : createSseSplitter()
}

/** A body that Parley wrote, with the fields that the channel sets and removes. */
export function withParams(body: Record<string, unknown>, { channel }: Candidate): Record<string, unknown> {
  const removed = new Set(channel.params.remove ?? [])
  const kept = Object.entries(body).filter(([field]) => !removed.has(field))
  return Object.fromEntries([...kept, ...Object.entries(channel.params.set ?? {})])
}

/** Strict mode: a loss of meaning is a refusal. Throws `unsupported_value` with the field. */
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
