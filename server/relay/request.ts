/** Step 6, the outgoing half: what exactly is sent to one candidate. Same dialect: the client's text with spliced edits. */
import type { Head, PassthroughCodec, RequestEdits } from '#canonical/codec'
import type { Candidate } from '#routing/order'
import type { UpstreamRequest } from '#upstream/upstream'
import { authHeaders } from '#vendors/auth'
import type { Ask } from './ask.ts'

function editsFor(candidate: Candidate, head: Head): RequestEdits {
  const { channel, model } = candidate
  return {
    ...(model.upstream === head.model ? {} : { model: model.upstream }),
    ...(head.stream && !head.usageAsked ? { forceUsage: true } : {}),
    ...(channel.systemPrompt === null ? {} : { systemPrompt: channel.systemPrompt }),
    ...(channel.params.set ? { set: channel.params.set } : {}),
    ...(channel.params.remove ? { remove: channel.params.remove } : {}),
  }
}

/** Nothing of the client's own headers goes out: the set is built here from the channel alone. */
export function upstreamRequest(
  ask: Ask,
  codec: PassthroughCodec,
  raw: string,
  head: Head,
  candidate: Candidate,
  version: string,
): UpstreamRequest {
  const { channel, key, model, dialect } = candidate
  return {
    method: 'POST',
    url: channel.vendor.endpoint(channel.baseUrl, {
      operation: ask.operation,
      dialect,
      model: model.upstream,
      stream: head.stream,
      options: channel.options,
    }),
    headers: {
      'content-type': 'application/json',
      accept: head.stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `parley/${version}`,
      ...authHeaders(channel.vendor.auth, key?.secret),
      ...channel.headers,
    },
    body: codec.editRequest(raw, editsFor(candidate, head)),
  }
}
