/**
 * The worker's jobs on large bodies: read, edit and convert. Synchronous, without I/O or secrets; the other thread does all lookups and
 * opens sealed state beforehand. A body stays as text; its parsed form is only kept until the next step of one conversion.
 */

import type { RequestEdits, WholeAnswer } from '#canonical/codec'
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import type { WantedFile } from '#canonical/operation/operation'
import type { RealtimeFrame, RealtimeStyle } from '#canonical/operation/realtime'
import { compactionCodecs, conversationCodecs, converseCodec } from '#protocols/index'
import { withModel } from '#protocols/operations'
import { realtimeCodecs } from '#protocols/realtime'
import { wordingOf } from '#protocols/wordings'
import { openedRequest } from '#reasoning-state/opened-request'
import { statesIn } from '#reasoning-state/state-walk'
import type { Exchange } from '#reasoning-state/stored-conversations'
import { bareCalls, restored, type ToolCallState } from '#reasoning-state/tool-call-state'
import type {
  Finish,
  FoundBytes,
  KeptBytes,
  LargeAnswer,
  LargeAnswering,
  LargeAsk,
  LargeConversion,
  LargeConverted,
  LargeEdited,
  LargeQuestion,
  LargeQuestioned,
  LargeRecorded,
  OpenedStates,
  StoredBytes,
  WholeBytes,
} from '#relay/contract/large-body'
import type { Rewritten, StoredView } from '#relay/contract/stored'
import { portable } from '#relay/conversation/account-bound'
import { compactingRequest, ownWork } from '#relay/conversation/compaction'
import { withFiles } from '#relay/conversation/file-places'
import { contentsOf } from '#relay/conversation/kept-files'
import { previewOf } from '#relay/conversation/preview'
import { mediaOf } from '#relay/conversation/reading'
import { remoteMedia } from '#relay/conversation/remote-media'
import { inputItems, recorded, rewritten, storingOf } from '#relay/conversation/stored-exchange'
import { shown } from '#relay/conversation/stored-view'
import { finished, writtenBody } from '#relay/exchange/outgoing'
import { topLevel } from '#relay/exchange/top-level'
import type { OtherDialect } from '#shared/console/inspection/preview'
import { GatewayError } from '#shared/errors'
import { exact, parseExact } from '#shared/exact-numbers'
import { answered, answerRead, questioned } from './asked-operation.ts'
import { conversationOf, decoded, endpointOf, factsOf, headOf, type Opened, passingOf, questionIn } from './opened.ts'
import { errorOf, type Refusal, refusalOf } from './refusal.ts'

/** A conversion as it crosses between the threads. */
export type CrossingConversion = Omit<LargeConversion, 'files'> & { files: ReadonlyMap<string, FetchedFile | Refusal> }
type FetchedFile = Exclude<LargeConversion['files'] extends ReadonlyMap<string, infer File> ? File : never, GatewayError>

/** The result of a conversion as it crosses: its outlines as text. */
export type CrossingConverted = Omit<LargeConverted, 'outline' | 'summary'> & { outline: string; summary?: string }

/** The available jobs. Each throws GatewayError as documented at `LargeBody`. */
export interface LargeJobs {
  open(id: number, pieces: readonly Uint8Array[], asked: LargeAsk): Opened
  continued(id: number, found: FoundBytes): Rewriting
  filled(id: number, files: ReadonlyMap<string, KeptBytes>): Opened
  reworded(id: number, asked: LargeAsk & Required<Pick<LargeAsk, 'wording'>>): Opened
  recorded(id: number, answer: string, stream: boolean, conversation?: string): LargeRecorded | undefined
  edited(id: number, edits: RequestEdits, refuses: readonly string[], finish: Finish, isOwn?: boolean): LargeEdited
  states(id: number): Opaque[]
  bareCalls(id: number, opened: OpenedStates): string[]
  converted(id: number, wanted: CrossingConversion): Promise<CrossingConverted | { wants: string[] }>
  outline(id: number): string
  compacted(id: number, answer: string, seed: string): Uint8Array<ArrayBuffer>
  questioned(id: number, wanted: LargeQuestion): LargeQuestioned | { wants: readonly WantedFile[] }
  answered(id: number, bodies: readonly string[], wanted: LargeAnswering): WholeBytes
  release(id: number): void
  preview(pieces: readonly Uint8Array[], dialect: OtherDialect): Uint8Array<ArrayBuffer>
  framePiece(id: number, piece: string): void
  frame(id: number, length: number, style: RealtimeStyle): RealtimeFrame
  answer(answers: readonly (readonly Uint8Array[])[], wanted: LargeAnswer): WholeBytes
  shown(stored: StoredBytes, view: StoredView): Uint8Array<ArrayBuffer>
}

