/** A whole request, read into the canonical conversation: strict where it must be understood, and nothing else is lost. */
import type { ConversationRequest, Effort, Output, OutputFormat, ReasoningWish } from '#canonical/conversation'
import { isObject, scanObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readCount, readFlag, readModel, readText, readWord, wrong } from '../fields.ts'
import { neededText, readObject, readRange } from './checks.ts'
import { readInput } from './input-read.ts'
import { readToolPolicy, readTools, type ToolSet } from './tools-read.ts'

/** What has a canonical place, and what Parley itself removes; the rest are extensions. */
const canonical = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens', 'temperature', 'top_p'],
  ...['top_logprobs', 'text', 'reasoning', 'metadata', 'safety_identifier', 'prompt_cache_key', 'stream', 'service_tier'],
  ...['group', 'models'],
])

const tiers = ['auto', 'default', 'flex', 'priority', 'fast'] as const
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies readonly Effort[]
const levels = ['low', 'medium', 'high'] as const

/** How this dialect spells canonical fields, for refusals that name them. */
const paths = {
  'output.maxTokens': 'max_output_tokens',
  'output.format': 'text.format',
  'output.verbosity': 'text.verbosity',
  'output.logprobs': 'top_logprobs',
  'sampling.topP': 'top_p',
  'sampling.temperature': 'temperature',
  'reasoning.effort': 'reasoning.effort',
  toolPolicy: 'tool_choice',
  'toolPolicy.parallel': 'parallel_tool_calls',
  turns: 'input',
  'cache.key': 'prompt_cache_key',
  'identity.endUser': 'safety_identifier',
  'identity.metadata': 'metadata',
  tier: 'service_tier',
}

/** Throws GatewayError 400 with the path of what cannot be understood. */
export function readRequest(raw: string): ConversationRequest {
  const body = scanObject(raw).value
  const model = readModel(body.model)
  if ([body.input, body.previous_response_id, body.conversation, body.prompt].every(isAbsent)) throw missing('input')
  const { instructions, turns } = readInput(body)
  const set = readTools(body)
  const choice = readToolPolicy(body)
  const endUser = readText(body, 'safety_identifier') ?? readText(body, 'user')
  const metadata = readMetadata(body)
  const key = readText(body, 'prompt_cache_key')
  const tier = tiers.find((one) => one === body.service_tier)
  return {
    dialect: 'responses',
    model,
    instructions,
    turns,
    tools: set.tools,
    toolPolicy: choice.policy,
    output: readOutputWish(body),
    sampling: readSampling(body),
    reasoning: readReasoning(body),
    cache: { ...(key !== undefined && { key }) },
    ...(tier && { tier }),
    identity: { ...(endUser !== undefined && { endUser }), ...(metadata && { metadata }) },
    stream: readFlag(body, 'stream') ?? false,
    usageAsked: true,
    extensions: { responses: extensionsOf(body, set, choice.raw) },
    paths,
  }
}

function readOutputWish(body: Body): Output {
  const text = readObject(body, 'text') ?? {}
  const maxTokens = readCount(body, 'max_output_tokens')
  const verbosity = readWord(text, 'verbosity', levels, 'text.verbosity')
  const logprobs = readLogprobs(body)
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(text),
    modalities: [],
    ...(verbosity && { verbosity }),
    stop: [],
    n: 1,
    ...(logprobs !== undefined && { logprobs }),
  }
}

/** They come only when they are included; a number of alternatives says as much. */
function readLogprobs(body: Body): number | undefined {
  const top = readRange(body, 'top_logprobs', 0, 20)
  const included = Array.isArray(body.include) && body.include.includes('message.output_text.logprobs')
  return included ? (top ?? 0) : top || undefined
}

function readFormat(text: Body): OutputFormat {
  const format = readObject(text, 'format', 'text.format')
  switch (readWord(format ?? {}, 'type', ['text', 'json_object', 'json_schema'], 'text.format.type') ?? 'text') {
    case 'text':
      return { kind: 'text' }
    case 'json_object':
      return { kind: 'json' }
    case 'json_schema':
      return readSchema(format ?? {})
  }
}

function readSchema(format: Body): OutputFormat {
  const schema = readObject(format, 'schema', 'text.format.schema')
  if (!schema) throw missing('text.format.schema')
  const description = readText(format, 'description', 'text.format.description')
  const strict = readFlag(format, 'strict', 'text.format.strict')
  return {
    kind: 'schema',
    schema,
    name: neededText(format, 'name', 'text.format.name'),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

function readSampling(body: Body): ConversationRequest['sampling'] {
  const temperature = readRange(body, 'temperature', 0, 2)
  const topP = readRange(body, 'top_p', 0, 1)
  return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) }
}

/** A summary in any detail is a wish to see the reasoning; without it nothing is shown. */
function readReasoning(body: Body): ReasoningWish {
  const reasoning = readObject(body, 'reasoning')
  if (!reasoning) return {}
  const effort = readWord(reasoning, 'effort', efforts, 'reasoning.effort')
  const isVisible = !isAbsent(reasoning.summary ?? reasoning.generate_summary)
  return { ...(effort && { effort }), visible: isVisible ? 'summary' : 'none' }
}

function readMetadata(body: Body): Record<string, string> | undefined {
  const metadata = readObject(body, 'metadata')
  if (metadata && !isTexts(metadata)) throw wrong('metadata', 'an object of texts')
  return metadata
}

const isTexts = (value: Body): value is Record<string, string> => Object.values(value).every((one) => typeof one === 'string')

/** Fields without a canonical place, by wire name. What only repeats the default is left out. */
function extensionsOf(body: Body, { namespaces }: ToolSet, choice: unknown): Record<string, unknown> {
  const kept = Object.entries(body).filter(([field, value]) => !canonical.has(field) && !isDefault(field, value))
  const extensions = Object.fromEntries(kept)
  const reasoning = isObject(body.reasoning) ? Object.entries(body.reasoning).filter(isOwnReasoning) : []
  if (reasoning.length > 0) extensions.reasoning = Object.fromEntries(reasoning)
  if (Object.keys(namespaces).length > 0) extensions.namespaces = namespaces
  if (choice !== undefined) extensions.tool_choice = choice
  if (!isAbsent(body.service_tier) && !tiers.some((tier) => tier === body.service_tier)) extensions.service_tier = body.service_tier
  return extensions
}

const isOwnReasoning = ([field, value]: [string, unknown]) =>
  field !== 'effort' && !isAbsent(value) && !(field === 'summary' && value === 'auto')

function isDefault(field: string, value: unknown): boolean {
  if (isAbsent(value) || value === false) return field !== 'store' || isAbsent(value)
  return (field === 'truncation' && value === 'disabled') || (Array.isArray(value) && value.length === 0)
}
