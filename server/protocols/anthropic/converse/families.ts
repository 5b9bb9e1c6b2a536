/**
 * Settings that Converse leaves to each model family. How to ask for thinking and top_k: recorded requests in pydantic/pydantic-ai,
 * tests/models/cassettes/test_bedrock (thinking_high_openai_variant, thinking_high_qwen_variant, top_k_nova_variant). Which families take a
 * schema: the native_output recordings there, and https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html.
 */
import type { ReasoningSettings } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import type { Json } from '../frame.ts'

/** The vendor in a name of a model or of an inference profile: `us.amazon.nova-lite-v1:0`. */
const isOf = (vendors: string) => new RegExp(`(?:^|[./])(?:${vendors})[.]`)

const schemas = isOf('qwen|google|minimax|mistral|nvidia|zai|moonshot|moonshotai|openai|deepseek')
const olderMistral = /mistral[.](?:mistral-7b|mixtral|mistral-(?:large|small)-240)/
const nova = isOf('amazon')
const openai = isOf('openai')
const qwen = isOf('qwen')
const mistral = isOf('mistral')

/** Whether this model's answers can be bound to a schema. */
export const takesSchema = (model: string): boolean => schemas.test(model) && !olderMistral.test(model)

type Level = 'low' | 'medium' | 'high'

/** Undefined = off. A budget becomes a level as docs/mapping.md says. */
function levelOf({ effort, budget }: ReasoningSettings): Level | undefined {
  if (effort === 'none' || budget === 0) return undefined
  if (effort === 'minimal' || effort === 'low') return 'low'
  if (effort === 'medium') return 'medium'
  if (effort !== undefined) return 'high'
  if (budget === undefined || budget < 0) return 'medium'
  if (budget <= 2048) return 'low'
  return budget <= 8192 ? 'medium' : 'high'
}

/** `additionalModelRequestFields` that ask for thinking; undefined if nothing is asked, or nothing can be. */
export function writeReasoning(settings: ReasoningSettings, model: string, losses: LossList): Json | undefined {
  if (settings.effort === undefined && settings.budget === undefined && settings.adaptive !== true) return undefined
  const level = levelOf(settings)
  if (level === undefined) return undefined
  const isExact = settings.effort === level
  if (openai.test(model) || qwen.test(model)) {
    if (!isExact) losses.adapted('reasoning', 'This upstream has low, medium and high.')
    return openai.test(model) ? { reasoning_effort: level } : { reasoning_config: level }
  }
  if (nova.test(model) && model.includes('nova-2')) {
    if (!isExact) losses.adapted('reasoning', 'This upstream has low, medium and high.')
    return { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } }
  }
  losses.altered('reasoning', 'The amount of reasoning of this model cannot be chosen.')
  return undefined
}

/** `additionalModelRequestFields` with top_k; undefined if the model has none. */
export function writeTopK(topK: number | undefined, model: string, losses: LossList): Json | undefined {
  if (topK === undefined) return undefined
  if (nova.test(model)) return { inferenceConfig: { topK } }
  if (mistral.test(model) || qwen.test(model)) return { top_k: topK }
  losses.dropped('sampling.topK', 'This model has no top_k.')
  return undefined
}
