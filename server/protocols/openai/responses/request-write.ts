/** A canonical request for an upstream of this dialect. Everything it needs is in the body: nothing is kept there. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Effort } from '#canonical/conversation'
import { recordForeign } from '#canonical/extensions'
import { type LossList, lossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type NameRules, toolNames } from '#canonical/tool-names'
import { writeInput } from './input-write.ts'
import { type ToolWriting, writeToolChoice, writeTools } from './tools-write.ts'

type Fields = Record<string, unknown>

const nameRules: NameRules = { foreign: /[^A-Za-z0-9_-]/g, longest: 64 }

/** Extensions that are written in a way of their own, or stand for state that has been resolved into the conversation. */
const placed = new Set(['namespaces', 'reasoning', 'tool_choice', 'include', 'store', 'previous_response_id', 'conversation'])

/** Throws GatewayError `unsupported_value` for what the upstream cannot say. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  recordForeign(request, 'responses', losses)
  refuseWhatCannotBeSaid(request)
  const names = toolNames(request, nameRules)
  const isOwn = request.dialect === 'responses'
  const extensions = Object.entries(request.extensions.responses ?? {}).filter(([field]) => !placed.has(field))
  const body = {
    ...Object.fromEntries(extensions),
    model: target.model,
    ...writeInput({ request, target, losses, names }),
    ...toolFields({ request, losses, names, strict: isOwn ? undefined : false }, target),
    ...outputFields(request, losses),
    ...samplingFields(request, target, losses),
    ...reasoningFields(request, target, losses),
    ...labelFields(request, losses),
    include: includes(request, target),
    store: request.extensions.responses?.store ?? false,
    ...(target.stream && { stream: true }),
  }
  return { body, headers: {}, losses: losses.losses, memo: { ...names.memo(), wrappedTools: [] } }
}

function refuseWhatCannotBeSaid(request: ConversationRequest): void {
  const { output, sampling } = request
  if (output.stop.length > 0) throw cannotCarry(request, 'output.stop', 'This upstream knows no stop sequences.')
  if (output.n > 1) throw cannotCarry(request, 'output.n', 'This upstream gives one answer at a time.')
  if (output.modalities.length > 0) throw cannotCarry(request, 'output.modalities', 'This upstream answers in text.')
  if (sampling.logitBias) throw cannotCarry(request, 'sampling.logitBias', 'Token ids mean nothing to another upstream.')
}

function toolFields(writing: ToolWriting, { capabilities }: Target): Fields {
  const { request, losses } = writing
  const tools = writeTools(writing)
  if (tools.length === 0) return {}
  const { mode, parallel } = request.toolPolicy
  const isForced = mode === 'required' && capabilities.forcedToolRefused === true
  if (isForced) losses.dropped('toolPolicy.mode', 'This model decides by itself whether it calls a tool.')
  const choice = isForced ? undefined : writeToolChoice(writing)
  return { tools, ...(choice !== undefined && { tool_choice: choice }), ...(parallel !== undefined && { parallel_tool_calls: parallel }) }
}

/** The upstream refuses a smaller limit. */
const leastTokens = 16

