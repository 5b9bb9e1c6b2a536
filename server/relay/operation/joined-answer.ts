/** Converts a whole answer of another style, possibly in several parts, for the client. */
import type { CodecContext, WholeAnswer } from '#canonical/codec'
import { joinLosses } from '#canonical/loss'
import type { OperationEndpoint, OperationHead, OperationUpstream } from '#canonical/operation/operation'

/** The two sides of the conversion. */
export interface Answering {
  endpoint: OperationEndpoint
  upstream: OperationUpstream
  question: unknown
  head: OperationHead
  codecContext: CodecContext
}

/** `bodies`: one for each request. Throws GatewayError `upstream_error`. */
export function joinedAnswer({ endpoint, upstream, question, head, codecContext }: Answering, bodies: readonly string[]): WholeAnswer {
  const { answer, usage, losses } = upstream.readAnswer(bodies, question, head)
  const written = endpoint.writeAnswer(answer, question, codecContext)
  const joined = { body: written.body, usage, end: 'complete' as const, losses: joinLosses(losses, written.losses) }
  return { ...joined, ...(written.contentType && { contentType: written.contentType }) }
}
