/**
 * Gemini. Limits: https://ai.google.dev/gemini-api/docs/models (2.0, 2.5) and
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-flash (3.x); signatures of thoughts from 3 on:
 * protocols.md 0.4; levels instead of budgets from 3 on: the same
 * cloud page; no end to thinking from 3 on: the AI SDK's google package; older schema: protocols.md 2.5.
 */
import type { Capabilities } from '../vendor.ts'
import { type FactRow, factsOf } from './facts.ts'

const able: Capabilities = { vision: true, tools: true, contextTokens: 1_048_576 }

const rows: readonly FactRow[] = [
  // Models that make or speak media have other limits; none are known here.
  [/-(image|tts|live|audio|embedding|native)/, {}],
  [/^gemini-[3-9]/, { ...able, reasoning: true, maxOutputTokens: 65_536, thoughtSignatureRequired: true, thinkingAlwaysOn: true }],
  [/^gemini-2\.5-(pro|flash)/, { ...able, reasoning: true, maxOutputTokens: 65_536, budgetOnly: true }],
  [/^gemini-2\.0-flash/, { ...able, maxOutputTokens: 8192 }],
  [/^gemini-1\./, { olderSchema: true }],
]

/** Facts by Google's name, with or without `models/`. */
export const geminiFacts = (model: string): Capabilities => factsOf(rows, model.replace(/^models\//, ''))
