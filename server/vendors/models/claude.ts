/**
 * Claude. Limits: https://platform.claude.com/docs/en/models and the overview page of each model; what is refused: the
 * migration guides below it (Opus 4.6, 4.7, 5.5; Sonnet 5, 5.5; Haiku 5.5), docs/mapping.md 1.4 (system turns from Opus 4.8 on),
 * and `getModelCapabilities` of the AI SDK's anthropic package (largest outputs of 4.x and 3.x).
 */
import type { Capabilities } from '#shared/capabilities'
import { type FactRow, factsOf } from './facts.ts'

/** Anthropic's own name inside a cloud's or reseller's: `us.anthropic.claude-opus-4-5-20251101-v1:0`, `claude-opus-4.5`. */
const ownName = /(?:^|[./])(claude-[^/]+)$/

/** True for Anthropic's models, whoever serves them. */
export const isClaude = (model: string) => ownName.test(model)

const able: Capabilities = { vision: true, tools: true, reasoning: true }

/** From 4.6 on the last turn must be the user's. */
const current: Capabilities = { ...able, contextTokens: 1_000_000, maxOutputTokens: 128_000, prefillRefused: true }
/** From 4.7 on sampling parameters and thinking budgets are rejected. */
const adaptive: Capabilities = { ...current, samplingRefused: true, adaptiveOnly: true }
const alwaysThinking: Capabilities = { ...adaptive, thinkingAlwaysOn: true }
/** Thinking can only be limited to the time between tool calls, and tool use cannot be forced. */
const unforced: Capabilities = { ...alwaysThinking, forcedToolRefused: true }

const older: Capabilities = { ...able, noSystemTurns: true }
const either: Capabilities = { topPWithTemperatureRefused: true }
const budget: Capabilities = { ...older, contextTokens: 200_000, budgetOnly: true }

const rows: readonly FactRow[] = [
  [/^claude-(fable-5-1|opus-5-5|sonnet-5-5)/, unforced],
  [/^claude-haiku-5-5/, adaptive],
  [/^claude-fable-5/, alwaysThinking],
  [/^claude-(opus|sonnet)-5/, adaptive],
  [/^claude-opus-4-8/, adaptive],
  [/^claude-opus-4-7/, { ...adaptive, noSystemTurns: true }],
  [/^claude-(opus|sonnet)-4-6/, { ...current, ...either, noSystemTurns: true }],
  [/^claude-(opus|sonnet|haiku)-4-5/, { ...budget, ...either, maxOutputTokens: 64_000 }],
  [/^claude-opus-4-1/, { ...budget, ...either, maxOutputTokens: 32_000 }],
  [/^claude-opus-4\b/, { ...budget, maxOutputTokens: 32_000 }],
  [/^claude-(sonnet-4\b|3-7-sonnet)/, { ...budget, maxOutputTokens: 64_000 }],
  [/^claude-3-5-(sonnet|haiku)/, { tools: true, vision: true, contextTokens: 200_000, maxOutputTokens: 8192, noSystemTurns: true }],
  [/^claude-3-(opus|sonnet|haiku)/, { tools: true, vision: true, contextTokens: 200_000, maxOutputTokens: 4096, noSystemTurns: true }],
]

/** Facts by Anthropic's name; dots, as resellers write them, count as dashes. */
export function claudeFacts(model: string): Capabilities {
  const name = ownName.exec(model)?.[1]?.replaceAll('.', '-')
  return name === undefined ? {} : factsOf(rows, name)
}
