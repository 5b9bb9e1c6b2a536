/** Address and headers of a request to one candidate. */

import type { Variant } from '#canonical/operation/operation'
import type { Candidate } from '#routing/order'
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
 * Of the client's headers only those in `extra` are sent: those that its dialect passes on to an upstream of the same dialect, or
 * that the codec wrote. All others are built here from the channel alone.
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
  return withQuirk(request, vendor.body?.[dialect])
}

/** The credentials that sign the request, for vendors that need more than a header. */
export function credentialOf({ channel, key, dialect }: Candidate): Credential {
  return { scheme: schemeOf(channel.vendor, dialect), secret: key?.secret, options: channel.options }
}

/** Splits a streamed response of this candidate into events. */
export function splitterOf({ channel }: Candidate): SseSplitter {
  return channel.vendor.framing === 'event-stream' ? createEventStreamSplitter() : createSseSplitter()
}
