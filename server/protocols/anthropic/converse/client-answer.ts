/**
 * Answers of Messages in the Converse format, whole and as events. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import type { RewordedStream, WordingContext } from '#canonical/wording'
import { exactCall, keepDigits, keepFloats } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { Frame } from '#shared/sse'
import { eventStreamMessage } from '#wire/event-stream-write'
import { parseObject } from '#wire/json-scan'
import type { Json } from '../frame.ts'

const reasons: Readonly<Record<string, string>> = { refusal: 'content_filtered', pause_turn: 'end_turn' }
const reasonOf = (reason: unknown) => (typeof reason === 'string' ? (reasons[reason] ?? reason) : 'end_turn')

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)

function usageOf(usage: Json): Json {
  const input = numberIn(usage.input_tokens)
  const output = numberIn(usage.output_tokens)
  const read = numberIn(usage.cache_read_input_tokens)
  const written = numberIn(usage.cache_creation_input_tokens)
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + read + written,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  }
}

const places: Readonly<Record<string, readonly [place: string, start: string, end: string]>> = {
  char_location: ['documentChar', 'start_char_index', 'end_char_index'],
  page_location: ['documentPage', 'start_page_number', 'end_page_number'],
  content_block_location: ['documentChunk', 'start_block_index', 'end_block_index'],
}

function citationOf(citation: Json): Json {
  const cited = typeof citation.cited_text === 'string' ? { sourceContent: [{ text: citation.cited_text }] } : {}
  const place = places[String(citation.type)]
  if (!place) return { title: citation.title ?? '', location: { web: { url: citation.url } }, ...cited }
  const [name, start, end] = place
  const location = { [name]: { documentIndex: citation.document_index, start: citation[start], end: citation[end] } }
  return { ...(typeof citation.document_title === 'string' && { title: citation.document_title }), location, ...cited }
}

/** Undefined for a block that Converse does not have: no Converse request can ask for one. */
function blockOf(block: Json): Json | undefined {
  switch (block.type) {
    case 'text': {
      const citations = (Array.isArray(block.citations) ? block.citations : []).filter(isObject)
      if (citations.length === 0) return { text: block.text }
      return { citationsContent: { content: [{ text: block.text }], citations: citations.map(citationOf) } }
    }
    case 'tool_use':
      return { toolUse: { toolUseId: block.id, name: block.name, input: exactCall(block.input) } }
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block.data } }
    default:
      return undefined
  }
}

/** A whole answer. */
export function writeConverse(body: string, { elapsed }: WordingContext): string {
  const answer = parseObject(body) ?? {}
  keepDigits(body, answer)
  if (body.includes('"tool_use"')) keepFloats(body, answer)
  const content = (Array.isArray(answer.content) ? answer.content : []).filter(isObject).flatMap((block) => blockOf(block) ?? [])
  return JSON.stringify({
    output: { message: { role: 'assistant', content } },
    stopReason: reasonOf(answer.stop_reason),
    usage: usageOf(isObject(answer.usage) ? answer.usage : {}),
    metrics: { latencyMs: Math.round(elapsed()) },
  })
}

const kindsOfErrors: Readonly<Record<string, string>> = {
  rate_limit_error: 'throttlingException',
  overloaded_error: 'serviceUnavailableException',
  invalid_request_error: 'validationException',
  timeout_error: 'modelStreamErrorException',
}

function failed(error: unknown): Uint8Array {
  const { type, message } = isObject(error) ? error : {}
  const kind = kindsOfErrors[String(type)] ?? 'internalServerException'
  const headers = { ':exception-type': kind, ':content-type': 'application/json', ':message-type': 'exception' }
  return eventStreamMessage(headers, JSON.stringify({ message }))
}

const event = (type: string, fields: Json): Uint8Array =>
  eventStreamMessage({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, JSON.stringify(fields))

function deltaOf(delta: Json): Json | undefined {
  switch (delta.type) {
    case 'text_delta':
      return { text: delta.text }
    case 'input_json_delta':
      return { toolUse: { input: delta.partial_json } }
    case 'thinking_delta':
      return { reasoningContent: { text: delta.thinking } }
    case 'signature_delta':
      return { reasoningContent: { signature: delta.signature } }
    case 'citations_delta':
      return isObject(delta.citation) ? { citation: citationOf(delta.citation) } : undefined
    default:
      return undefined
  }
}

/** Converts a Messages stream to events of ConverseStream. */
export function openConverse({ elapsed }: WordingContext): RewordedStream {
  const usage: Json = {}
  let reason: unknown

  const counted = (given: unknown) => {
    if (isObject(given)) for (const [name, value] of Object.entries(given)) if (typeof value === 'number') usage[name] = value
  }

  function started(index: unknown, block: Json): Uint8Array | undefined {
    if (block.type === 'tool_use')
      return event('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId: block.id, name: block.name } } })
    if (block.type !== 'redacted_thinking') return undefined
    return event('contentBlockDelta', { contentBlockIndex: index, delta: { reasoningContent: { redactedContent: block.data } } })
  }

  function written(said: Json): Uint8Array | undefined {
    const { index } = said
    switch (said.type) {
      case 'message_start':
        counted(isObject(said.message) ? said.message.usage : undefined)
        return event('messageStart', { role: 'assistant' })
      case 'content_block_start':
        return started(index, isObject(said.content_block) ? said.content_block : {})
      case 'content_block_delta': {
        const delta = isObject(said.delta) ? deltaOf(said.delta) : undefined
        return delta && event('contentBlockDelta', { contentBlockIndex: index, delta })
      }
      case 'content_block_stop':
        return event('contentBlockStop', { contentBlockIndex: index })
      case 'message_delta':
        counted(said.usage)
        if (isObject(said.delta)) reason = said.delta.stop_reason ?? reason
        return undefined
      case 'message_stop': {
        const metadata = { usage: usageOf(usage), metrics: { latencyMs: Math.round(elapsed()) } }
        return Buffer.concat([event('messageStop', { stopReason: reasonOf(reason) }), event('metadata', metadata)])
      }
      case 'error':
        return failed(said.error)
      default:
        return undefined
    }
  }

  return {
    contentType: 'application/vnd.amazon.eventstream',
    push({ data }: Frame) {
      const said = data === undefined || data === '' ? undefined : parseObject(data)
      return said && written(said)
    },
  }
}