function outputFields({ output, dialect }: ConversationRequest, losses: LossList): Fields {
  const { maxTokens, format, verbosity, logprobs } = output
  if (maxTokens !== undefined && maxTokens < leastTokens) {
    losses.adapted('output.maxTokens', `The smallest limit of this upstream is ${leastTokens} tokens.`)
  }
  const text = { ...(format.kind !== 'text' && { format: formatField(format, dialect === 'responses') }), ...(verbosity && { verbosity }) }
  return {
    ...(maxTokens !== undefined && { max_output_tokens: Math.max(leastTokens, maxTokens) }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(logprobs !== undefined && { top_logprobs: logprobs }),
  }
}

/** Also the echo of the format in a response, where `isOwn` keeps silent what the caller left unsaid. */
export function formatField(format: ConversationRequest['output']['format'], isOwn: boolean): Fields {
  if (format.kind !== 'schema') return { type: format.kind === 'json' ? 'json_object' : 'text' }
  const { schema, name, description } = format
  const strict = format.strict ?? (isOwn ? undefined : false)
  return {
    type: 'json_schema',
    name: name?.replace(nameRules.foreign, '_').slice(0, 64) || 'answer',
    ...(description !== undefined && { description }),
    schema,
    ...(strict !== undefined && { strict }),
  }
}

function samplingFields({ sampling }: ConversationRequest, { capabilities }: Target, losses: LossList): Fields {
  const { temperature, topP, ...others } = sampling
  for (const field of Object.keys(others)) {
    if (field === 'topK') losses.dropped('sampling.topK', 'This upstream does not have it.')
    else losses.forgotten(`sampling.${field}`, 'This upstream does not have it.')
  }
  if (capabilities.samplingRefused === true) {
    if (temperature !== undefined) losses.dropped('sampling.temperature', 'This model samples in its own way.')
    if (topP !== undefined) losses.dropped('sampling.topP', 'This model samples in its own way.')
    return {}
  }
  const isTooMuch = temperature !== undefined && topP !== undefined && capabilities.topPWithTemperatureRefused === true
  if (isTooMuch) losses.dropped('sampling.topP', 'This model takes a temperature or top_p, not both.')
  return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && !isTooMuch && { top_p: topP }) }
}

function reasoningFields(request: ConversationRequest, { capabilities }: Target, losses: LossList): Fields {
  const { effort: wished, budget, visible } = request.reasoning
  if (capabilities.reasoningRefused === true) {
    if (wished !== undefined || budget !== undefined) losses.forgotten('reasoning', 'This model does not reason.')
    return {}
  }
  const effort = reachable(wished ?? effortOf(budget), capabilities, losses)
  if (wished === undefined && effort !== undefined && budget !== 0)
    losses.adapted('reasoning.budget', 'This upstream knows efforts, not budgets.')
  const own = request.extensions.responses?.reasoning
  const reasoning = {
    ...(effort && { effort }),
    ...((visible === 'summary' || visible === 'full') && { summary: 'auto' }),
    ...(typeof own === 'object' && own),
  }
  return Object.keys(reasoning).length > 0 ? { reasoning } : {}
}

function effortOf(budget: number | undefined): Effort | undefined {
  if (budget === undefined || budget < 0) return undefined
  if (budget === 0) return 'none'
  if (budget <= 2048) return 'low'
  if (budget <= 8192) return 'medium'
  return budget <= 24576 ? 'high' : 'xhigh'
}

function reachable(effort: Effort | undefined, { thinkingAlwaysOn }: Target['capabilities'], losses: LossList): Effort | undefined {
  if (effort !== 'none' || thinkingAlwaysOn !== true) return effort
  losses.altered('reasoning.effort', 'This model always reasons; it does so as little as it can.')
  return 'minimal'
}

/** The longest that the upstream takes as the name of a person. */
const longestUser = 128

function labelFields({ cache, tier, identity, extensions }: ConversationRequest, losses: LossList): Fields {
  const { endUser, metadata } = identity
  const isLong = endUser !== undefined && endUser.length > longestUser
  if (isLong) losses.forgotten('identity.endUser', `This upstream takes names of users up to ${longestUser} characters.`)
  const isOldName = extensions.responses?.user === endUser
  return {
    ...(cache.key !== undefined && { prompt_cache_key: cache.key }),
    ...(tier && { service_tier: tier }),
    ...(endUser !== undefined && !isLong && !isOldName && { safety_identifier: endUser }),
    ...(metadata && { metadata }),
  }
}

/** The state of reasoning is asked for always: it is what lets a conversation go on where nothing is kept. */
function includes({ extensions, output }: ConversationRequest, { capabilities }: Target): string[] {
  const asked = extensions.responses?.include
  const wanted = new Set(Array.isArray(asked) ? asked.filter((one) => typeof one === 'string') : [])
  if (capabilities.reasoningRefused !== true) wanted.add('reasoning.encrypted_content')
  if (output.logprobs !== undefined) wanted.add('message.output_text.logprobs')
  return [...wanted]
}
