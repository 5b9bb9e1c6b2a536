/**
 * A Messages request as a conversation. Fields that only this dialect has are kept to be written back; so are dated hosted tools, except
 * web search, which others have too.
 */
import type { RequestBody } from '#canonical/codec'
import type {
  ConversationRequest,
  Effort,
  Instruction,
  Output,
  OutputFormat,
  ReasoningSettings,
  Sampling,
  Tool,
  ToolPolicy,
} from '#canonical/conversation'
import { type Fields, invalidField, readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import { exact } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import type { CountTokensRequest, MessagesBlock, MessagesRequest, MessagesTool } from '#shared/protocols/anthropic/messages'
import { keepCallNumbers } from '#wire/json-scan'
import { checkCount, checkMessages, scan } from './head.ts'
import { type Reading, readMark, readTurns } from './request-read-turns.ts'

type Body = Fields<MessagesRequest>
type OutputConfig = Fields<NonNullable<MessagesRequest['output_config']>>

/** Throws GatewayError 400 with the path of the wrong field as `param`. */
export function readRequest(given: RequestBody): ConversationRequest {
  const request = scanned(given, scan)
  if (request.text.includes('"tool_use"')) keepCallNumbers(request)
  return readConversation(checkMessages(request))
}

/** The same for a request to count tokens. */
export const readCountRequest = (given: RequestBody): ConversationRequest => readConversation(checkCount(given))

/** `checked` satisfies the schema of the endpoint, so the fields that it names have their types. */
function readConversation(checked: Record<string, unknown>): ConversationRequest {
  const { fields: body, unread } = readBody<MessagesRequest>(checked)
  const reading: Reading = { notes: new Set(), names: new Map() }
  const turns = readTurns(body, reading)
  const endUser = body.objectIf('metadata')?.textIf('user_id')
  const tier = readTier(body)
  const config = body.objectIf('output_config')
  const request: ConversationRequest = {
    dialect: 'messages',
    model: body.needText('model'),
    instructions: readSystem(body),
    turns,
    tools: readTools(body, reading.notes),
    toolPolicy: readPolicy(body),
    output: readOutput(body, config),
    sampling: readSampling(body),
    reasoning: readReasoning(body, config, reading.notes),
    cache: {},
    ...(tier && { tier }),
    identity: endUser === undefined ? {} : { endUser },
    stream: body.flag('stream') === true,
    usageAsked: true,
    extensions: readExtensions(body, reading.notes),
    paths,
  }
  const rest = unread()
  return rest.length > 0 ? { ...request, unread: rest } : request
}

/** Canonical fields as this dialect spells them. */
const paths = {
  instructions: 'system',
  turns: 'messages',
  toolPolicy: 'tool_choice',
  'toolPolicy.mode': 'tool_choice.type',
  'toolPolicy.only': 'tool_choice.name',
  'toolPolicy.parallel': 'tool_choice.disable_parallel_tool_use',
  'output.maxTokens': 'max_tokens',
  'output.format': 'output_config.format',
  'output.stop': 'stop_sequences',
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.topK': 'top_k',
  reasoning: 'thinking',
  'reasoning.budget': 'thinking.budget_tokens',
  'reasoning.effort': 'output_config.effort',
  tier: 'service_tier',
  'identity.endUser': 'metadata.user_id',
}

function readSystem(body: Body): Instruction[] {
  const text = body.textIf('system')
  if (text !== undefined) return text === '' ? [] : [{ role: 'system', text }]
  return body.objects('system').map((block: Fields<MessagesBlock>) => {
    if (block.textIf('type') !== 'text') throw invalidField(block.pathOf('type'), 'text')
    const words = block.textIf('text')
    if (words === undefined) throw invalidField(block.pathOf('text'), 'text')
    const cache = readMark(block)
    return { role: 'system', text: words, ...(cache && { cache }) }
  })
}

/** `tools`; `notes` collects the paths of fields that only this dialect has. Throws GatewayError 400 with the field's path. */
const readTools = (body: Fields<CountTokensRequest>, notes: Set<string>): Tool[] =>
  body.objects('tools').map((tool) => readTool(tool, notes))

function readTool(tool: Fields<MessagesTool>, notes: Set<string>): Tool {
  const type = tool.textIf('type')
  if (type === undefined || type === 'custom') return readFunction(tool)
  if (type.startsWith('web_search')) return readSearch(tool, notes)
  return { kind: 'native', dialect: 'messages', name: tool.textIf('name') ?? type, raw: tool.whole() }
}

function readFunction(tool: Fields<MessagesTool>): Tool {
  const name = tool.textIf('name') ?? ''
  if (name === '') throw invalidField(tool.pathOf('name'), 'text that is not empty')
  const schema = exact(tool.json('input_schema'))
  if (schema !== undefined && !isObject(schema)) throw invalidField(tool.pathOf('input_schema'), 'an object')
  const description = tool.textIf('description')
  const strict = tool.json('strict')
  const cache = readMark(tool)
  const extra = tool.rest()
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: schema ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
    ...(cache && { cache }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** Every version of web search. Options that no other dialect has are recorded by their paths. */
function readSearch(tool: Fields<MessagesTool>, notes: Set<string>): Tool {
  const allowedDomains = domains(tool.json('allowed_domains'))
  const blockedDomains = domains(tool.json('blocked_domains'))
  const location = tool.json('user_location')
  const maxUses = tool.kind('max_uses') === 'number' ? tool.integer('max_uses', 1) : undefined
  if (tool.has('cache_control')) notes.add('block.cache_control')
  tool.ignore('name', 'cache_control')
  for (const path of tool.unread()) notes.add(path)
  return {
    kind: 'web-search',
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...(isObject(location) && { location }),
    ...(maxUses !== undefined && { maxUses }),
    raw: tool.whole(),
    dialect: 'messages',
  }
}

function domains(value: unknown): string[] | undefined {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return names.length > 0 ? names : undefined
}

/** `tool_choice`. Throws GatewayError 400 with the field's path. */
function readPolicy(body: Fields<CountTokensRequest>): ToolPolicy {
  const choice = body.object('tool_choice')
  if (!choice) return { mode: 'auto' }
  const parallel = choice.json('disable_parallel_tool_use') === true ? { parallel: false } : {}
  switch (choice.textIf('type')) {
    case 'auto':
      return { mode: 'auto', ...parallel }
    case 'any':
      return { mode: 'required', ...parallel }
    case 'none':
      return { mode: 'none' }
    case 'tool': {
      const name = choice.textIf('name') ?? ''
      if (name === '') throw invalidField(choice.pathOf('name'), 'the name of a tool')
      return { mode: 'required', only: [name], ...parallel }
    }
    default:
      throw invalidField(choice.pathOf('type'), 'one of auto, any, tool, none')
  }
}

function readOutput(body: Body, config: OutputConfig | undefined): Output {
  // The endpoint count_tokens does not check it.
  const maxTokens = body.json('max_tokens')
  return {
    ...(typeof maxTokens === 'number' && { maxTokens }),
    format: readFormat(body, config),
    modalities: [],
    stop: body.texts('stop_sequences').filter((sequence) => sequence !== ''),
    n: 1,
  }
}

/** `output_format` is the field's former name. */
function readFormat(body: Body, config: OutputConfig | undefined): OutputFormat {
  const format = config?.object('format') ?? body.object('output_format')
  if (!format) return { kind: 'text' }
  if (format.textIf('type') !== 'json_schema') throw invalidField(format.pathOf('type'), 'json_schema')
  const schema = exact(format.json('schema'))
  if (!isObject(schema)) throw invalidField(format.pathOf('schema'), 'an object')
  return { kind: 'schema', schema }
}

function readSampling(body: Body): Sampling {
  const [temperature, topP, topK] = [body.number('temperature'), body.number('top_p'), body.number('top_k')]
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
  }
}

const tiers: Readonly<Record<string, ConversationRequest['tier'] & string>> = { auto: 'auto', standard_only: 'default' }

function readTier(body: Body): ConversationRequest['tier'] {
  const named = body.textIf('service_tier')
  if (body.textIf('speed') === 'fast') return 'fast'
  return named !== undefined && Object.hasOwn(tiers, named) ? tiers[named] : undefined
}

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max']

/** How much the model should reason, and how much of that the client wants to see. */
function readReasoning(body: Body, config: OutputConfig | undefined, notes: Set<string>): ReasoningSettings {
  const effort = config?.word('effort', efforts)
  const thinking = body.object('thinking')
  const settings = thinking ? readThinking(thinking, notes) : {}
  // Thinking that is switched off has no effort, whatever the answer's is.
  return settings.budget === 0 || effort === undefined ? settings : { effort, ...settings }
}

function readThinking(thinking: Fields<NonNullable<CountTokensRequest['thinking']>>, notes: Set<string>): ReasoningSettings {
  const display = thinking.textIf('display')
  const type = thinking.textIf('type')
  const visible = display === 'omitted' ? ('none' as const) : ('summary' as const)
  // Other dialects have no equivalent; this one gets them back.
  if (display === 'updates') notes.add('thinking.updates')
  if (type === 'between_tools') notes.add('thinking.between_tools')
  switch (type) {
    case 'disabled':
      return { effort: 'none', budget: 0 }
    case 'adaptive':
    case 'between_tools':
      return { adaptive: true, visible }
    case 'enabled': {
      const budget = thinking.integer('budget_tokens', 1)
      if (budget === undefined) throw invalidField(thinking.pathOf('budget_tokens'), 'a positive integer')
      return { budget, visible }
    }
    default:
      throw invalidField(thinking.pathOf('type'), 'one of enabled, disabled, adaptive, between_tools')
  }
}

/** Fields without a canonical equivalent, by name. A dotted name only records that something was inside the conversation. */
function readExtensions(body: Body, notes: ReadonlySet<string>): ConversationRequest['extensions'] {
  // Parley's own, read from the head.
  body.ignore('group', 'models')
  const messages: JsonObject = body.rest()
  const tier = body.textIf('service_tier')
  const speed = body.textIf('speed')
  if (tier !== undefined && !Object.hasOwn(tiers, tier)) messages.service_tier = tier
  if (speed !== undefined && speed !== 'fast' && speed !== 'standard') messages.speed = speed
  for (const note of notes) messages[note] = true
  return Object.keys(messages).length > 0 ? { messages } : {}
}
