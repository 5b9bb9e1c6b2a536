/**
 * What the worker does with large bodies: read, edit and convert them. Synchronous and without any I/O or secret; what must be looked up
 * or opened is asked of the other thread before. A body stays as text, and what was parsed of it only until the next step of one conversion.
 */
import { sampleRequest } from '#billing/tokens/tokenizer'
import type { ConversationCodec, Head, RequestEdits } from '#canonical/codec'
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import type { OperationDoor, OperationHead } from '#canonical/operation/operation'
import type { RealtimeFrame } from '#canonical/operation/realtime'
import { conversationCodecs, countCodecs } from '#protocols/index'
import { operationCodecs, withModel } from '#protocols/operations'
import { realtimeCodec } from '#protocols/realtime'
import { mayHoldEnvelope } from '#reasoning-state/envelope'
import { openedRequest } from '#reasoning-state/opened-request'
import { statesIn } from '#reasoning-state/state-walk'
import type { Exchange } from '#reasoning-state/stored-conversations'
import { bareCalls, restored, type ToolCallState } from '#reasoning-state/tool-call-state'
import type {
  FoundBytes,
  LargeAsk,
  LargeConversion,
  LargeConverted,
  LargeEdited,
  LargeRecorded,
  OpenedStates,
  StoredBytes,
} from '#relay/contract/large-body'
import type { Rewritten, StoredView, Storing } from '#relay/contract/stored'
import { portable } from '#relay/conversation/account-bound'
import { isOddlySpelled } from '#relay/conversation/odd-spelling'
import { previewOf } from '#relay/conversation/preview'
import { mediaOf } from '#relay/conversation/reading'
import { remoteMedia } from '#relay/conversation/remote-media'
import { inputItems, recorded, rewritten, storingOf } from '#relay/conversation/stored-exchange'
import { shown } from '#relay/conversation/stored-view'
import { writtenBody } from '#relay/exchange/outgoing'
import { topLevel } from '#relay/exchange/top-level'
import type { OtherDialect } from '#shared/console/preview'
import { GatewayError } from '#shared/errors'
import { type Dialect, isSideOperation, type Style } from '#shared/ids'
import { errorOf, type Refusal, refusalOf } from './refusal.ts'

/** What is known of a body when it is opened. */
export interface Opened {
  head: Head | OperationHead
  hasEnvelopes: boolean
  isOddlySpelled: boolean
  ownHasEnvelopes: boolean
  storing: Storing
  sample: ReturnType<typeof sampleRequest>
}

/** The wanted files of a conversion as they cross. */
export type CrossingConversion = Omit<LargeConversion, 'files'> & { files: ReadonlyMap<string, FetchedFile | Refusal> }
type FetchedFile = Exclude<LargeConversion['files'] extends ReadonlyMap<string, infer File> ? File : never, GatewayError>

/** The steps that can be asked for. Each throws GatewayError as `LargeBody` says. */
export interface LargeJobs {
  open(id: number, pieces: readonly Uint8Array[], asked: LargeAsk): Opened
  continued(id: number, found: FoundBytes): Rewriting
  recorded(id: number, answer: string, stream: boolean): LargeRecorded | undefined
  edited(id: number, edits: RequestEdits, refuses: readonly string[], isOwn?: boolean): LargeEdited
  states(id: number): Opaque[]
  bareCalls(id: number, opened: OpenedStates): string[]
  converted(id: number, wanted: CrossingConversion): Promise<LargeConverted | { wants: string[] }>
  outline(id: number): ConversationRequest
  text(id: number): string
  release(id: number): void
  preview(pieces: readonly Uint8Array[], dialect: OtherDialect): Uint8Array<ArrayBuffer>
  frame(frame: string): RealtimeFrame
  shown(stored: StoredBytes, view: StoredView): Uint8Array<ArrayBuffer>
}

/** What became of a body that was continued, as it crosses. */
export interface Rewriting extends Pick<Rewritten, 'losses' | 'responses'> {
  opened: Opened
  unresolved?: Refusal
}

