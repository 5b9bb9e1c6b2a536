/**
 * OpenAI's GPT and o models. Limits as public documentation repeats them (not read on OpenAI's own pages): Box and UiPath model
 * cards, OpenAI-DotNet's `Model`; 1,050,000 tokens of GPT-5.4 and 5.5: vercel and oxen.ai model pages. What is rejected:
 * `getOpenAILanguageModelCapabilities` and the Responses model of the AI SDK's openai package.
 *
 * A dated snapshot has the facts of its alias, except where it predates a limit (the first gpt-4o stops at 4,096 tokens).
 */
import type { Capabilities } from '#shared/capabilities'
import { type FactRow, factsOf } from './facts.ts'

const able: Capabilities = { vision: true, tools: true }
const thinking: Capabilities = { ...able, reasoning: true }
const plain: Capabilities = { ...able, reasoningRefused: true }

const gpt5: Capabilities = { ...thinking, contextTokens: 400_000, maxOutputTokens: 128_000 }
const large: Capabilities = { ...thinking, contextTokens: 1_050_000, maxOutputTokens: 128_000 }

const rows: readonly FactRow[] = [
  [/^gpt-5\.[45](-\d{4}-\d{2}-\d{2})?$/, large],
  // From 5.1 on sampling is accepted while the effort is `none`, which is the default.
  [/^gpt-5\.1(-\d{4}-\d{2}-\d{2})?$/, gpt5],
  [/^gpt-5(-mini|-nano)?(-\d{4}-\d{2}-\d{2})?$/, { ...gpt5, samplingRefused: true }],
  [/^gpt-4\.1(-mini|-nano)?(-\d{4}-\d{2}-\d{2})?$/, { ...plain, contextTokens: 1_047_576, maxOutputTokens: 32_768 }],
  [/^gpt-4o(-mini)?$/, { ...plain, contextTokens: 128_000, maxOutputTokens: 16_384 }],
  [/^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d{2}-\d{2})?$/, { tools: true, reasoning: true, samplingRefused: true }],
]

/**
 * Facts on OpenAI's own service, where web search in Chat works only with the models made for it (pydantic-ai issue 2822: gpt-5
 * rejects the parameter as unknown).
 */
export const openaiFacts = (model: string): Capabilities => ({
  ...gptFacts(model),
  ...(!/-search-/.test(model) && { chatSearchRefused: true }),
})

/** Facts by exact name or dated snapshot; empty for names that only look similar. */
export const gptFacts = (model: string): Capabilities => factsOf(rows, model)
