/**
 * Events as the server-sent events of a Gemini stream: no event names, no terminator, every event one object on one line. A call and a
 * picture are sent whole, when they close. The finish and the usage are sent together in the last event.
 */
import type { CodecContext, StreamWriter, WriteText } from '#canonical/codec'
import type { ConversationRequest, Finish, Opaque } from '#canonical/conversation'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import type { Usage } from '#canonical/usage'
import { lossList, type WrittenFields, type WrittenKind } from '#protocols/codec/field-writers'
import { around, marker } from '#wire/around'
import { writeStreamError } from '../error.ts'
import type { Body } from '../proto-json.ts'
import { writeUsage } from '../usage.ts'
import { textPositions, writeGrounding } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeLogprobs } from './logprobs.ts'
import { showsThoughts, signedPart } from './part.ts'
import { type CandidateContext, calling, cite, refusalAsText, writeMedia, writeNative } from './response-write.ts'

const encoder = new TextEncoder()
const nothing = new Uint8Array(0)

/** The fields of each event that are written. Answers have no date and no tier here, and the model has the client's name for it. */
type StreamEvent =
  | WrittenKind<ConversationEvent, 'start', { id: 'written'; usage: 'written'; model: 'notNeeded'; created: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'open', { choice: 'written'; at: 'written'; part: 'written' }>
  | WrittenKind<ConversationEvent, 'delta', { choice: 'written'; at: 'written'; delta: 'written' }>
  | WrittenKind<ConversationEvent, 'close', { choice: 'written'; at: 'written' }>
  | WrittenKind<ConversationEvent, 'usage', { usage: 'written' }>
  | WrittenKind<ConversationEvent, 'finish', { choice: 'written'; finish: 'written' }>
  | WrittenKind<ConversationEvent, 'end', { tier: 'notNeeded' }>
  | WrittenKind<ConversationEvent, 'error', { error: 'written' }>

/** The fields of a part’s head that are written. There are no phases and namespaces here; state of a block is in `raw`. */
type Head =
  | WrittenKind<PartHead, 'text', { phase: 'notNeeded' }>
  | WrittenKind<PartHead, 'refusal', { kind: 'written' }>
  | WrittenKind<PartHead, 'reasoning', { form: 'notNeeded' }>
  | WrittenKind<PartHead, 'call', { callId: 'written'; name: 'written'; form: 'written'; opaque: 'written'; namespace: 'notNeeded' }>
  | WrittenKind<PartHead, 'media', { media: 'written'; mimeType: 'written' }>
  | WrittenKind<PartHead, 'native', { dialect: 'written'; raw: 'written'; summary: 'written'; opaque: 'notNeeded' }>

type Piece = WrittenFields<
  Delta,
  { text: 'written'; segment: 'written'; data: 'written'; citation: 'written'; opaque: 'written'; logprobs: 'written' }
>

interface OpenPart {
  head: Head
  /** Arguments or media so far; text is never stored, except transcripts. */
  pieces: string[]
  transcript: string
  opaque: Opaque[]
  /** Where its text begins in the answer. */
  base: number
}

interface OpenChoice extends CandidateContext {
  parts: Map<number, OpenPart>
  finish: Finish | undefined
}

/** A writer for one stream. */
export function geminiWriter(asked: ConversationRequest, codecContext: CodecContext): StreamWriter {
  const shows = showsThoughts(asked)
  const losses = lossList()
  const choices = new Map<number, OpenChoice>()
  let responseId = ''
  let usage: Usage | undefined
  let isOver = false

  function choiceOf(index: number): OpenChoice {
    const known = choices.get(index)
    if (known) return known
    const choice = { parts: new Map(), showsThoughts: shows, ruler: textPositions(false), sources: [], losses, finish: undefined }
    choices.set(index, choice)
    return choice
  }

  function frameText(candidates: Body[], more: Body = {}): string {
    responseId ||= codecContext.id('resp_')
    return `data: ${JSON.stringify({ candidates, ...more, modelVersion: asked.model, responseId })}\n\n`
  }

  const frame = (candidates: Body[], more?: Body) => encoder.encode(frameText(candidates, more))
  const candidateOf = (index: number, written: Body[]): Body => ({ content: { parts: written, role: 'model' }, index })
  const parts = (index: number, written: Body[], more: Body = {}) =>
    written.length === 0 && Object.keys(more).length === 0 ? nothing : frame([{ ...candidateOf(index, written), ...more }])

  function open(index: number, at: number, head: Head): Uint8Array {
    const choice = choiceOf(index)
    choice.parts.set(at, { head, pieces: [], transcript: '', opaque: [], base: choice.ruler.units })
    if (head.kind === 'refusal') refusalAsText(losses)
    return head.kind === 'native' ? parts(index, writeNative(head, choice)) : nothing
  }

  function text(index: number, choice: OpenChoice, words: string): Uint8Array {
    choice.ruler.add(words)
    return words === '' ? nothing : parts(index, [thoughtOrText(words, false)])
  }

  function texts(index: number, at: number): WriteText | undefined {
    const choice = choiceOf(index)
    const kind = choice.parts.get(at)?.head.kind
    if (kind === 'reasoning' && !shows) return () => ''
    if (kind !== 'text' && kind !== 'refusal' && kind !== 'reasoning') return undefined
    const isThought = kind === 'reasoning'
    const written = around(frameText([candidateOf(index, [thoughtOrText(marker, isThought)])]))
    return (
      written &&
      ((json, words) => {
        if (!isThought) choice.ruler.add(words)
        return written[0] + json + written[1]
      })
    )
  }

  function grow(index: number, at: number, delta: Piece): Uint8Array {
    const choice = choiceOf(index)
    const part = choice.parts.get(at)
    if (!part) return nothing
    if ('text' in delta) return growText(index, choice, part, delta.text)
    if ('data' in delta) part.pieces.push(delta.data)
    else if ('opaque' in delta) part.opaque.push(delta.opaque)
    else if ('citation' in delta) cite(delta.citation, part.base, choice)
    else if ('logprobs' in delta) return parts(index, [], { logprobsResult: writeLogprobs(delta.logprobs) })
    // A new segment of thoughts begins.
    else if (shows) return parts(index, [thoughtOrText('\n\n', true)])
    return nothing
  }

  function growText(index: number, choice: OpenChoice, part: OpenPart, words: string): Uint8Array {
    const { head } = part
    if (head.kind === 'text' || head.kind === 'refusal') return text(index, choice, words)
    if (head.kind === 'reasoning') return shows && words !== '' ? parts(index, [thoughtOrText(words, true)]) : nothing
    if (head.kind === 'call') part.pieces.push(words)
    if (head.kind === 'media') part.transcript += words
    return nothing
  }

  function close(index: number, at: number): Uint8Array {
    const choice = choiceOf(index)
    const part = choice.parts.get(at)
    choice.parts.delete(at)
    if (!part) return nothing
    const { head, pieces, transcript, opaque } = part
    if (head.kind === 'call')
      return parts(index, [calling({ ...head, argsText: pieces.join(''), opaque: [...(head.opaque ?? []), ...opaque] }, losses)])
    if (head.kind === 'media') {
      const said = transcript === '' ? {} : { transcript }
      const source = pieces.length === 0 && transcript !== '' ? { text: transcript } : { data: joined(pieces) }
      return parts(index, writeMedia({ ...head, ...said, source, opaque }, choice))
    }
    return parts(index, signedPart(opaque))
  }

  function end(): Uint8Array {
    isOver = true
    const ends = [...choices].map(([index, { finish, sources }]) => {
      const groundingMetadata = writeGrounding(sources)
      return {
        content: { parts: [], role: 'model' },
        ...(finish && { finishReason: writeFinish(finish) }),
        index,
        ...(groundingMetadata && { groundingMetadata }),
      }
    })
    return frame(ends, usage && { usageMetadata: writeUsage(usage) })
  }

  function push(event: StreamEvent): Uint8Array {
    if (isOver) return nothing
    switch (event.kind) {
      case 'start':
        responseId = event.id
        usage = event.usage
        return nothing
      case 'open':
        return open(event.choice, event.at, event.part)
      case 'delta':
        return grow(event.choice, event.at, event.delta)
      case 'close':
        return close(event.choice, event.at)
      case 'usage':
        usage = event.usage
        return nothing
      case 'finish':
        choiceOf(event.choice).finish = event.finish
        return nothing
      case 'end':
        return end()
      case 'error':
        isOver = true
        return writeStreamError(event.error)
    }
  }

  return { push, texts, losses: () => losses.losses }
}

const thoughtOrText = (text: string, isThought: boolean): Body => (isThought ? { text, thought: true } : { text })

/** Each piece is base64 by itself, so there may be padding between them. */
function joined(pieces: string[]): string {
  const isPlain = pieces.slice(0, -1).every((piece) => piece.length % 4 === 0 && !piece.endsWith('='))
  return isPlain ? pieces.join('') : Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
}
