/** Whole and streamed answers of Converse, read in the Messages format. */
import type { CodecContext, Frame, Memo, ReadResponse, StreamReader } from '#canonical/codec'
import type { ConversationEvent } from '#canonical/conversation-event'
import { joinLosses } from '#canonical/loss'
import { lossList } from '#protocols/codec/field-writers'
import { knownFields, unknownFields, unknownKinds } from '#protocols/codec/known-fields'
import { exactCall, keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { broken, type Json } from '../frame.ts'
import { readResponse as readMessages } from '../messages/response-read.ts'
import { messagesReader } from '../messages/stream-read.ts'
import { messagesBlock, messagesCitation, messagesUsage, ownFinish } from './answer.ts'

const bookkeeping = 'metrics usage performanceConfig serviceTier p'
const answerFields = knownFields(`${bookkeeping} output stopReason`)
const blockFields = knownFields('text', {
  toolUse: knownFields('toolUseId name input type'),
  reasoningContent: knownFields('redactedContent', { reasoningText: knownFields('text signature') }),
  citationsContent: knownFields('content citations'),
})

/** Throws GatewayError `upstream_error` when the body is not an answer. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse {
  const answer = parseObject(body)
  const message = answer && isObject(answer.output) ? answer.output.message : undefined
  if (!answer || !isObject(message) || !Array.isArray(message.content)) throw broken()
  keepDigits(body, answer)
  if (body.includes('"toolUse"')) keepFloats(body, answer)
  const losses = lossList()
  const tell = unknownFields(losses)
  tell(answer, answerFields)
  const content = message.content.filter(isObject).flatMap((block, index) => {
    tell(block, blockFields, 'content', index)
    return messagesBlock(exactCall(block)) ?? []
  })
  const usage = messagesUsage(answer)
  const written = {
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: answer.stopReason,
    stop_sequence: null,
    ...(usage && { usage }),
  }
  const read = readMessages(JSON.stringify(written), memo, codecContext)
  const all = joinLosses(read.losses, losses.losses)
  return {
    ...read,
    choices: read.choices.map((choice) => ({ ...choice, finish: ownFinish(choice.finish) })),
    usage: { ...read.usage, ...(usage && { raw: answer.usage }) },
    ...(all.length > 0 && { losses: all }),
  }
}

const eventFields = {
  messageStart: knownFields('role p'),
  contentBlockStart: knownFields('contentBlockIndex p', { start: knownFields('', { toolUse: knownFields('toolUseId name type') }) }),
  contentBlockDelta: knownFields('contentBlockIndex p', {
    delta: knownFields('text citation', {
      toolUse: knownFields('input'),
      reasoningContent: knownFields('text signature redactedContent'),
    }),
  }),
  contentBlockStop: knownFields('contentBlockIndex p'),
  messageStop: knownFields('stopReason p'),
  metadata: knownFields(bookkeeping),
} as const

type EventType = keyof typeof eventFields
const isKnown = (type: string | undefined): type is EventType => type !== undefined && Object.hasOwn(eventFields, type)

/** One event as those of Messages. */
function messagesEvents(type: EventType, data: Json): Json[] {
  const index = typeof data.contentBlockIndex === 'number' ? data.contentBlockIndex : 0
  switch (type) {
    case 'messageStart':
      return [{ type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } }]
    case 'contentBlockStart': {
      const call = isObject(data.start) ? data.start.toolUse : undefined
      if (!isObject(call)) return []
      return [{ type: 'content_block_start', index, content_block: { type: 'tool_use', id: call.toolUseId, name: call.name, input: {} } }]
    }
    case 'contentBlockDelta':
      return isObject(data.delta) ? deltaEvents(index, data.delta) : []
    case 'contentBlockStop':
      return [{ type: 'content_block_stop', index }]
    case 'messageStop':
      return [{ type: 'message_delta', delta: { stop_reason: data.stopReason } }]
    case 'metadata': {
      const usage = messagesUsage(data)
      return [{ type: 'message_delta', delta: {}, ...(usage && { usage }) }, { type: 'message_stop' }]
    }
  }
}

function deltaEvents(index: number, delta: Json): Json[] {
  const say = (piece: Json) => [{ type: 'content_block_delta', index, delta: piece }]
  if (typeof delta.text === 'string') return say({ type: 'text_delta', text: delta.text })
  if (isObject(delta.toolUse)) return say({ type: 'input_json_delta', partial_json: delta.toolUse.input })
  if (isObject(delta.citation)) return say({ type: 'citations_delta', citation: messagesCitation(delta.citation) })
  if (!isObject(delta.reasoningContent)) return []
  const { text, signature, redactedContent } = delta.reasoningContent
  if (typeof text === 'string') return say({ type: 'thinking_delta', thinking: text })
  if (typeof signature === 'string') return say({ type: 'signature_delta', signature })
  if (redactedContent === undefined) return []
  return [{ type: 'content_block_start', index, content_block: { type: 'redacted_thinking', data: redactedContent } }]
}

/** Reads a stream whose binary frames were cut into events (`server/wire/event-stream.ts`). */
export function converseReader(memo: Memo, codecContext: CodecContext): StreamReader {
  const inner = messagesReader(memo, codecContext)
  const losses = lossList()
  const tell = unknownFields(losses)
  const recordKind = unknownKinds(losses)
  let raw: unknown

  const own = (events: readonly ConversationEvent[]): ConversationEvent[] =>
    events.map((event) => {
      if (event.kind === 'finish') return { ...event, finish: ownFinish(event.finish) }
      return event.kind === 'usage' && raw !== undefined ? { ...event, usage: { ...event.usage, raw } } : event
    })

  function push(frame: Frame): ConversationEvent[] {
    if (frame.data === undefined || frame.data === '') return []
    const data = parseObject(frame.data)
    if (!data) return own(inner.push(frame))
    if (!isKnown(frame.event)) {
      recordKind(frame.event ?? '')
      return []
    }
    tell(data, eventFields[frame.event])
    if (frame.event === 'metadata') raw = data.usage
    return messagesEvents(frame.event, data).flatMap((event) =>
      own(inner.push({ ...frame, event: String(event.type), data: JSON.stringify(event) })),
    )
  }

  return {
    push,
    end: (broke) => own(inner.end(broke)),
    losses: () => joinLosses(inner.losses?.(), losses.losses),
  }
}
