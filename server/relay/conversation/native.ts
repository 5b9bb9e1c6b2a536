/** Same dialect on both sides: the client's own bytes with spliced edits, and the answer metered as it passes. */
import type { AnswerEdits, Frame, FrameVerdict, Head, Meter, PassthroughCodec, RequestEdits, StateRef } from '#canonical/codec'
import type { Opaque } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import type { Scale, TextListener, TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import { outgoing, refusable, refusedLosses, splitterOf } from '#relay/exchange/outgoing'
import { estimatorOf, roughlyAs } from '#relay/exchange/token-estimator'
import { topLevel } from '#relay/exchange/top-level'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Payload } from '#upstream/upstream'
import { forwardedHeaders } from '#vendors/forwarded-headers'

/** The edits to a body for a candidate of the same dialect. `unsent`: top-level fields that are removed. */
export function requestEdits({ head }: Asked, { channel, model }: Candidate, unsent: readonly string[]): RequestEdits {
  const { set, remove } = channel.params
  const edits: RequestEdits = {}
  if (model.upstream !== head.model) edits.model = model.upstream
  if (head.stream && !head.usageAsked) edits.forceUsage = true
  if (channel.systemPrompt !== null) edits.systemPrompt = channel.systemPrompt
  const cache = channel.vendor.cacheName && cacheOf(head, channel)
  if (cache) edits.set = { ...set, cachedContent: cache }
  else if (set) edits.set = set
  if (head.models || unsent.length > 0 || remove) edits.remove = [...(head.models ? ['models'] : []), ...unsent, ...(remove ?? [])]
  return edits
}

/** The cached content that the request names, by this vendor's name; undefined: it names none. */
function cacheOf({ stateRefs }: Head, { vendor, options }: Candidate['channel']): string | undefined {
  const named = stateRefs?.find(({ kind }) => kind === 'cached-content')?.id
  return named === undefined || named.startsWith('projects/') ? undefined : vendor.cacheName?.(named, options)
}

function answerEdits(head: Head, candidate: Candidate, previous: string | undefined): AnswerEdits {
  const { name, upstream } = candidate.model
  const edits: AnswerEdits = {}
  if (upstream !== name) edits.model = name
  if (!head.usageAsked) edits.hideUsage = true
  if (head.keepsAnswer) edits.keepsAnswer = true
  if (previous !== undefined) edits.previousResponse = previous
  return edits
}

/** Called with the state that the upstream sealed, and with what it created. */
type Claim = (brought: { sealed?: Opaque[]; created?: readonly StateRef[] }) => void

interface Watched {
  inputBytes: number
  estimator: TokenEstimator
  claim: Claim
}

/** Forwards the upstream's own events to the client. */
class NativePassage implements Passage, TextListener {
  readonly hasEndMarker = true
  readonly #codec: PassthroughCodec
  readonly #meter: Meter
  readonly #watched: Watched
  readonly #rough: Scale
  #textBytes = 0

  constructor(codec: PassthroughCodec, edits: AnswerEdits, watched: Watched) {
    this.#codec = codec
    this.#meter = codec.meter(edits, this)
    this.#watched = watched
    this.#rough = roughlyAs(watched.estimator)
  }

  push(frame: Frame): FrameVerdict {
    const verdict = this.#meter.push(frame)
    if (verdict.sealed || verdict.created) this.#watched.claim(verdict)
    return verdict
  }

  pass(text: string, from: number, most: number): ReturnType<NonNullable<Meter['pass']>> {
    return this.#meter.pass?.(text, from, most)
  }

  addText(text: string, bytes: number): void {
    this.#textBytes += bytes
    this.#watched.estimator.addText(text, bytes)
  }

