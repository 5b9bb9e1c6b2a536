/**
 * Gemini. Sources:
 *
 * Limits: https://ai.google.dev/gemini-api/docs/models (2.0, 2.5) and
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-flash (3.x). Thought signatures from 3 on:
 * docs/mapping.md 0.4. Thinking levels instead of budgets from 3 on: the same cloud page; budgets of 2.5:
 * https://ai.google.dev/gemini-api/docs/thinking; levels of the third Pro:
 * https://vercel.com/docs/ai-gateway/capabilities/reasoning/google. Thinking cannot be turned off from 3 on: the AI SDK's google
 * package. Older schema: docs/mapping.md 2.5. Search next to functions is rejected before 3: celeste-python issue 197, gemini-balance
 * pull 17.
 */
import type { Capabilities } from '#shared/capabilities'
import { type FactRow, factsOf } from './facts.ts'

const able: Capabilities = { vision: true, tools: true, contextTokens: 1_048_576 }

/** Google's own tools or the caller's, not both in one request. */
const apart: Capabilities = { searchBesideToolsRefused: true }

const thinks: Capabilities = { ...able, reasoning: true, maxOutputTokens: 65_536 }
const third: Capabilities = { ...thinks, thoughtSignatureRequired: true, thinkingAlwaysOn: true }
const second: Capabilities = { ...thinks, budgetOnly: true, ...apart }

const rows: readonly FactRow[] = [
  // Images of 1K and larger: Gemini 3 and the larger Imagen 4 models.
  [/^gemini-[3-9].*-image|^imagen-4\.0-(ultra-)?generate/, { imageSizes: true }],
  // Maximum inputs per batch, from the API's error message (github weaviate/weaviate pull 11277).
  [/embedding/, { maxInputs: 100 }],
  // Media-generating models have other limits, which are not known here.
  [/-(image|tts|live|audio|embedding|native)/, {}],
  [/^gemini-3(\.\d+)?-pro/, { ...third, minimalRefused: true }],
  [/^gemini-[3-9]/, third],
  [/^gemini-2\.5-pro/, { ...second, thinkingAlwaysOn: true, maxThinkingBudget: 32_768 }],
  [/^gemini-2\.5-flash/, { ...second, maxThinkingBudget: 24_576 }],
  [/^gemini-2\.0-flash/, { ...able, maxOutputTokens: 8192, ...apart }],
  [/^gemini-1\./, { olderSchema: true, ...apart }],
]

/** Facts by Google's name, with or without `models/`. */
export const geminiFacts = (model: string): Capabilities => factsOf(rows, model.replace(/^models\//, ''))
