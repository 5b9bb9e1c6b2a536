/** A response as an interaction. */

import { parseArguments } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { askedStep, listOf, stepsOf } from './steps.ts'

const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Reasoning tokens are counted separately from output. */
export function usageOf(usage: unknown): JsonObject | undefined {
  if (!isObject(usage)) return undefined
  const input = numberIn(usage.input_tokens)
  const output = numberIn(usage.output_tokens)
  const thought = isObject(usage.output_tokens_details) ? numberIn(usage.output_tokens_details.reasoning_tokens) : 0
  const cached = isObject(usage.input_tokens_details) ? numberIn(usage.input_tokens_details.cached_tokens) : 0
  return {
    total_tokens: input + output,
    total_input_tokens: input,
    total_output_tokens: output - thought,
    total_thought_tokens: thought,
    total_cached_tokens: cached,
    total_tool_use_tokens: 0,
  }
}

/** A function that was called waits for its caller. */
export function statusOf(response: JsonObject): string {
  const { status } = response
  if (status !== 'completed') return typeof status === 'string' ? status : 'in_progress'
  const waits = listOf(response.output).some(({ type }) => type === 'function_call' || type === 'custom_tool_call')
  return waits ? 'requires_action' : 'completed'
}

const timeOf = (seconds: unknown) => new Date(numberIn(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
const tiers: Readonly<Record<string, string>> = { default: 'standard', flex: 'flex', priority: 'priority' }

/** The fields that every form of an interaction has, without its steps. */
export function headOf(response: JsonObject): JsonObject {
  const { id, model, created_at: created, completed_at: completed, service_tier: tier } = response
  const usage = usageOf(response.usage)
  const before = response.previous_response_id
  return {
    ...{ id, object: 'interaction', model, status: statusOf(response) },
    ...{ created: timeOf(created), updated: timeOf(completed ?? created) },
    ...(typeof before === 'string' && { previous_interaction_id: before }),
    ...(typeof response.instructions === 'string' && { system_instruction: response.instructions }),
    ...(typeof tier === 'string' && tiers[tier] !== undefined && { service_tier: tiers[tier] }),
    ...(usage && { usage }),
    ...(isObject(response.error) && { errors: [{ code: response.error.code, message: response.error.message }] }),
  }
}

/** A whole answer. */
export function interactionOf(response: JsonObject): JsonObject {
  return { ...headOf(response), steps: listOf(response.output).flatMap(stepsOf) }
}

/** The same for a body as text. */
export const writeInteraction = (body: string): string => JSON.stringify(interactionOf(parseObject(body) ?? {}))

/** The interaction with its input; `items`: the list of input items, as text, oldest first. */
export function withInput(interaction: string, items: string): string {
  const input = listOf(parseObject(items)?.data).flatMap(askedStep)
  return JSON.stringify({ ...parseArguments(interaction), input })
}