interface Held {
  text: string
  /** As the client sent it, where that is another text. */
  own?: string
  /** The items of its question as JSON, where they are not those of its text. */
  question?: string
  asked: LargeAsk
  hasEnvelopes: boolean
  /** Read, with its state as it was sent: from one step of a conversion to the next. */
  request?: ConversationRequest | undefined
}

const encoder = new TextEncoder()
const never = new AbortController().signal

/** Throws GatewayError `invalid_json` for bytes that are not UTF-8. */
function decoded(pieces: readonly Uint8Array[]): string {
  const [first] = pieces
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(first && pieces.length === 1 ? first : Buffer.concat(pieces))
  } catch {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.')
  }
}

function doorOf({ operation, dialect }: LargeAsk): OperationDoor | undefined {
  if (!isSideOperation(operation)) return undefined
  const door = operationCodecs[operation][dialect as Style]
  if (!door || !('readHead' in door)) throw new Error('an operation without a door')
  return door
}

const conversationOf = ({ dialect }: LargeAsk): ConversationCodec => conversationCodecs[dialect as Dialect]

const nothingStored: Storing = { waits: false, keeps: false, references: [] }

/** What Parley itself reads of a body. Throws GatewayError. */
function headOf(text: string, asked: LargeAsk): { head: Head | OperationHead; storing: Storing } {
  const door = doorOf(asked)
  if (door) return { head: door.readHead(text, asked.path, asked.variant), storing: nothingStored }
  const codec = asked.operation === 'count-tokens' ? countCodecs[asked.dialect as keyof typeof countCodecs] : conversationOf(asked)
  const scanned = codec.scan(text)
  const storing = asked.dialect === 'responses' ? storingOf(scanned.value) : nothingStored
  return { head: codec.readHead(scanned, asked.path), storing }
}

/** What is known of a body. Throws GatewayError. */
function factsOf(text: string, own: string, asked: LargeAsk): Opened {
  const { head, storing } = headOf(text, asked)
  const mayHold = (body: string) => !isSideOperation(asked.operation) && mayHoldEnvelope(body)
  const hasEnvelopes = mayHold(text)
  return {
    head,
    hasEnvelopes,
    ownHasEnvelopes: own === text ? hasEnvelopes : mayHold(own),
    storing,
    isOddlySpelled: asked.dialect === 'chat' && isOddlySpelled(text),
    sample: sampleRequest({ body: text, bytes: head.inputBytes, hasFiles: head.media.length > 0 }),
  }
}

/** A stored exchange, read: it was sealed by us, so it needs no validation. */
const exchangeIn = ({ id, pieces }: StoredBytes) => ({ ...(JSON.parse(decoded(pieces)) as Exchange), id })

/** What a writer of answers looks at: who said what is left out. */
const outlineOf = (request: ConversationRequest): ConversationRequest => ({ ...request, turns: [], instructions: [] })

