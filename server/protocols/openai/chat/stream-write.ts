/** Events as a Chat stream. Everything is sent as it arrives; calls have their own numbering. */
import type { CodecContext, StreamWriter, WriteText } from '#canonical/codec'
import type { ConversationRequest, MediaPart } from '#canonical/conversation'
import type { Delta, PartHead } from '#canonical/conversation-event'
import { lossList, type WrittenFields, type WrittenKind } from '#protocols/codec/field-writers'
import { marker } from '#wire/around'
import { type ChunkEvent, chunkWriter } from '../chunk-write.ts'
import type { Body } from '../fields.ts'
import { writeAnnotation } from './citations.ts'
import { type Ended, writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { writeExtraContent, writeState } from './reasoning.ts'
import { isLegacy, lostCall, lostMedia, movedText, nativeText, writeImage } from './response-write.ts'

/** The fields of a part’s head that are written. Answers of this dialect have no phases, no namespaces and no blocks of their own. */
type Head =
  | WrittenKind<PartHead, 'text', { phase: 'notNeeded' }>
  | WrittenKind<PartHead, 'refusal', { kind: 'written' }>
  | WrittenKind<PartHead, 'reasoning', { form: 'notNeeded' }>
  | WrittenKind<PartHead, 'call', { callId: 'written'; name: 'written'; form: 'written'; opaque: 'written'; namespace: 'notNeeded' }>
  | WrittenKind<PartHead, 'media', { media: 'written'; mimeType: 'written' }>
  | WrittenKind<PartHead, 'native', { summary: 'written'; dialect: 'notNeeded'; raw: 'notNeeded'; opaque: 'notNeeded' }>

type Piece = WrittenFields<
  Delta,
  { text: 'written'; segment: 'written'; data: 'written'; citation: 'written'; opaque: 'written'; logprobs: 'written' }
>

/** An open part: what its deltas become. */
interface Slot {
  head: Head
  /** Of a call, among the calls of its choice. */
  index: number
  /** Whether any of it was sent. */
  began: boolean
  /** For a text part: where it begins in the content, and its length. */
  base: number
  length: number
  /** Base64 of an image, which is sent in one piece. */
  data: string
  /** For audio: whether audio data was sent, not only its transcript. */
  heard: boolean
  /** Whether it comes after a call. */
  isLate: boolean
  /** The dialect has one of its kind, and it is not the first. */
  isDropped: boolean
}

interface ChoiceState {
  slots: Map<number, Slot>
  calls: number
  content: number
  thought: boolean
  refused: boolean
  audioId: string | undefined
  /** Whether any audio was sent already. */
  spoken: boolean
}

/** `asked` is the client's own request. Each delta becomes a chunk of its own. */
export function writer(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const frame = chunkWriter(asked, codecContext, { prefix: 'chatcmpl-', object: 'chat.completion.chunk' })
  const states = new Map<number, ChoiceState>()
  const legacy = isLegacy(asked)
  const losses = lossList()

  const chunk = (index: number, delta: Body, more: Body = {}): Body => ({ index, delta, logprobs: null, finish_reason: null, ...more })

  function write(event: ChunkEvent): Body[] {
    switch (event.kind) {
      case 'start':
        return begin(0)
      case 'open':
        return [...begin(event.choice), ...chunks(event.choice, open(stateOf(event.choice), event.at, event.part))]
      case 'delta':
        return writeDelta(event.choice, event.at, event.delta)
      case 'close':
        return chunks(event.choice, close(stateOf(event.choice), event.at))
      case 'finish':
        return [...begin(event.choice), chunk(event.choice, {}, ending(event.finish, stateOf(event.choice)))]
      case 'usage':
      case 'end':
      case 'error':
        return []
    }
  }

  const chunks = (choice: number, deltas: Body[]) => deltas.map((delta) => chunk(choice, delta))

  function writeDelta(choice: number, at: number, delta: Piece): Body[] {
    const state = stateOf(choice)
    const slot = state.slots.get(at)
    if (!slot) return []
    if ('logprobs' in delta) return [chunk(choice, {}, { logprobs: writeLogprobs(delta.logprobs) })]
    return chunks(choice, grow(state, slot, delta))
  }

  function begin(choice: number): Body[] {
    if (states.has(choice)) return []
    states.set(choice, { slots: new Map(), calls: 0, content: 0, thought: false, refused: false, audioId: undefined, spoken: false })
    return [chunk(choice, { role: 'assistant', content: '', refusal: null })]
  }

  function stateOf(choice: number): ChoiceState {
    const state = states.get(choice)
    if (!state) throw new TypeError('A choice begins before it goes on.')
    return state
  }

  function open(state: ChoiceState, at: number, head: Head): Body[] {
    const { calls: index, content: base } = state
    const slot: Slot = {
      head,
      index,
      began: false,
      base,
      length: 0,
      data: '',
      heard: false,
      isLate: index > 0,
      isDropped: isSecond(state, head),
    }
    state.slots.set(at, slot)
    if (head.kind === 'native') return content(state, slot, nativeText(head, losses))
    if (head.kind === 'refusal') state.refused = true
    if (isAudio(head)) state.spoken = true
    if (head.kind === 'call') state.calls++
    if (slot.isDropped) (head.kind === 'call' ? lostCall : lostMedia)(losses)
    return slot.isDropped || head.kind !== 'call' ? [] : [callDelta(slot.index, head)]
  }

  /** A message holds one sound, and a client of `functions` gets one call. */
  const isSecond = (state: ChoiceState, head: Head) => (head.kind === 'call' ? legacy && state.calls > 0 : isAudio(head) && state.spoken)

  function callDelta(index: number, { callId, name, form, opaque }: Extract<Head, { kind: 'call' }>): Body {
    if (legacy) return { function_call: { name, arguments: '' } }
    const kind = form === 'text' ? { type: 'custom', custom: { name, input: '' } } : { type: 'function', function: { name, arguments: '' } }
    return { tool_calls: [{ index, id: callId, ...kind, ...writeExtraContent(opaque) }] }
  }

  function grow(state: ChoiceState, slot: Slot, delta: Exclude<Piece, { logprobs: unknown }>): Body[] {
    const { head } = slot
    if (slot.isDropped) return []
    if ('text' in delta) return delta.text === '' ? [] : growText(state, slot, delta.text)
    if ('segment' in delta) {
      // The separator before the next segment is delayed, so that there is none at the end.
      if (slot.began) state.thought = true
      slot.began = false
      return []
    }
    if ('data' in delta) return growMedia(state, slot, delta.data)
    if ('citation' in delta) {
      const annotation = writeAnnotation(delta.citation, slot.base, slot.length, losses)
      return annotation ? [{ annotations: [annotation] }] : []
    }
    if (delta.opaque.dialect !== 'chat') return []
    if (head.kind === 'call') return legacy ? [] : [{ tool_calls: [{ index: slot.index, ...writeExtraContent([delta.opaque]) }] }]
    return head.kind === 'reasoning' ? [{ reasoning_details: [writeState(delta.opaque)] }] : []
  }

  function growText(state: ChoiceState, slot: Slot, text: string): Body[] {
    const { head } = slot
    const isFirst = !slot.began
    slot.began = true
    switch (head.kind) {
      case 'text':
        return content(state, slot, text)
      case 'reasoning': {
        const gap = isFirst && state.thought ? '\n\n' : ''
        state.thought = true
        return furtherText(slot, gap + text)
      }
      case 'refusal':
      case 'call':
        return furtherText(slot, text)
      case 'media':
        return head.media === 'audio' ? [{ audio: audio(state, { transcript: text }) }] : []
      case 'native':
        return []
    }
  }

  /** Text of a part that began. */
  function furtherText({ head, index }: Slot, text: string): Body[] {
    switch (head.kind) {
      case 'text':
      case 'native':
        return [{ content: text }]
      case 'refusal':
        return [{ refusal: text }]
      case 'reasoning':
        return [{ reasoning_content: text }]
      case 'call':
        return [argsDelta(index, head.form, text)]
      case 'media':
        return []
    }
  }

  function content(state: ChoiceState, slot: Slot, text: string): Body[] {
    if (text === '') return []
    if (slot.isLate) movedText(losses)
    count(state, slot, text)
    return furtherText(slot, text)
  }

  function count(state: ChoiceState, slot: Slot, text: string): void {
    slot.length += text.length
    state.content += text.length
  }

  function argsDelta(index: number, form: 'json' | 'text', text: string): Body {
    if (legacy) return { function_call: { arguments: text } }
    return { tool_calls: [form === 'text' ? { index, custom: { input: text } } : { index, function: { arguments: text } }] }
  }

  function growMedia(state: ChoiceState, slot: Slot, data: string): Body[] {
    if (isAudio(slot.head)) {
      slot.heard = true
      return [{ audio: audio(state, { data }) }]
    }
    slot.data += data
    return []
  }

  /** The id is in the first piece. */
  function audio(state: ChoiceState, piece: Body): Body {
    if (state.audioId !== undefined) return piece
    state.audioId = codecContext.id('audio_')
    return { id: state.audioId, ...piece }
  }

  function close(state: ChoiceState, at: number): Body[] {
    const slot = state.slots.get(at)
    state.slots.delete(at)
    if (!slot) return []
    const { head, began, index, data, isDropped } = slot
    if (isDropped) return []
    // A call without arguments may have an empty text, which is not valid JSON.
    if (head.kind === 'call') return began || head.form === 'text' ? [] : [argsDelta(index, 'json', '{}')]
    if (head.kind !== 'media') return []
    const isTold = head.media === 'audio' ? slot.heard : head.media === 'image' && data !== ''
    if (!isTold) lostMedia(losses)
    if (!isTold || head.media === 'audio') return []
    const part: MediaPart = {
      kind: 'media',
      media: 'image',
      source: { data },
      ...(head.mimeType !== undefined && { mimeType: head.mimeType }),
    }
    return [{ images: writeImage(part) }]
  }

  function ending(finish: Ended, state: ChoiceState): Body {
    const word = writeFinish(finish, { refusal: state.refused })
    return {
      finish_reason: word === 'tool_calls' && legacy ? 'function_call' : word,
      ...(finish.reason === 'paused' && { native_finish_reason: finish.raw }),
    }
  }

  function texts(choice: number, at: number): WriteText | undefined {
    const state = states.get(choice)
    const slot = state?.slots.get(at)
    const [said] = slot?.began && !slot.isDropped ? furtherText(slot, marker) : []
    const parts = said && frame.around(chunk(choice, said))
    if (!state || !slot || !parts) return undefined
    const [before, after] = parts
    const isContent = slot.head.kind === 'text'
    return (json, text) => {
      if (isContent) count(state, slot, text)
      return before + json + after
    }
  }

  return { push: (event) => frame.push(event) ?? frame.chunks(write(event)), texts, losses: () => losses.losses }
}

const isAudio = (head: Head) => head.kind === 'media' && head.media === 'audio'
