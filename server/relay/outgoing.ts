/** What is sent to one candidate: where, with which headers. */
import type { Candidate } from '#routing/order'
import type { Operation } from '#shared/ids'
import type { UpstreamRequest } from '#upstream/upstream'
import { authHeaders } from '#vendors/auth'

export interface Outgoing {
  operation: Operation
  stream: boolean
  version: string
}

/**
 * Nothing of the client's own headers goes out but what `extra` holds: those its dialect passes on to an upstream of the same
 * dialect, or those that the codec wrote. The rest is built here from the channel alone.
 */
export function outgoing(
  { operation, stream, version }: Outgoing,
  candidate: Candidate,
  body: string,
  extra: Record<string, string> = {},
): UpstreamRequest {
  const { channel, key, model, dialect } = candidate
  const { vendor } = channel
  return {
    method: 'POST',
    url: vendor.endpoint(channel.baseUrl, { operation, dialect, model: model.upstream, stream, options: channel.options }),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'user-agent': `parley/${version}`,
      ...extra,
      ...authHeaders(vendor.authBy?.[dialect] ?? vendor.auth, key?.secret),
      ...channel.headers,
    },
    body,
  }
}
