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
  /** Takes events that are like one before, as `Meter.pass` does. */
  pass?: Meter['pass']
  /** The upstream closed its side in order: the end of the answer, or `error` when something was missing. */
  close(): FrameVerdict
  /** Usage so far; estimated roughly if the upstream does not report it. Called repeatedly during a stream. */
  usage(): Usage
  /** Usage for the bill: tokens are counted if the upstream does not report them. Absent: same as `usage`. */
  counted?(): Usage
  /** Bytes of all texts delivered so far, some perhaps twice: what its cost grows by. Absent: nobody knows, and every byte counts. */
  heard?(): number
  /** The answer itself says that it is finished, before its connection ends. Absent: only an orderly end says so. */
  saysItsEnd?: true
  /** How a complete answer ended. */
  finished(): 'complete' | 'length'
  /** The tier that the answer says it was served in, where its usage does not say it; absent: it never does. */
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
  /** Throws GatewayError `upstream_error` when the body is no answer, or rejects. `rest` has the answers of the further requests. */
  whole(body: string, rest: readonly string[]): Answered | Promise<Answered>
  /** The same of large answers, each in pieces, off this thread; absent: they are read here as well. Rejects likewise. */
  wholeLarge?(answers: readonly (readonly Uint8Array[])[]): Promise<WholeBytes>
  /** `type` is the content type of the upstream's answer. */
  passage(type: string): Passage
  /** Cuts a streamed answer into events. */
  splitter(type: string): SseSplitter
  /** Whether this content type is a stream. Absent: anything but JSON and HTML. */
  streamsAs?(type: string): boolean
  /** What the answer so far made in the upstream's account, for the usage row; absent: nothing can be made there. */
  notes?(): NonNullable<NewLog['notes']>
  /** Content type of the client's stream; absent: server-sent events. */
  contentType?(type: string): string
}
