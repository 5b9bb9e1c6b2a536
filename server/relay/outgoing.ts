/** What is sent to one candidate: where, with which headers. */
import type { Candidate } from '#routing/order'
import type { UpstreamRequest } from '#upstream/upstream'
import { authHeaders } from '#vendors/auth'
import type { Call } from './call.ts'

/** Nothing of the client's own headers goes out: the set is built here from the channel alone. `extra` belongs to the dialect. */
export function upstreamRequest(call: Call, candidate: Candidate, body: string, extra: Record<string, string> = {}): UpstreamRequest {
  const { channel, key, model, dialect } = candidate
  const { stream } = call.head
  return {
    method: 'POST',
    url: channel.vendor.endpoint(channel.baseUrl, {
      operation: call.ask.operation,
      dialect,
      model: model.upstream,
      stream,
      options: channel.options,
    }),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'user-agent': `parley/${call.parts.version}`,
      ...extra,
      ...authHeaders(channel.vendor.auth, key?.secret),
      ...channel.headers,
    },
    body,
  }
}
