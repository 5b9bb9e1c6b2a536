/** A whole request as the canonical conversation: strict for fields that must be understood, and nothing else is lost. */
import type { RequestBody } from '#canonical/codec'
import type { ConversationRequest, Effort, Output, OutputFormat, ReasoningSettings } from '#canonical/conversation'
import { type Fields, invalidField, type JsonObject, missingField, readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import { exact } from '#shared/exact-numbers'
import type { ResponsesRequest } from '#shared/protocols/openai/responses'
import { readModel } from '../fields.ts'
import { readInput } from './request-read-input.ts'
import { readToolPolicy, readTools } from './request-read-tools.ts'

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
export function readRequest(given: RequestBody): ConversationRequest {
  const { fields: body, unread: restOf } = readBody<ResponsesRequest>(scanned(given).value)
  const model = readModel(body.json('model'))
  const says = ['input', 'previous_response_id', 'conversation', 'prompt'] as const
  if (!says.some((field) => body.has(field))) throw missingField('input')
  const { instructions, turns, toolItems } = readInput(body)
  const set = readTools(body, toolItems)
  const choice = readToolPolicy(body)
  const reasoning = body.object('reasoning')
  const user = body.text('user')
  const endUser = body.text('safety_identifier') ?? user
  const metadata = readMetadata(body)
  const key = body.text('prompt_cache_key')
  const service = body.json('service_tier')
  const tier = tiers.find((one) => one === service)
  const request = {
    dialect: 'responses' as const,
    model,
    instructions,
    turns,
    tools: set.tools,
    toolPolicy: choice.policy,
    output: readOutput(body),
    sampling: readSampling(body),
    reasoning: readReasoning(reasoning),
    cache: { ...(key !== undefined && { key }) },
    ...(tier && { tier }),
    identity: { ...(endUser !== undefined && { endUser }), ...(metadata && { metadata }) },
    stream: body.flag('stream') ?? false,
    usageAsked: true,
    paths,
  }
  // Parley's own.
  body.ignore('group', 'models')
  const responses = {
    ...withoutDefaults({ ...body.rest(), user, include: body.json('include'), max_tool_calls: body.json('max_tool_calls') }),
    ...ownReasoning(reasoning?.whole()),
    ...(Object.keys(set.namespaces).length > 0 && { namespaces: set.namespaces }),
    ...(choice.raw !== undefined && { tool_choice: choice.raw }),
    ...(service !== undefined && !tier && { service_tier: service }),
  }
  const unread = restOf()
  return { ...request, extensions: { responses }, ...(unread.length > 0 && { unread }) }
}

function readOutput(body: Fields<ResponsesRequest>): Output {
  const text = body.object('text')
  const maxTokens = body.integer('max_output_tokens', 1)
  const verbosity = text?.word('verbosity', levels)
  const logprobs = readLogprobs(body)
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(text?.object('format')),
    modalities: [],
    ...(verbosity && { verbosity }),
    stop: [],
    n: 1,
    ...(logprobs !== undefined && { logprobs }),
  }
}

/** They are only returned if included; a number of alternatives implies that. */
function readLogprobs(body: Fields<ResponsesRequest>): number | undefined {
  const top = body.number('top_logprobs', 0, 20)
  const include = body.json('include')
  const isIncluded = Array.isArray(include) && include.includes('message.output_text.logprobs')
  return isIncluded ? (top ?? 0) : top || undefined
}

type Format = NonNullable<NonNullable<ResponsesRequest['text']>['format']>

function readFormat(format: Fields<Format> | undefined): OutputFormat {
  const type = format?.word('type', ['text', 'json_object', 'json_schema']) ?? 'text'
  if (type === 'json_object') return { kind: 'json' }
  if (!format || type === 'text') return { kind: 'text' }
  const schema = exact(format.needObject('schema').whole())
  const description = format.text('description')
  const strict = format.flag('strict')
  return {
    kind: 'schema',
    schema,
    name: format.needText('name'),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

function readSampling(body: Fields<ResponsesRequest>): ConversationRequest['sampling'] {
  const temperature = body.number('temperature', 0, 2)
  const topP = body.number('top_p', 0, 1)
  return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { topP }) }
}

type Reasoning = NonNullable<ResponsesRequest['reasoning']>

/** A summary of any detail requests visible reasoning; without it nothing is shown. */
function readReasoning(reasoning: Fields<Reasoning> | undefined): ReasoningSettings {
  if (!reasoning) return {}
  const effort = reasoning.word('effort', efforts)
  const isVisible = reasoning.has('summary') || reasoning.has('generate_summary')
  return { ...(effort && { effort }), visible: isVisible ? 'summary' : 'none' }
}

/** Reasoning settings without a canonical equivalent. */
function ownReasoning(reasoning: JsonObject = {}): { reasoning?: JsonObject } {
  const isOwn = ([field, value]: [string, unknown]) => field !== 'effort' && value !== null && !(field === 'summary' && value === 'auto')
  const own = Object.entries(reasoning).filter(isOwn)
  return own.length > 0 ? { reasoning: Object.fromEntries(own) } : {}
}

function readMetadata(body: Fields<ResponsesRequest>): Record<string, string> | undefined {
  const metadata = body.object('metadata')?.whole()
  if (metadata && !isTexts(metadata)) throw invalidField('metadata', 'an object of texts')
  return metadata
}

const isTexts = (value: JsonObject): value is Record<string, string> => Object.values(value).every((one) => typeof one === 'string')

/** What only repeats a default needs no place. */
const withoutDefaults = (fields: JsonObject) =>
  Object.fromEntries(Object.entries(fields).filter(([field, value]) => !isDefault(field, value)))

function isDefault(field: string, value: unknown): boolean {
  if (value === undefined) return true
  if (value === false) return field !== 'store'
  return (field === 'truncation' && value === 'disabled') || (Array.isArray(value) && value.length === 0)
}
