/**
 * Pieces of Converse's answers in the Messages format. Read:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and ..._ConverseStreamOutput.html, and the recorded
 * answers named in the notes of the fixtures.
 */
import type { Finish, FinishReason } from '#canonical/conversation'
import { isObject } from '#shared/json'
import type { Json } from '../frame.ts'

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Usage with the tier that served; input tokens exclude what was read from a cache or written to it, as in Messages. */
export function messagesUsage({ usage, serviceTier }: Json): Json | undefined {
  if (!isObject(usage)) return undefined
  const details = Array.isArray(usage.cacheDetails) ? usage.cacheDetails.filter(isObject) : []
  const written = (ttl: string) => details.filter((one) => one.ttl === ttl).reduce((sum, one) => sum + numberIn(one.inputTokens), 0)
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadInputTokens ?? 0,
    cache_creation_input_tokens: usage.cacheWriteInputTokens ?? 0,
    cache_creation: { ephemeral_5m_input_tokens: written('5m'), ephemeral_1h_input_tokens: written('1h') },
    ...(isObject(serviceTier) && { service_tier: serviceTier.type }),
  }
}

/** A place in a document, or on the web. */
export function messagesCitation(citation: Json): Json {
  const location = isObject(citation.location) ? citation.location : {}
  const quoted = (Array.isArray(citation.sourceContent) ? citation.sourceContent : []).filter(isObject)
  const cited = { cited_text: quoted.map(({ text }) => (typeof text === 'string' ? text : '')).join('') }
  const titled = typeof citation.title === 'string' ? { document_title: citation.title } : { document_title: null }
  const at = (place: Json, name: string) => ({
    document_index: place.documentIndex,
    [`start_${name}`]: place.start,
    [`end_${name}`]: place.end,
    ...cited,
    ...titled,
  })
  if (isObject(location.documentPage)) return { type: 'page_location', ...at(location.documentPage, 'page_number') }
  if (isObject(location.documentChunk)) return { type: 'content_block_location', ...at(location.documentChunk, 'block_index') }
  if (isObject(location.documentChar)) return { type: 'char_location', ...at(location.documentChar, 'char_index') }
  if (isObject(location.web)) return { type: 'web_search_result_location', url: location.web.url, title: citation.title ?? null, ...cited }
  return { type: 'char_location', ...cited, ...titled }
}

/** A whole block; undefined for a kind that Messages does not have. */
export function messagesBlock(block: Json): Json | undefined {
  if (typeof block.text === 'string') return { type: 'text', text: block.text }
  if (isObject(block.toolUse)) {
    return { type: 'tool_use', id: block.toolUse.toolUseId, name: block.toolUse.name, input: block.toolUse.input }
  }
  if (isObject(block.reasoningContent)) {
    const { reasoningText: said, redactedContent: hidden } = block.reasoningContent
    if (isObject(said)) return { type: 'thinking', thinking: said.text, signature: said.signature ?? '' }
    return { type: 'redacted_thinking', data: hidden }
  }
  if (isObject(block.citationsContent)) {
    const texts = (Array.isArray(block.citationsContent.content) ? block.citationsContent.content : []).filter(isObject)
    const list = (Array.isArray(block.citationsContent.citations) ? block.citationsContent.citations : []).filter(isObject)
    return {
      type: 'text',
      text: texts.map(({ text }) => (typeof text === 'string' ? text : '')).join(''),
      citations: list.map(messagesCitation),
    }
  }
  return undefined
}

const finishes: Readonly<Record<string, FinishReason>> = {
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  malformed_tool_use: 'bad-tool-call',
  malformed_model_output: 'bad-tool-call',
}

/** The finish as the Messages reader understood it; reasons that only Converse has are used literally. */
export function ownFinish(finish: Finish): Finish {
  const reason = Object.hasOwn(finishes, finish.raw) ? finishes[finish.raw] : undefined
  return reason === undefined ? finish : { ...finish, reason }
}