/** The result of continuing a body, as it crosses. */
export interface Rewriting extends Pick<Rewritten, 'losses' | 'responses'> {
  opened: Opened
  unresolved?: Refusal
}

interface Held {
  text: string
  /** As the client sent it, if that is a different text. */
  own?: string
  /** Its input items as JSON, if they are not those of its text. */
  question?: string
  asked: LargeAsk
  hasEnvelopes: boolean
  /** Parsed, with its state as it was sent; kept from one step of a conversion to the next. */
  request?: ConversationRequest | undefined
}

const encoder = new TextEncoder()
const never = new AbortController().signal

/** A stored exchange, parsed: we sealed it, so it needs no validation. */
const exchangeIn = ({ id, pieces }: StoredBytes) => ({ ...(parseExact(decoded(pieces)) as Exchange), id })

/**
 * What a writer of answers needs, as text: the turns are left out. Numbers in schemas may be raw (`#shared/exact-numbers`), which cannot be
 * cloned.
 */
const outlineOf = (request: ConversationRequest): string => JSON.stringify({ ...request, turns: [], instructions: [] })

const inBytes = (answer: WholeAnswer): WholeBytes => ({ ...answer, body: '', bytes: encoder.encode(answer.body) })

export function createLargeJobs(): LargeJobs {
  const bodies = new Map<number, Held>()
  /** Frames of realtime sessions, as far as they have arrived. */
  const frames = new Map<number, string>()

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

  async function converted(id: number, wanted: CrossingConversion): Promise<CrossingConverted | { wants: string[] }> {
    const { opened, recalled, makers, dialect, channel, target, model, strict, files } = wanted
    const body = held(id)
    const asked = openedIn(body, opened)
    const known = recalled as ReadonlyMap<string, ToolCallState>
    const turns = known.size === 0 ? asked.turns : restored(asked.turns, bareCalls(asked), known)
    const whole = { ...asked, turns: turns.filter(({ parts }) => parts.length > 0), model }
    const carried = portable(whole, { dialect, channel }, makers)
    const upstream = wanted.converses ? converseCodec : conversationCodecs[dialect]
    const compaction = wanted.compacts ? compactionCodecs[conversationOf(body.asked).dialect] : undefined
    const rewordedCall = compaction ? compactingRequest(carried.request, compaction) : carried.request
    const inBytes = (part: Parameters<typeof upstream.needsBytes>[0]) => upstream.needsBytes(part, target)
    const wants = mediaOf(rewordedCall)
      .flatMap((part) => ('url' in part.source && inBytes(part) ? [part.source.url] : []))
      .filter((url) => !files.has(url))
    if (wants.length > 0) return { wants: [...new Set(wants)] }
    const fetched = async (url: string) => {
      const file = files.get(url)
      if (file === undefined || 'refusal' in file) throw file ? errorOf(file) : new Error('a file that was not wanted')
      return file
    }
    const { request, losses } = await remoteMedia(fetched, never)(rewordedCall, inBytes)
    body.request = undefined
    const lost = [...carried.lost, ...(wanted.lost ?? []), ...(compaction ? [ownWork] : []), ...losses]
    const written = writtenBody(upstream, request, { target, channel, refuses: channel.refuses, strict, lost })
    const { body: text, ...rest } = written
    const sent = outlineOf(request)
    const outlines = compaction ? { outline: outlineOf(carried.request), summary: sent } : { outline: sent }
    return { ...rest, ...finished(text, wanted.finish, rest.headers), ...outlines, question: questionIn(asked) }
  }

  return {
    open(id, pieces, asked) {
      const came = decoded(pieces)
      const rewordedCall = asked.wording && wordingOf(asked.wording).readRequest(came)
      const sent = rewordedCall?.body ?? came
      const named = asked.model ? withModel(sent, asked.model) : sent
      const head: { group?: unknown; team?: unknown } = asked.hasGroup ? headOf(named, asked).head : {}
      const hidden = (['group', 'team'] as const).filter((field) => head[field] !== undefined)
      const text = hidden.length > 0 ? conversationOf(asked).editRequest(named, { remove: hidden }) : named
      const opened = factsOf(text, text, asked)
      bodies.set(id, { text, asked, hasEnvelopes: opened.hasEnvelopes })
      return rewordedCall ? { ...opened, reworded: rewordedCall.losses } : opened
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
    filled(id, files) {
      const { asked, text } = held(id)
      const whole = withFiles(text, asked.dialect, contentsOf(files))
      const opened = factsOf(whole, whole, asked)
      bodies.set(id, { text: whole, asked, hasEnvelopes: opened.hasEnvelopes })
      return opened
    },
    reworded(id, asked) {
      const rewordedCall = wordingOf(asked.wording).readRequest(held(id).text)
      const opened = factsOf(rewordedCall.body, rewordedCall.body, asked)
      bodies.set(id, { text: rewordedCall.body, asked, hasEnvelopes: opened.hasEnvelopes })
      return { ...opened, reworded: rewordedCall.losses }
    },
    recorded(id, answer, stream, conversation) {
      const { text, question } = held(id)
      const asked =
        question === undefined
          ? inputItems(exact(conversationCodecs.responses.scan(text).value.input))
          : (parseExact(question) as unknown[])
      const kept = recorded(asked, answer, stream, conversation)
      if (!kept) return undefined
      const { json, ...ids } = kept
      return { ...ids, bytes: encoder.encode(json) }
    },
    edited(id, edits, refuses, finish, isOwn = false) {
      const { asked, ...body } = held(id)
      const text = isOwn ? (body.own ?? body.text) : body.text
      const endpoint = endpointOf(asked)
      const refused = refuses.filter(topLevel(text))
      const remove = [...(edits.remove ?? []), ...refused]
      const changes = remove.length > 0 ? { ...edits, remove } : edits
      const sent = (endpoint ?? passingOf(asked)).editRequest(text, changes)
      if (typeof sent !== 'string') throw new Error('a form cannot be large JSON')
      return { ...finished(sent, finish), refused }
    },
    states: (id) => statesIn(read(held(id)).turns.flatMap(({ parts }) => parts)),
    bareCalls: (id, opened) => [...bareCalls(openedIn(held(id), opened)).values()],
    converted,
    outline: (id) => outlineOf(conversationOf(held(id).asked).readRequest(held(id).text, held(id).asked.path)),
    compacted(id, answer, seed) {
      const { asked, text } = held(id)
      const codec = compactionCodecs[conversationOf(asked).dialect]
      let made = 0
      // Each id is unguessable, and different from the others.
      const fresh = (prefix: string) => prefix + seed + (made++).toString(36).padStart(6, '0')
      return encoder.encode(codec ? codec.withMessages(text, answer, { id: fresh }) : answer)
    },
    questioned: (id, wanted) => questioned(held(id), wanted),
    answered: (id, bodies, wanted) => inBytes(answered(held(id), bodies, wanted)),
    release: (id) => void bodies.delete(id),
    framePiece: (id, piece) => void frames.set(id, (frames.get(id) ?? '') + piece),
    frame(id, length, style) {
      const frame = frames.get(id) ?? ''
      frames.delete(id)
      // Its first pieces went to an earlier worker, which has stopped.
      if (frame.length !== length) throw new GatewayError('overloaded', 'The frame is gone. Send it again.', { retryAfter: 1 })
      return realtimeCodecs[style].readFrame(frame)
    },
    answer: (answers, wanted) => inBytes(answerRead(answers.map(decoded), wanted)),
    shown: (stored, view) => encoder.encode(shown(exchangeIn(stored), view)),
    preview: (pieces, dialect) => encoder.encode(JSON.stringify(previewOf(decoded(pieces), dialect))),
  }
}
