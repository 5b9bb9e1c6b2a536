/**
 * Events as a Responses stream for a client. Events are numbered; items have an id and an index; and the last event contains the whole
 * answer, so this writer, unlike the others, stores what it wrote.
 */
import type { CodecContext, StreamWriter, WriteText } from '#canonical/codec'
import type { ConversationRequest, Finish, MediaPart } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { noUsage, type Usage } from '#canonical/usage'
import { lossList, type WrittenKind } from '#protocols/codec/field-writers'
import type { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { aroundCounted, countMarker } from '#wire/around'
import { eventBytes, eventText, failureField, writeStreamError } from './error.ts'
import { writeFinish } from './finish.ts'
import { failedCall, lostAnswer, lostBlock, noteMedia, responseId } from './response-write.ts'
import { echoOf, type Item, idPrefix, type ResponseState, responseObject, shownForm } from './response-write-items.ts'
import {
  callDraft,
  type Draft,
  type Head,
  imageDraft,
  type MessageDraft,
  messageDraft,
  nativeDraft,
  type Piece,
  reasoningDraft,
  type WriteItemEvent,
  type WriteItemTexts,
} from './stream-write-items.ts'

/** The fields of each event that are written. The model has the client's name for it. */
type StreamEvent =
  | WrittenKind<ConversationEvent, 'start', { id: 'written'; created: 'written'; usage: 'written'; model: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'open', { choice: 'written'; at: 'written'; part: 'written' }>
  | WrittenKind<ConversationEvent, 'delta', { choice: 'written'; at: 'written'; delta: 'written' }>
  | WrittenKind<ConversationEvent, 'close', { choice: 'written'; at: 'written' }>
  | WrittenKind<ConversationEvent, 'usage', { usage: 'written' }>
  | WrittenKind<ConversationEvent, 'finish', { choice: 'written'; finish: 'written' }>
  | WrittenKind<ConversationEvent, 'end', { tier: 'written' }>
  | WrittenKind<ConversationEvent, 'error', { error: 'written' }>

/** An item with its place, and the parts of it that are still open. */
interface Placed {
  index: number
  draft: Draft
  message: MessageDraft | undefined
  open: Set<number>
  /** The item as its last event has it. */
  done?: Item
}

interface OpenMedia {
  kind: MediaPart['media']
  hasData: boolean
  isSpoken: boolean
}

/** Writes the stream for a client; `asked` is its own request. */
export function responsesWriter(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const items: Placed[] = []
  const unsettled = new Set<Placed>()
  const places = new Map<number, Placed>()
  const media = new Map<number, OpenMedia>()
  const losses = lossList()
  let echo: Record<string, unknown> | undefined
  let head = { id: '', created: 0 }
  let usage: Usage | undefined
  let finish: Finish | undefined
  let refusal = false
  let sequence = 0
  let hasEnded = false
  let out: Uint8Array[] = []

  const send = (type: string, fields: Record<string, unknown>) => out.push(eventBytes(type, sequence++, fields))
  function writeTexts(event: string, said: (text: string) => void): WriteText | undefined {
    const parts = aroundCounted(event)
    if (!parts) return undefined
    const [before, between, after] = parts
    return (json, text) => {
      said(text)
      return before + sequence++ + between + json + after
    }
  }

  const object = (state: Omit<ResponseState, 'id' | 'created'>) => responseObject(echo ?? {}, { ...head, ...state })

  function start(id: string, created: number): void {
    head = { id: responseId(id, codecContext), created }
    echo = echoOf(asked)
    const response = object({ status: 'in_progress', output: [] })
    send('response.created', { response })
    send('response.in_progress', { response })
  }

  function openPart(at: number, part: Head): void {
    const placed = isSaid(part) ? messageFor(part) : addItem(part)
    if (!placed) return
    if (part.kind === 'media') media.set(at, { kind: part.media, hasData: false, isSpoken: false })
    if (part.kind === 'refusal') refusal = true
    placed.message?.begin(at, part.kind === 'refusal')
    placed.open.add(at)
    places.set(at, placed)
  }

  /** Consecutive content is one message. */
  function messageFor(part: Head): Placed {
    const phase = part.kind === 'text' ? part.phase : undefined
    const last = items.at(-1)
    if (last?.message && !last.done && last.message.phase === phase) return last
    const id = codecContext.id(idPrefix.message)
    let message: MessageDraft | undefined
    const placed = place(id, (say, texts) => (message = messageDraft(id, phase, say, texts, losses)))
    placed.message = message
    return placed
  }

  /** Undefined for a block of another vendor, which has no place here. */
  function addItem(part: Head): Placed | undefined {
    switch (part.kind) {
      case 'call': {
        const id = codecContext.id(idPrefix[part.form])
        return place(id, (say, texts) => callDraft(id, part, say, texts))
      }
      case 'reasoning': {
        const id = codecContext.id(idPrefix.reasoning)
        const head = { ...part, form: shownForm(part.form, asked) }
        return place(id, (say, texts) => reasoningDraft(id, head, say, texts))
      }
      case 'media': {
        const id = codecContext.id(idPrefix.image)
        return place(id, (say) => imageDraft(id, part, say))
      }
      case 'native': {
        if (part.dialect !== 'responses' || !isObject(part.raw)) {
          lostBlock(losses)
          return undefined
        }
        const id = typeof part.raw.id === 'string' && part.raw.id !== '' ? part.raw.id : codecContext.id(idPrefix.native)
        const raw = { ...part.raw, id }
        return place(id, (say) => nativeDraft(raw, say))
      }
      case 'text':
      case 'refusal':
        return undefined
    }
  }

  function place(id: string, make: (say: WriteItemEvent, texts: WriteItemTexts) => Draft): Placed {
    settle('completed')
    const index = items.length
    const at = { item_id: id, output_index: index }
    const draft = make(
      (type, fields = {}) => send(`response.${type}`, { ...at, ...fields }),
      (type, fields, said) => writeTexts(eventText(`response.${type}`, countMarker, { ...at, ...fields }), said),
    )
    const placed: Placed = { index, draft, message: undefined, open: new Set() }
    items.push(placed)
    unsettled.add(placed)
    send('response.output_item.added', { output_index: index, item: draft.item('in_progress') })
    return placed
  }

  /** Items whose parts are all closed are done once something follows them; the last one's end depends on the answer's. */
  function settle(last: 'completed' | 'incomplete'): void {
    for (const placed of unsettled) {
      if (placed.open.size > 0) continue
      unsettled.delete(placed)
      placed.done = placed.draft.item(placed === items.at(-1) ? last : 'completed')
      send('response.output_item.done', { output_index: placed.index, item: placed.done })
    }
  }

  function grow(at: number, delta: Piece): void {
    const shown = media.get(at)
    if (shown && 'data' in delta) shown.hasData = true
    if (shown && 'text' in delta && delta.text !== '') shown.isSpoken = true
    places.get(at)?.draft.delta(delta, at)
  }

  function closePart(at: number): void {
    const placed = places.get(at)
    if (!placed?.open.delete(at)) return
    const shown = media.get(at)
    if (shown) noteMedia(shown.kind, shown, losses)
    media.delete(at)
    placed.draft.close(at)
    places.delete(at)
  }

  function end(tier: string | undefined): void {
    for (const at of [...places.keys()]) closePart(at)
    const { status, incomplete_details: incomplete } = writeFinish(finish?.reason ?? 'stop', { refusal })
    settle(status === 'incomplete' ? 'incomplete' : 'completed')
    const output = items.map(({ done, draft }) => done ?? draft.item('completed'))
    const completedAt = status === 'completed' ? { completedAt: Math.floor(codecContext.now() / 1000) } : {}
    const error = status === 'failed' ? { error: failedCall } : {}
    // Clients take a missing usage for a broken answer.
    const state = { status, incomplete, output, usage: usage ?? noUsage(), tier, ...completedAt, ...error }
    send(`response.${status}`, { response: object(state) })
  }

  /** Earlier output stays in the final object, marked as incomplete. */
  function fail(error: GatewayError): void {
    if (!echo) {
      out.push(writeStreamError(error, sequence++))
      return
    }
    const output = items.map(({ done, draft }) => done ?? draft.item('incomplete'))
    send('response.failed', { response: object({ status: 'failed', error: failureField(error), output, usage }) })
  }

  function write(event: StreamEvent): void {
    if ('choice' in event && event.choice !== 0) {
      lostAnswer(losses)
      return
    }
    switch (event.kind) {
      case 'start':
        usage = event.usage ?? usage
        start(event.id, event.created)
        break
      case 'open':
        openPart(event.at, event.part)
        break
      case 'delta':
        grow(event.at, event.delta)
        break
      case 'close':
        closePart(event.at)
        break
      case 'usage':
        usage = event.usage
        break
      case 'finish':
        finish = event.finish
        break
      case 'end':
        hasEnded = true
        end(event.tier)
        break
      case 'error':
        hasEnded = true
        fail(event.error)
    }
  }

  return {
    push(event) {
      if (hasEnded) return new Uint8Array(0)
      out = []
      write(event)
      const [only, ...others] = out
      return only && others.length === 0 ? only : Buffer.concat(out)
    },
    texts: (choice, at) => (choice === 0 && !media.has(at) ? places.get(at)?.draft.texts?.(at) : undefined),
    losses: () => losses.losses,
  }
}

const isSaid = (part: Head) => part.kind === 'text' || part.kind === 'refusal' || (part.kind === 'media' && part.media !== 'image')
