/** The usage of an interaction as its upstream reports it, in the form of Gemini's other answers; and what it delivered. */
import { type ReportedUsage, soundTokens, textBytes } from '#canonical/delivered'
import { isObject, type JsonObject } from '#shared/json'
import { type Delivered, readUsage } from '../../usage.ts'
import { listOf, textIn } from '../steps.ts'

const details = (kinds: unknown) =>
  listOf(kinds).map(({ modality, tokens }) => ({ modality: textIn(modality).toUpperCase(), tokenCount: tokens }))

/** Undefined if there are no figures, or implausible ones. */
export function usageIn(usage: unknown, delivered: Delivered): ReportedUsage | undefined {
  if (!isObject(usage)) return undefined
  const searches = listOf(usage.grounding_tool_count).filter(({ type }) => type === 'google_search')
  for (const { count } of searches) if (typeof count === 'number' && count >= 0 && count < 10_000) delivered.searches = count
  const reported = readUsage(
    {
      promptTokenCount: usage.total_input_tokens,
      toolUsePromptTokenCount: usage.total_tool_use_tokens,
      candidatesTokenCount: usage.total_output_tokens,
      thoughtsTokenCount: usage.total_thought_tokens,
      cachedContentTokenCount: usage.total_cached_tokens,
      totalTokenCount: usage.total_tokens,
      promptTokensDetails: details(usage.input_tokens_by_modality),
      toolUsePromptTokensDetails: details(usage.tool_use_tokens_by_modality),
      cacheTokensDetails: details(usage.cached_tokens_by_modality),
      candidatesTokensDetails: details(usage.output_tokens_by_modality),
    },
    delivered,
  )
  return reported && { ...reported, usage: { ...reported.usage, raw: usage } }
}

/** Counts a piece of the model's output. */
function measurePiece(piece: JsonObject, delivered: Delivered): void {
  delivered.text += textBytes(piece.text, delivered)
  if (piece.type === 'image') delivered.images++
  if (piece.type === 'audio') delivered.sound += soundTokens(textIn(piece.data), textIn(piece.mime_type))
}

/** Counts a step of an answer; the caller's own steps are not counted. */
export function measureStep(step: JsonObject, delivered: Delivered): void {
  const type = textIn(step.type)
  if (type === 'model_output') for (const piece of listOf(step.content)) measurePiece(piece, delivered)
  else if (type === 'thought') for (const { text } of listOf(step.summary)) delivered.reasoning += textBytes(text, delivered)
  else if (type.endsWith('_call')) {
    delivered.text += textBytes(step.name, delivered)
    if (isObject(step.arguments) && Object.keys(step.arguments).length > 0)
      delivered.text += textBytes(JSON.stringify(step.arguments), delivered)
    if (type === 'google_search_call') delivered.searches++
  }
}

/** Counts what one event adds to a step. */
export function measureDelta(delta: JsonObject, delivered: Delivered): void {
  const type = textIn(delta.type)
  if (type === 'thought_summary') {
    if (isObject(delta.content)) delivered.reasoning += textBytes(delta.content.text, delivered)
  } else if (type === 'arguments_delta') delivered.text += textBytes(delta.arguments, delivered)
  else if (type === 'text' || type === 'image' || type === 'audio') measurePiece(delta, delivered)
}
