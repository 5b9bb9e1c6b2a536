/** A Chat stream as events. One text or reasoning part grows at a time; calls may grow side by side. */
import type { CodecContext, Memo, StreamReader } from '#canonical/codec'
import type { TokenLogprob } from '#canonical/conversation'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'
import { knownFields } from '#protocols/codec/known-fields'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { type ChoiceReader, chunkFields, chunkReader } from '../chunk-read.ts'
import type { Body } from '../fields.ts'
import { readAnnotations, readSources } from './citations.ts'
import { isFailure, readFinish } from './finish.ts'
import { readLogprobs } from './logprobs.ts'
import { readReasoning } from './reasoning.ts'
import { audioType, readImages, textOf } from './response-read.ts'
import { callReader } from './stream-read-calls.ts'

/** Reads the stream of an upstream; `memo` was returned when its request was written. */
export function reader(memo: Memo, codecContext: CodecContext): StreamReader {
  return chunkReader({ prefix: 'chatcmpl-', known, begin: (choice) => choiceReader(choice, memo, codecContext) }, codecContext)
}

const called = knownFields('name arguments')
/** The same fields as in a whole answer; a few upstreams write `message` for `delta`. */
const message = knownFields('role refusal annotations images reasoning_content reasoning reasoning_details', {
  content: knownFields('type text thinking'),
  audio: knownFields('id data transcript expires_at'),
  tool_calls: knownFields('index id type extra_content', { function: called, custom: knownFields('name input') }),
  function_call: called,
})
const known = chunkFields(knownFields('index finish_reason native_finish_reason logprobs error', { delta: message, message }))

type Narrative = 'text' | 'reasoning' | 'refusal' | 'media'

function choiceReader(choice: number, memo: Memo, codecContext: CodecContext): ChoiceReader {
  let places = 0
  const place = () => places++
  const calls = callReader(choice, place, memo, codecContext)
  let open: { at: number; kind: Narrative } | undefined
  let finish: string | undefined
  let refused = false
  /** Characters of content so far, and where the open text part began: citations count from the beginning. */
  let written = 0
  let textStart = 0
  /** Of tokens that arrived before any text, such as a character split over two tokens. */
  let early: TokenLogprob[] = []

  function push(raw: Body): ConversationEvent[] {
    if (isFailure(raw.finish_reason)) return [{ kind: 'error', error: failed() }]
    if (typeof raw.finish_reason === 'string' && raw.finish_reason !== '') finish = raw.finish_reason
    const delta = raw.delta ?? raw.message
    const piece: Body = isObject(delta) ? delta : {}
    return [
      ...readThoughts(piece),
      ...readText(piece, readLogprobs(raw.logprobs)),
      ...readRefusal(piece.refusal),
      ...readMedia(piece),
      ...readCalls(piece),
    ]
  }

  /** Text before a call is complete: writers that keep one block open at a time can move on. */
  function readCalls(piece: Body): ConversationEvent[] {
    const events = calls.push(callsOf(piece))
    return events.some((event) => event.kind === 'open') ? [...closeOpen(), ...events] : events
  }

  const deltas = (kind: Narrative, head: PartHead, said: Delta[]): ConversationEvent[] => {
    if (said.length === 0) return []
    const events: ConversationEvent[] = []
    if (open?.kind !== kind) {
      events.push(...closeOpen(), ...calls.settle())
      open = { at: place(), kind }
      if (kind === 'text') textStart = written
      events.push({ kind: 'open', choice, at: open.at, part: head })
    }
    const { at } = open
    for (const delta of said) events.push({ kind: 'delta', choice, at, delta })
    return events
  }

  function closeOpen(): ConversationEvent[] {
    if (!open) return []
    const { at } = open
    open = undefined
    return [{ kind: 'close', choice, at }]
  }

  function readThoughts(piece: Body): ConversationEvent[] {
    const thoughts = readReasoning(piece)
    if (!thoughts) return []
    const said: Delta[] = thoughts.text.map((text) => ({ text }))
    for (const opaque of thoughts.opaque) said.push({ opaque })
    return deltas('reasoning', { kind: 'reasoning', form: thoughts.form === 'summary' ? 'summary' : 'full' }, said)
  }

  function readText(piece: Body, logprobs: TokenLogprob[]): ConversationEvent[] {
    const text = textOf(piece.content)
    if (text === '' && open?.kind !== 'text') {
      early.push(...logprobs)
      return []
    }
    const tokens = [...early, ...logprobs]
    early = []
    // Before their text: writers that send both at once expect this order.
    const said: Delta[] = tokens.length > 0 ? [{ logprobs: tokens }] : []
    if (text !== '') said.push({ text })
    const base = open?.kind === 'text' ? textStart : written
    for (const citation of readAnnotations(piece.annotations, base)) said.push({ citation })
    const events = deltas('text', { kind: 'text' }, said)
    written += text.length
    return events
  }

  function readRefusal(refusal: unknown): ConversationEvent[] {
    if (typeof refusal !== 'string' || refusal === '') return []
    refused = true
    return deltas('refusal', { kind: 'refusal' }, [{ text: refusal }])
  }

  function readMedia(piece: Body): ConversationEvent[] {
    const events = readImages(piece.images).flatMap(({ source, mimeType }): ConversationEvent[] => {
      if (!('data' in source)) return []
      const head: PartHead = { kind: 'media', media: 'image', ...(mimeType !== undefined && { mimeType }) }
      return [...closeOpen(), ...deltas('media', head, [{ data: source.data }]), ...closeOpen()]
    })
    const audio: Body = isObject(piece.audio) ? piece.audio : {}
    const said: Delta[] = []
    if (typeof audio.data === 'string' && audio.data !== '') said.push({ data: audio.data })
    if (typeof audio.transcript === 'string' && audio.transcript !== '') said.push({ text: audio.transcript })
    return [...events, ...deltas('media', { kind: 'media', media: 'audio', mimeType: audioType }, said)]
  }

  return {
    push,
    said(text) {
      if (open?.kind === 'text') written += text.length
    },
    isFinished: () => finish !== undefined,
    end(beside) {
      const at = open?.kind === 'text' ? open.at : undefined
      const cited =
        at === undefined ? [] : readSources(beside).map((citation) => ({ kind: 'delta' as const, choice, at, delta: { citation } }))
      const closes = [...cited, ...closeOpen(), ...calls.end()]
      return [...closes, { kind: 'finish', choice, finish: readFinish(finish ?? '', { call: calls.any(), refusal: refused }) }]
    },
  }
}

function callsOf(piece: Body): unknown[] {
  if (Array.isArray(piece.tool_calls)) return piece.tool_calls
  return isObject(piece.function_call) ? [{ index: 0, function: piece.function_call }] : []
}

const failed = () => new GatewayError('upstream_error', 'The upstream failed to finish its answer. Try again shortly.')
