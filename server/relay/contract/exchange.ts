/**
 * One request to one candidate, as the other steps see it: `native.ts` when both sides use the same dialect, `converted.ts` when
 * they do not.
 */
import type { NewLog } from '#billing/ledger/books'
import type { Frame, FrameVerdict, Meter, PassthroughCodec, WholeAnswer } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { GatewayError } from '#shared/errors'
import type { SseSplitter } from '#shared/sse'
import type { UpstreamRequest } from '#upstream/upstream'
import type { WholeBytes } from './large-body.ts'

/** One upstream stream on its way to the client. */
export interface Passage {
  push(frame: Frame): FrameVerdict
  /** Takes events that differ from an earlier one only in their text, as `Meter.pass` does. */
  pass?: Meter['pass']
  /** The upstream closed its side in order: the end of the answer, or `error` when something was missing. */
  close(): FrameVerdict
  /** Usage so far; estimated roughly if the upstream does not report it. Called repeatedly during a stream. */
  usage(): Usage
  /** Usage for the bill: tokens are counted if the upstream does not report them. Absent: same as `usage`. */
  counted?(): Usage
  /** Bytes of text delivered so far, from which the cost grows; some may be counted twice. Absent: unknown, so every byte counts. */
  textBytes?(): number
  /** The answer has its own end marker. Absent: it ends when its connection is closed in order. */
  hasEndMarker?: true
  /** How a complete answer ended. */
  finished(): 'complete' | 'length'
  /** The service tier that the answer reports outside of its usage; absent: it never does. */
  tier?(): string | undefined
  /** Losses of the answer so far; absent: none are possible. */
  losses?(): readonly Loss[]
  /** The failure in the client's dialect, terminator included; undefined if the dialect cannot express it. */
  failure(error: GatewayError): Uint8Array | undefined
}

/** As text, or as bytes. */
type Answered = WholeAnswer | WholeBytes

export interface Exchange {
  request: UpstreamRequest
  /** Parses this upstream's error responses. */
  upstream: Pick<PassthroughCodec, 'readError'>
  /** Losses of the request. */
  losses: readonly Loss[]
  /** Further requests, sent one after another, whose answers are merged into one. */
  rest?: readonly UpstreamRequest[]
  /**
   * Throws or rejects with GatewayError `upstream_error` when the body is not a valid answer. `rest` has the answers of the further
   * requests.
   */
  whole(body: string, rest: readonly string[]): Answered | Promise<Answered>
  /** The same for large answers, each in pieces, on the worker; absent: they are read on this thread. Rejects likewise. */
  wholeLarge?(answers: readonly (readonly Uint8Array[])[]): Promise<WholeBytes>
  /** `type` is the content type of the upstream's answer. */
  passage(type: string): Passage
  /** Cuts a streamed answer into events. */
  splitter(type: string): SseSplitter
  /** Whether this content type is a stream. Absent: anything but JSON and HTML. */
  streamsAs?(type: string): boolean
  /** What the answer so far has created in the upstream's account, for the usage row; absent: it cannot create anything. */
  notes?(): NonNullable<NewLog['notes']>
  /** Content type of the client's stream; absent: server-sent events. */
  contentType?(type: string): string
}
