/**
 * Answers as Bedrock's Converse writes them, put together from its reference: docs.aws.amazon.com/bedrock/latest/APIReference,
 * `API_runtime_Converse` (Response Syntax) and the types that it names. Parley itself never writes one.
 */
import type { Citation, ConversationResponse, FinishReason, Opaque, Part } from '#canonical/conversation'
import type { Usage } from '#canonical/usage'

type Json = Record<string, unknown>

const stopReasons: Readonly<Partial<Record<FinishReason, string>>> = {
  stop: 'end_turn',
  'stop-sequence': 'stop_sequence',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'context-full': 'model_context_window_exceeded',
  'content-filter': 'content_filtered',
  'bad-tool-call': 'malformed_tool_use',
}

/** The body of a whole answer; undefined where the reference has no place for something in it. */
export function converseAnswer({ choices, usage, tier }: ConversationResponse): string | undefined {
  const [choice] = choices
  const stopReason = choice && stopReasons[choice.finish.reason]
  const blocks = choice?.parts.map(blockOf) ?? []
  const said = usageOf(usage)
  // `stop_sequence` does not say which.
  if (!stopReason || !said || choice.logprobs || choice.finish.stopSequence || blocks.includes(undefined)) return undefined
  return JSON.stringify({
    output: { message: { role: 'assistant', content: blocks } },
    stopReason,
    usage: said,
    metrics: { latencyMs: 551 },
    ...(tier !== undefined && { serviceTier: { type: tier } }),
  })
}

function blockOf(part: Part): Json | undefined {
  switch (part.kind) {
    case 'text':
      return textBlock(part.text, part.citations ?? [], part.phase)
    case 'call':
      if (part.form !== 'json' || part.namespace !== undefined || !isJson(part.argsText)) return undefined
      return { toolUse: { toolUseId: part.callId, name: part.name, input: JSON.parse(part.argsText) } }
    case 'reasoning':
      return thoughtBlock(part.text, part.opaque)
    default:
      return undefined
  }
}

function textBlock(text: string, citations: readonly Citation[], phase: string | undefined): Json | undefined {
  if (phase !== undefined) return undefined
  if (citations.length === 0) return { text }
  return { citationsContent: { content: [{ text }], citations: citations.map(citationOf) } }
}

function citationOf({ url, title, citedText, raw }: Citation): Json {
  const place = raw as { document_index?: number; start_char_index?: number; end_char_index?: number } | undefined
  const location = url
    ? { web: { url } }
    : { documentChar: { documentIndex: place?.document_index, start: place?.start_char_index, end: place?.end_char_index } }
  return { title, ...(citedText !== undefined && { sourceContent: [{ text: citedText }] }), location }
}

function thoughtBlock(text: readonly string[], opaque: readonly Opaque[]): Json | undefined {
  const [seal] = opaque
  if (text.length > 1) return undefined
  if (text.length === 0) return seal && { reasoningContent: { redactedContent: seal.value } }
  return { reasoningContent: { reasoningText: { text: text[0], ...(seal && { signature: seal.value }) } } }
}

function usageOf({ in: input, out, units }: Usage): Json | undefined {
  if (input.audio + input.image + out.audio + out.image + out.reasoning + units.searches > 0) return undefined
  const { '5m': five, '1h': hour, other } = input.cacheWrite
  const inputTokens = input.fresh
  const details = Object.entries({ '5m': five, '1h': hour }).flatMap(([ttl, tokens]) => (tokens > 0 ? [{ ttl, inputTokens: tokens }] : []))
  return {
    inputTokens,
    outputTokens: out.total,
    totalTokens: inputTokens + out.total + input.cacheRead + five + hour + other,
    ...(input.cacheRead > 0 && { cacheReadInputTokens: input.cacheRead }),
    ...(five + hour + other > 0 && { cacheWriteInputTokens: five + hour + other }),
    ...(details.length > 0 && { cacheDetails: details }),
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}
