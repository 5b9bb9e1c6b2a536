/** A Chat request as the canonical conversation: every field has its place here, or is kept in the extensions of this dialect. */
import type { RequestBody } from '#canonical/codec'
import type { ConversationRequest, Output, OutputFormat } from '#canonical/conversation'
import { type Fields, type JsonObject, readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import { isObject } from '#shared/json'
import type { ChatRequest } from '#shared/protocols/openai/chat'
import { readModel } from '../fields.ts'
import { readSampling } from '../sampling.ts'
import { messageList } from './head.ts'
import { readMessages } from './request-read-messages.ts'
import { readReasoningSettings, vendorFields } from './request-read-reasoning.ts'
import { readSchema, readToolPolicy, readTools } from './request-read-tools.ts'

type Format = NonNullable<ChatRequest['response_format']>

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

const tiers = ['auto', 'default', 'flex', 'priority', 'fast'] as const

/** Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(given: RequestBody): ConversationRequest {
  const { fields: body, unread: restOf } = readBody<ChatRequest>(scanned(given).value)
  messageList(body.json('messages'))
  const key = body.text('prompt_cache_key')
  const identity = readIdentity(body)
  const options = body.objectIf('stream_options')
  const usageAsked = options?.json('include_usage') === true
  const { tier, ownTier } = readTier(body)
  const settings = readReasoningSettings(body)
  const request = {
    dialect: 'chat' as const,
    model: readModel(body.json('model')),
    ...readMessages(body),
    tools: readTools(body),
    toolPolicy: readToolPolicy(body),
    output: readOutput(body),
    sampling: readSampling(body),
    reasoning: settings.reasoning,
    cache: key === undefined ? {} : { key },
    ...(tier !== undefined && { tier }),
    identity,
    stream: body.flag('stream') ?? false,
    usageAsked,
    paths,
  }
  const extensions = { ...readExtensions(body, { streamOptions: options?.rest() ?? {}, ownTier }), ...settings.own }
  const strange = vendorFields.filter((field) => Object.hasOwn(extensions, field) && !Object.hasOwn(settings.own, field))
  const unread = [...restOf(), ...strange]
  return {
    ...request,
    extensions: Object.keys(extensions).length > 0 ? { chat: extensions } : {},
    ...(unread.length > 0 && { unread }),
  }
}

function readOutput(body: Fields<ChatRequest>): Output {
  const limits = [body.integer('max_completion_tokens', 1), body.integer('max_tokens', 1)]
  const [maxTokens] = limits.filter((limit) => limit !== undefined)
  const verbosity = body.word('verbosity', ['low', 'medium', 'high'])
  const top = body.integer('top_logprobs', 0, 20)
  const modalities = body.texts('modalities')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    format: readFormat(body.object('response_format')),
    modalities: (['audio', 'image'] as const).filter((one) => modalities.includes(one)),
    ...(verbosity !== undefined && { verbosity }),
    // Empty sequences mean nothing.
    stop: body.texts('stop').filter((sequence) => sequence !== ''),
    n: body.integer('n', 1, 128) ?? 1,
    ...(body.flag('logprobs') && { logprobs: top ?? 0 }),
  }
}

function readFormat(format: Fields<Format> | undefined): OutputFormat {
  const type = format?.word('type', ['text', 'json_object', 'json_schema'])
  if (type === 'json_object') return { kind: 'json' }
  if (!format || type !== 'json_schema') return { kind: 'text' }
  const fields = format.needObject('json_schema')
  const name = fields.text('name')
  const description = fields.text('description')
  const strict = fields.flag('strict')
  return {
    kind: 'schema',
    schema: readSchema(fields.json('schema'), fields.pathOf('schema')) ?? {},
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  }
}

/** A tier that only this dialect has is an extension. */
function readTier(body: Fields<ChatRequest>): { tier?: ConversationRequest['tier'] & string; ownTier?: unknown } {
  const word = body.json('service_tier')
  const tier = tiers.find((one) => one === word)
  return tier === undefined ? { ownTier: word } : { tier }
}

/** `user` is the older name of `safety_identifier`; if both are set, it becomes an extension. */
function readIdentity(body: Fields<ChatRequest>): ConversationRequest['identity'] {
  const endUser = body.text('safety_identifier') ?? body.text('user')
  const metadata = readMetadata(body.json('metadata'))
  return { ...(endUser !== undefined && { endUser }), ...(metadata && { metadata }) }
}

function readMetadata(metadata: unknown): Record<string, string> | undefined {
  if (!isObject(metadata)) return undefined
  const pairs = Object.entries(metadata).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined
}

/**
 * Top-level fields without a canonical equivalent, and the old lists of functions, which identify a client that does not read tool calls.
 */
function readExtensions(
  body: Fields<ChatRequest>,
  { streamOptions, ownTier }: { streamOptions: JsonObject; ownTier: unknown },
): JsonObject {
  const functions = body.json('functions')
  const choice = body.json('function_call')
  // Parley's own.
  body.ignore('group', 'models')
  return {
    ...body.rest(),
    ...(ownTier !== undefined && { service_tier: ownTier }),
    ...(functions !== undefined && { functions }),
    ...(choice !== undefined && { function_call: choice }),
    ...(Object.keys(streamOptions).length > 0 && { stream_options: streamOptions }),
  }
}
