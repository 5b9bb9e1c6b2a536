/**
 * A conversation as it was sent, and what is read from it only when needed, at most once: the canonical request, and which
 * channels sealed the state that it holds.
 */

import type { ConversationCodec, Head, ScannedBody } from '#canonical/codec'
import type { ConversationRequest, MediaPart, Opaque, Part, Turn } from '#canonical/conversation'
import { envelopeMark, envelopeMarkInBase64 } from '#canonical/marks'
import { mayHoldEnvelope } from '#reasoning-state/envelope'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { Ask, Body } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'
import { type KeptState, keptState } from './kept-state.ts'

/** Channels by the value of the state that their accounts sealed; what the client said last is last. */
export type Makers = ReadonlyMap<string, string>

const noMakers: Makers = new Map()

export interface Reading {
  codec: ConversationCodec
  raw: string
  head: Head
  /** The text may hold state that Parley sealed, which no upstream may see. */
  hasEnvelopes: boolean
  /** It may hold state that only the account that made it can read. */
  mayBeBound: boolean
  /** It neither holds nor names any state: nobody has to be looked for who has it. */
  isFree: boolean
  /** With sealed state opened and forgotten state put back. Rejects with GatewayError for what cannot be read. */
  request(): Promise<ConversationRequest>
  /** Never rejects. */
  makers(): Promise<Makers>
  /** Who keeps the state that it names; undefined when it names none. Rejects with `not_found` for what this tenant did not create. */
  keptState(): Promise<KeptState | undefined>
  /** The text goes out as it is: what was scanned of it is not kept in memory for as long as the answer lasts. */
  letGo(): void
}

/** The body of a conversation, which is always text. Throws GatewayError `unsupported_media_type` for a form. */
function textOf({ content }: Body): string {
  if (typeof content !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  return content
}

/** The body of a conversation, scanned once. Throws GatewayError for what is no JSON object, or an ambiguous one. */
export const scanOf = (body: Body, { scan }: Pick<ConversationCodec, 'scan'>): ScannedBody => body.scanned ?? scan(textOf(body))

const hasCall = ({ parts }: Turn) => parts.some(({ kind }) => kind === 'call')
const hasParts = ({ parts }: Turn) => parts.length > 0

/** Throws GatewayError for what Parley itself reads. */
export function readingOf(reasoningState: ReasoningState, ask: Ask, codec: ConversationCodec, body: Body): Reading {
  const tenant = ask.caller.user.id
  const first = scanOf(body, codec)
  /** Until it has been read, or goes out as it is: a request may last for minutes. */
  let scanned: ScannedBody | undefined = first
  const raw = first.text
  const head = codec.readHead(first, ask.path)
  const hasEnvelopes = first.begins ? first.begins.has(envelopeMark) || first.begins.has(envelopeMarkInBase64) : mayHoldEnvelope(raw)
  let request: Promise<ConversationRequest> | undefined
  let makers: Promise<Makers> | undefined
  let kept: Promise<KeptState | undefined> | undefined

  const ownersOf = async (sealed: readonly Opaque[]): Promise<Makers> =>
    sealed.length === 0 ? noMakers : reasoningState.makersOf(tenant, sealed)

  async function read(): Promise<ConversationRequest> {
    const theirs = hasEnvelopes ? await ownersOf(head.sealed ?? []) : noMakers
    const asked = codec.readRequest(scanned ?? raw, ask.path)
    scanned = undefined
    const opened = hasEnvelopes ? reasoningState.unsealRequest(tenant, asked, theirs) : asked
    // What a client drops is remembered by the calls that it keeps.
    const restored = opened.turns.some(hasCall) ? await reasoningState.restoreDropped(tenant, opened) : opened
    return restored.turns.every(hasParts) ? restored : { ...restored, turns: restored.turns.filter(hasParts) }
  }
  const readOnce = () => (request ??= read())

  /** A body that cannot be read is refused later, if it has to be converted. */
  async function states(): Promise<readonly Opaque[]> {
    if (!hasEnvelopes) return head.sealed ?? []
    try {
      return reasoningState.statesIn(await readOnce())
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.blame === 'client') return []
      throw thrown
    }
  }

  async function findMakers(): Promise<Makers> {
    return ownersOf(await states())
  }

  async function findKept(): Promise<KeptState | undefined> {
    const named = head.stateRefs ?? []
    const known = body.known ?? []
    return named.length + known.length === 0 ? undefined : keptState(reasoningState, tenant, named, known, body.unresolved)
  }

  const mayBeBound = hasEnvelopes || (head.sealed?.length ?? 0) > 0
  return {
    codec,
    raw,
    head,
    hasEnvelopes,
    mayBeBound,
    isFree: !mayBeBound && (head.stateRefs?.length ?? 0) + (body.known?.length ?? 0) === 0,
    request: readOnce,
    makers: () => (makers ??= findMakers()),
    keptState: () => (kept ??= findKept()),
    letGo() {
      scanned = undefined
    },
  }
}

/** Every media part of a request, those in results of tools included. */
export function mediaOf({ turns }: ConversationRequest): MediaPart[] {
  return turns
    .flatMap(({ parts }) => parts.flatMap((part): Part[] => (part.kind === 'result' ? part.parts : [part])))
    .filter((part) => part.kind === 'media')
}