/** The jobs over bodies of their own. */
export function createLargeJobs(): LargeJobs {
  const bodies = new Map<number, Held>()

  function held(id: number): Held {
    const body = bodies.get(id)
    if (!body) throw new GatewayError('overloaded', 'The request body is gone. Try again.', { retryAfter: 1 })
    return body
  }

  function read(body: Held): ConversationRequest {
    body.request ??= conversationOf(body.asked).readRequest(body.text, body.asked.path)
    return body.request
  }

  function openedIn(body: Held, opened: OpenedStates): ConversationRequest {
    const asked = read(body)
    if (!body.hasEnvelopes) return asked
    return openedRequest(asked, (opaque) => {
      const inside = opened.get(opaque.value)
      return inside === undefined ? opaque : (inside ?? undefined)
    })
  }

  async function converted(id: number, wanted: CrossingConversion): Promise<LargeConverted | { wants: string[] }> {
    const { opened, recalled, makers, dialect, channel, target, model, strict, files } = wanted
    const body = held(id)
    const asked = openedIn(body, opened)
    const known = recalled as ReadonlyMap<string, ToolCallState>
    const remembered = known.size === 0 ? asked : { ...asked, turns: restored(asked.turns, known) }
    const whole = { ...remembered, turns: remembered.turns.filter(({ parts }) => parts.length > 0), model }
    const carried = portable(whole, { dialect, channel }, makers)
    const upstream = conversationCodecs[dialect]
    const inBytes = (part: Parameters<typeof upstream.needsBytes>[0]) => upstream.needsBytes(part, target)
    const wants = mediaOf(carried.request)
      .flatMap((part) => ('url' in part.source && inBytes(part) ? [part.source.url] : []))
      .filter((url) => !files.has(url))
    if (wants.length > 0) return { wants: [...new Set(wants)] }
    const fetched = async (url: string) => {
      const file = files.get(url)
      if (file === undefined || 'refusal' in file) throw file ? errorOf(file) : new Error('a file that was not wanted')
      return file
    }
    const { request, losses } = await remoteMedia(fetched, never)(carried.request, inBytes)
    body.request = undefined
    const lost = [...carried.lost, ...(wanted.lost ?? []), ...losses]
    const written = writtenBody(upstream, request, { target, channel, refuses: channel.refuses, strict, lost })
    const { body: text, ...rest } = written
    return { ...rest, bytes: encoder.encode(text), outline: outlineOf(request) }
  }

  return {
    open(id, pieces, asked) {
      const sent = decoded(pieces)
      const named = asked.model ? withModel(sent, asked.model) : sent
      const hidesGroup = asked.hasGroup === true && headOf(named, asked).head.group !== undefined
      const text = hidesGroup ? conversationOf(asked).editRequest(named, { remove: ['group'] }) : named
      const opened = factsOf(text, text, asked)
      bodies.set(id, { text, asked, hasEnvelopes: opened.hasEnvelopes })
      return opened
    },
    continued(id, { before, referenced }) {
      const body = held(id)
      const { asked } = body
      const scanned = conversationCodecs.responses.scan(body.text)
      const storing = storingOf(scanned.value)
      const found = { ...(before && { before: before.map(exchangeIn) }), referenced: referenced.map(exchangeIn) }
      const { own, content, question, losses, responses, unresolved } = rewritten(scanned, storing, found)
      const opened = { ...factsOf(content, own, asked), storing }
      const isOther = own !== body.text || responses.length > 0
      const { hasEnvelopes } = opened
      bodies.set(id, { text: content, asked, hasEnvelopes, ...(isOther && { own, question: JSON.stringify(question) }) })
      return { opened, losses, responses, ...(unresolved && { unresolved: refusalOf(unresolved) }) }
    },
    recorded(id, answer, stream) {
      const { text, question } = held(id)
      const asked = question === undefined ? inputItems(conversationCodecs.responses.scan(text).value.input) : JSON.parse(question)
      const kept = recorded(asked, answer, stream)
      if (!kept) return undefined
      const { json, ...ids } = kept
      return { ...ids, bytes: encoder.encode(json) }
    },
    edited(id, edits, refuses, isOwn = false) {
      const { asked, ...body } = held(id)
      const text = isOwn ? (body.own ?? body.text) : body.text
      const door = doorOf(asked)
      const refused = refuses.filter(topLevel(text))
      const remove = [...(edits.remove ?? []), ...refused]
      const changes = remove.length > 0 ? { ...edits, remove } : edits
      const codec = asked.operation === 'count-tokens' ? countCodecs[asked.dialect as keyof typeof countCodecs] : conversationOf(asked)
      const sent = (door ?? codec).editRequest(text, changes)
      if (typeof sent !== 'string') throw new Error('a form cannot be large JSON')
      return { bytes: encoder.encode(sent), refused }
    },
    states: (id) => statesIn(read(held(id)).turns.flatMap(({ parts }) => parts)),
    bareCalls: (id, opened) => bareCalls(openedIn(held(id), opened).turns),
    converted,
    outline: (id) => outlineOf(conversationOf(held(id).asked).readRequest(held(id).text, held(id).asked.path)),
    text: (id) => held(id).text,
    release: (id) => void bodies.delete(id),
    frame: realtimeCodec.readFrame,
    shown: (stored, view) => encoder.encode(shown(exchangeIn(stored), view)),
    preview: (pieces, dialect) => encoder.encode(JSON.stringify(previewOf(decoded(pieces), dialect))),
  }
}
