/**
 * How one candidate is spoken to, as the rest of the staircase sees it: `native.ts` where both sides speak the same dialect,
 * `converted.ts` where they do not.
 */
import type { Frame, FrameVerdict, PassthroughCodec, WholeAnswer } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'
import type { SseSplitter } from '#shared/sse'
import type { UpstreamRequest } from '#upstream/upstream'

/** One upstream stream on its way to the client. */
export interface Passage {
  push(frame: Frame): FrameVerdict
  /** The upstream closed its side in order: the end of the answer, or `error` when something was missing. */
  close(): FrameVerdict
  /** What was used so far: roughly, where the upstream does not say. Asked again and again while it runs. */
  usage(): Usage
  /** The same for the bill: counted, where the upstream does not say. Absent = as `usage`. */
  counted?(): Usage
  /** How a complete answer ended. */
  finished(): 'complete' | 'length'
  /** What of the answer so far the client's dialect could not say; absent = nothing is ever lost. */
  losses?(): readonly Loss[]
  /** The failure in the client's dialect, terminator included; undefined where it has no words for it. */
  failure(error: GatewayError): Uint8Array | undefined
}

export interface Exchange {
  request: UpstreamRequest
  /** Reads what this upstream refuses with. */
  upstream: Pick<PassthroughCodec, 'readError'>
  /** Of the request. */
  losses: readonly Loss[]
  /** Further requests whose answers belong to the same answer, sent one after another. */
  rest?: readonly UpstreamRequest[]
  /** Throws GatewayError `upstream_error` when the body is no answer. `rest` has the answers of the further requests. */
  whole(body: string, rest: readonly string[]): WholeAnswer
  /** `type` is the content type of the upstream's answer. */
  passage(type: string): Passage
  /** Cuts a streamed answer into events. */
  splitter(type: string): SseSplitter
  /** May a stream be answered with this content type? Absent = anything but JSON and HTML. */
  streamsAs?(type: string): boolean
  /** What the client's stream is called; absent = server-sent events. */
  contentType?(type: string): string
}
