/** A conversation as it was sent. The canonical request, and the channels that sealed its state, are read on demand and at most once. */

import type { ConversationCodec, Head, ScannedBody } from '#canonical/codec'
import type { ConversationRequest, MediaPart, Opaque, Part, Turn } from '#canonical/conversation'
import { envelopeMark, envelopeMarkInBase64 } from '#canonical/marks'
import { mayHoldEnvelope } from '#reasoning-state/envelope'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Ask, Body } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'
import { type KeptState, keptState } from './kept-state.ts'

/** Channels by the state that their accounts sealed, in the order of the conversation. */
export type Makers = ReadonlyMap<string, string>

const noMakers: Makers = new Map()

export interface Reading {
  codec: ConversationCodec
  raw: string
  head: Head
  /** It may contain state that Parley sealed, which no upstream may see. */
  hasEnvelopes: boolean
  /** It may contain state that only the account that created it can read. */
  mayBeBound: boolean
  /** It neither contains nor names any state, so no owner has to be looked up. */
  isFree: boolean
  /** With sealed state opened and dropped state restored. Rejects with GatewayError when it cannot be read. */
  request(): Promise<ConversationRequest>
  /** Never rejects. */
  makers(): Promise<Makers>
  /**
   * The accounts that have the state it names; undefined when it names none. Rejects with `not_found` for state that this tenant did not
   * create.
   */
  keptState(): Promise<KeptState | undefined>
  /** Drops the scan result, which would otherwise stay in memory until the answer ends; the body is sent unchanged. */
  dropScan(): void
}

/** The body of a conversation as text. Throws GatewayError `unsupported_media_type` for a form. */
function textOf({ content }: Body): string {
  if (typeof content !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  return content
}

/** The body of a conversation, scanned once. Throws GatewayError unless it is an unambiguous JSON object. */
export const scanOf = (body: Body, { scan }: Pick<ConversationCodec, 'scan'>): ScannedBody => body.scanned ?? scan(textOf(body))

const hasCall = ({ parts }: Turn) => parts.some(({ kind }) => kind === 'call')
const hasParts = ({ parts }: Turn) => parts.length > 0

/** Throws GatewayError when a part that Parley reads is invalid. */
export const readingOf = (reasoningState: ReasoningState, ask: Ask, codec: ConversationCodec, body: Body): Reading =>
  new ScannedReading(reasoningState, ask, codec, body)

/** A class, because closures would be allocated for every request, though few requests need them. */
class ScannedReading implements Reading {
  readonly codec: ConversationCodec
  readonly raw: string
  readonly head: Head
  readonly hasEnvelopes: boolean
  readonly mayBeBound: boolean
  readonly isFree: boolean
  readonly #reasoningState: ReasoningState
  readonly #ask: Pick<Ask, 'caller' | 'path'>
  readonly #body: Body
  /** Kept until it is parsed or sent unchanged: a request may last for minutes. */
  #scanned: ScannedBody | undefined
  #request: Promise<ConversationRequest> | undefined
  #makers: Promise<Makers> | undefined
  #kept: Promise<KeptState | undefined> | undefined

  constructor(reasoningState: ReasoningState, ask: Ask, codec: ConversationCodec, body: Body) {
    const scanned = scanOf(body, codec)
    const { text, begins } = scanned
    const head = codec.readHead(scanned, ask.path)
    this.codec = codec
    this.raw = text
    this.head = head
    this.hasEnvelopes = begins ? begins.has(envelopeMark) || begins.has(envelopeMarkInBase64) : mayHoldEnvelope(text)
    this.mayBeBound = this.hasEnvelopes || (head.sealed?.length ?? 0) > 0
    this.isFree = !this.mayBeBound && (head.stateRefs?.length ?? 0) + (body.known?.length ?? 0) === 0
    this.#reasoningState = reasoningState
    this.#ask = ask
    this.#body = body
    this.#scanned = scanned
  }

  get #tenant(): string {
    return this.#ask.caller.user.id
  }

  request(): Promise<ConversationRequest> {
    this.#request ??= this.#read()
    return this.#request
  }

  makers(): Promise<Makers> {
    this.#makers ??= this.#findMakers()
    return this.#makers
  }

  keptState(): Promise<KeptState | undefined> {
    this.#kept ??= this.#findKept()
    return this.#kept
  }

  dropScan(): void {
    this.#scanned = undefined
  }

  async #read(): Promise<ConversationRequest> {
    const reasoningState = this.#reasoningState
    const theirs = this.hasEnvelopes ? await this.#ownersOf(this.head.sealed ?? []) : noMakers
    const asked = this.codec.readRequest(this.#scanned ?? this.raw, this.#ask.path)
    this.#scanned = undefined
    const opened = this.hasEnvelopes ? reasoningState.unsealRequest(this.#tenant, asked, theirs) : asked
    // State that a client drops is found again by the tool calls that it keeps.
    const restored = opened.turns.some(hasCall) ? await reasoningState.restoreDropped(this.#tenant, opened) : opened
    return restored.turns.every(hasParts) ? restored : { ...restored, turns: restored.turns.filter(hasParts) }
  }

  async #ownersOf(sealed: readonly Opaque[]): Promise<Makers> {
    return sealed.length === 0 ? noMakers : this.#reasoningState.makersOf(this.#tenant, sealed)
  }

  /** An unreadable body is refused later, if it has to be converted. */
  async #states(): Promise<readonly Opaque[]> {
    if (!this.hasEnvelopes) return this.head.sealed ?? []
    try {
      return this.#reasoningState.statesIn(await this.request())
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.blame === 'client') return []
      throw thrown
    }
  }

  async #findMakers(): Promise<Makers> {
    return this.#ownersOf(await this.#states())
  }

  async #findKept(): Promise<KeptState | undefined> {
    const named = this.head.stateRefs ?? []
    const { known = [], unresolved } = this.#body
    return named.length + known.length === 0 ? undefined : keptState(this.#reasoningState, this.#tenant, named, known, unresolved)
  }
}

/** Every media part of a request, those in results of tools included. */
export function mediaOf({ turns }: ConversationRequest): MediaPart[] {
  return turns
    .flatMap(({ parts }) => parts.flatMap((part): Part[] => (part.kind === 'result' ? part.parts : [part])))
    .filter((part) => part.kind === 'media')
}
