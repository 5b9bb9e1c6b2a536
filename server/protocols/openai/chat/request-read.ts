/** A Chat request as the canonical conversation: every field has its place here, or rides in the extensions of this dialect. */
import type { ConversationRequest, Output, OutputFormat, ReasoningWish } from '#canonical/conversation'
import { isObject, scanObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readCount, readFlag, readModel, readText, readTexts, readWord, wrong } from '../fields.ts'
import { readSampling } from '../sampling.ts'
import { messageList } from './head.ts'
import { readMessages } from './message-read.ts'
import { readSchema, readToolPolicy, readTools } from './tools-read.ts'

/** How Chat spells the canonical fields that another dialect may have to refuse. */
const paths: Readonly<Record<string, string>> = {
  turns: 'messages',
  tools: 'tools',
  'toolPolicy.mode': 'tool_choice',
  'toolPolicy.only': 'tool_choice',
  'toolPolicy.parallel': 'parallel_tool_calls',
  'output.maxTokens': 'max_completion_tokens',
  'output.format': 'response_format',
  'output.modalities': 'modalities',
  'output.verbosity': 'verbosity',
  'output.stop': 'stop',
  'output.n': 'n',
  'output.logprobs': 'logprobs',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.frequencyPenalty': 'frequency_penalty',
  'sampling.presencePenalty': 'presence_penalty',
  'sampling.seed': 'seed',
  'sampling.logitBias': 'logit_bias',
  'reasoning.effort': 'reasoning_effort',
}

/** Top-level fields that have a canonical place, and Parley's own. */
const known = new Set(
  `model messages tools tool_choice parallel_tool_calls function_call web_search_options max_tokens max_completion_tokens response_format
  modalities verbosity stop n logprobs top_logprobs temperature top_p frequency_penalty presence_penalty seed logit_bias
  reasoning_effort prompt_cache_key safety_identifier metadata stream group models`.split(/\s+/),
)

const tiers = ['auto', 'default', 'flex', 'priority', 'fast'] as const
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(raw: string): ConversationRequest {
  const body = scanObject(raw).value
  const key = readText(body, 'prompt_cache_key')
  const endUser = readText(body, 'safety_identifier') ?? readText(body, 'user')
  const tier = tiers.find((word) => word === body.service_tier)
  const extensions = extensionsOf(body)
  return {
    dialect: 'chat',
    model: readModel(body.model),
    ...readMessages(messageList(body.messages)),
    tools: readTools(body),
    toolPolicy: readToolPolicy(body),
    output: readOutput(body),
    sampling: readSampling(body),
    reasoning: readReasoningWish(body),
    cache: key === undefined ? {} : { key },
    ...(tier !== undefined && { tier }),
    identity: { ...(endUser !== undefined && { endUser }), ...readMetadata(body.metadata) },
    stream: readFlag(body, 'stream') ?? false,
    usageAsked: isObject(body.stream_options) && body.stream_options.include_usage === true,
    extensions: Object.keys(extensions).length > 0 ? { chat: extensions } : {},
    paths,
  }
}

function readOutput(body: Body): Output {
  const maxTokens = readCount(body, 'max_completion_tokens') ?? readCount(body, 'max_tokens')
  const verbosity = readWord(body, 'verbosity', ['low', 'medium', 'high'])
  const top = readCount(body, 'top_logprobs', 20, 0)
  const modalities = isAbsent(body.modalities) ? [] : readTexts(body, 'modalities')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(body.response_format),
    modalities: (['audio', 'image'] as const).filter((one) => modalities.includes(one)),
    ...(verbosity !== undefined && { verbosity }),
    stop: readTexts(body, 'stop'),
    n: readCount(body, 'n', 128) ?? 1,
    ...(readFlag(body, 'logprobs') && { logprobs: top ?? 0 }),
  }
}

function readFormat(format: unknown): OutputFormat {
  if (isAbsent(format)) return { kind: 'text' }
  if (!isObject(format)) throw wrong('response_format', 'an object')
  const type = readWord(format, 'type', ['text', 'json_object', 'json_schema'], 'response_format.type')
  if (type === 'json_object') return { kind: 'json' }
  if (type !== 'json_schema') return { kind: 'text' }
  const path = 'response_format.json_schema'
  if (!isObject(format.json_schema)) throw missing(path)
  const fields = format.json_schema
  const name = readText(fields, 'name', `${path}.name`)
  const description = readText(fields, 'description', `${path}.description`)
  const strict = readFlag(fields, 'strict', `${path}.strict`)
  return {
    kind: 'schema',
    schema: readSchema(fields.schema, `${path}.schema`) ?? {},
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

/** Who asks for an effort may see the thoughts: many clients of this dialect show `reasoning_content`. */
function readReasoningWish(body: Body): ReasoningWish {
  const effort = readWord(body, 'reasoning_effort', efforts)
  if (effort === undefined) return {}
  return effort === 'none' ? { effort } : { effort, visible: 'summary' }
}

function readMetadata(metadata: unknown): { metadata?: Record<string, string> } {
  if (!isObject(metadata)) return {}
  const pairs = Object.entries(metadata).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return pairs.length > 0 ? { metadata: Object.fromEntries(pairs) } : {}
}

function extensionsOf(body: Body): Record<string, unknown> {
  const fields = Object.entries(body).filter(([field, value]) => !known.has(field) && !isAbsent(value))
  const extensions = Object.fromEntries(fields)
  if (tiers.some((word) => word === body.service_tier)) delete extensions.service_tier
  // The caller's name for its own user, when it gives both.
  if (isAbsent(body.safety_identifier)) delete extensions.user
  if (isObject(body.stream_options)) {
    const { include_usage: _, ...others } = body.stream_options
    extensions.stream_options = others
    if (Object.keys(others).length === 0) delete extensions.stream_options
  }
  return extensions
}