  close(): FrameVerdict {
    if (this.#meter.end() !== 'cut') return { out: this.#meter.tail(), meaningful: true, last: true }
    return { out: undefined, meaningful: false, error: new GatewayError('upstream_error', 'The upstream ended its answer early.') }
  }

  usage(): Usage {
    return this.#meter.usage(this.#watched.inputBytes, this.#rough)
  }

  counted(): Usage {
    return this.#meter.usage(this.#watched.inputBytes, this.#watched.estimator)
  }

  textBytes(): number {
    return this.#textBytes
  }

  tier(): string | undefined {
    return this.#meter.tier?.()
  }

  finished(): 'complete' | 'length' {
    return this.#meter.end() === 'length' ? 'length' : 'complete'
  }

  failure(error: GatewayError): Uint8Array | undefined {
    return this.#meter.failure?.(error) ?? this.#codec.writeStreamError(error)
  }
}

const noNames: readonly string[] = []
const noLosses: readonly Loss[] = []

const noCompaction = () => new GatewayError('upstream_error', 'The upstream answered without a compaction.')

/** A body for an upstream of the client's dialect. */
export interface NativeBody {
  /** As the client sent it, with the conversation that Parley continued inserted. */
  raw: string
  /** What the client itself sent, for the upstream that has the conversation. */
  original?: string
  /** Losses of the body so far. */
  losses?: readonly Loss[] | undefined
  /** The response that the client continued; the conversation is sent instead. */
  previous?: string | undefined
}

/** Sends the client's bytes to this candidate, and meters its answer. */
export function nativeExchange(
  parts: RelayParts,
  asked: Asked,
  codec: PassthroughCodec,
  { raw, original, losses = noLosses, previous }: NativeBody,
  candidate: Candidate,
): Exchange {
  const sent = original ?? raw
  const own = original === undefined ? (asked.ask.ownFields ?? noNames) : noNames
  const known = refusable(candidate)
  const refused = known.length === 0 ? noNames : known.filter(topLevel(sent))
  const body = codec.editRequest(sent, requestEdits(asked, candidate, refused.length === 0 ? own : [...own, ...refused]))
  const estimator = () => estimatorOf(parts.log, asked, raw, candidate)
  const lost = refused.length === 0 ? losses : [...losses, ...refusedLosses(refused)]
  return editedExchange(parts, asked, codec, { body, losses: lost, estimator, previous }, candidate)
}

/** A body that is ready to be sent to a candidate of its dialect. */
export interface EditedBody {
  body: string | Payload
  losses: readonly Loss[]
  /** Counts what the upstream does not report; made when it answers. */
  estimator(): TokenEstimator
  /** As in NativeBody. */
  previous?: string | undefined
}

/** The client's headers that are forwarded to an upstream of its dialect. */
export function clientHeaders({ ask, head }: Asked, { dialect, channel }: Candidate): Record<string, string> {
  // In strict mode the upstream itself decides on the requested version.
  const isLenient = head.samples === true && !ask.strict && !channel.strict
  return forwardedHeaders(dialect, (name) => ask.headers.get(name), isLenient)
}

/** The same with a body that is already edited. */
export function editedExchange(
  parts: RelayParts,
  asked: Asked,
  codec: PassthroughCodec,
  { body, losses, estimator, previous }: EditedBody,
  candidate: Candidate,
): Exchange {
  const { ask, head } = asked
  const { inputBytes } = head
  const edits = answerEdits(head, candidate, previous)
  const notes: ReturnType<RelayParts['reasoningState']['created']> = []
  const claim: Claim = ({ sealed, created }) => {
    const { channel, key } = candidate
    if (sealed) parts.reasoningState.claim(ask.caller.user.id, channel.id, sealed)
    if (created) notes.push(...parts.reasoningState.created(ask.caller.user.id, { channel: channel.id, key: key?.id ?? null }, created))
  }
  const wanted = { operation: ask.operation, stream: head.stream, version: parts.version }
  return {
    request: outgoing(wanted, candidate, body, clientHeaders(asked, candidate)),
    upstream: codec,
    losses,
    whole(text) {
      const answer = codec.readWhole(text, edits, inputBytes, estimator())
      // An agent would replace its conversation with nothing.
      if (ask.operation === 'compact' && !answer.sealed?.length) throw noCompaction()
      claim(answer)
      return answer
    },
    notes: () => notes,
    splitter: () => splitterOf(candidate),
    passage: () => new NativePassage(codec, edits, { inputBytes, estimator: estimator(), claim }),
  }
}
