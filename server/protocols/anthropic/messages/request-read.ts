/** A Messages request as a conversation. Fields that nobody else knows are kept for the way back. */
import type { ConversationRequest, Instruction, Output, OutputFormat, Sampling } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import type { Reading } from './blocks-read.ts'
import { type CountBody, checkCount, checkMessages, wrong } from './check.ts'
import { readMark } from './media-read.ts'
import { readThinking } from './thinking-read.ts'
import { readPolicy, readTools } from './tools-read.ts'
import { readTurns } from './turns-read.ts'

/** Throws GatewayError 400 with the path of the wrong field as `param`. */
export const readRequest = (raw: string): ConversationRequest => conversation(checkMessages(raw))

/** The same for a request to count tokens. */
export const readCountRequest = (raw: string): ConversationRequest => conversation(checkCount(raw))

function conversation(body: CountBody): ConversationRequest {
  const reading: Reading = { notes: new Set(), names: new Map() }
  const turns = readTurns(body.messages, reading)
  const tier = readTier(body)
  const endUser = isObject(body.metadata) && typeof body.metadata.user_id === 'string' ? body.metadata.user_id : undefined
  return {
    dialect: 'messages',
    model: body.model,
    instructions: readSystem(body.system),
    turns,
    tools: readTools(body.tools),
    toolPolicy: readPolicy(body.tool_choice),
    output: readOutput(body),
    sampling: readSampling(body),
    reasoning: readThinking(body.thinking, body.output_config),
    cache: {},
    ...(tier && { tier }),
    identity: endUser === undefined ? {} : { endUser },
    stream: body.stream === true,
    usageAsked: true,
    extensions: readExtensions(body, reading.notes),
    paths,
  }
}

/** Canonical fields in this dialect's words. */
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

function readSystem(system: CountBody['system']): Instruction[] {
  if (typeof system === 'string') return system === '' ? [] : [{ role: 'system', text: system }]
  return (system ?? []).map((block: Record<string, unknown>, index) => {
    if (block.type !== 'text') throw wrong(`system[${index}].type`, 'text')
    if (typeof block.text !== 'string') throw wrong(`system[${index}].text`, 'text')
    const cache = readMark(block)
    return { role: 'system', text: block.text, ...(cache && { cache }) }
  })
}

function readOutput(body: CountBody): Output {
  const limit = body.max_tokens
  return {
    ...(typeof limit === 'number' && { maxTokens: limit }),
    format: readFormat(body),
    modalities: [],
    stop: (body.stop_sequences ?? []).filter((sequence) => sequence !== ''),
    n: 1,
  }
}

/** `output_format` is how the field was called while it was new. */
function readFormat({ output_config: config, output_format: older }: CountBody): OutputFormat {
  const format = (isObject(config) ? config.format : undefined) ?? older
  if (format === undefined || format === null) return { kind: 'text' }
  const path = isObject(config) && config.format ? 'output_config.format' : 'output_format'
  if (!isObject(format) || format.type !== 'json_schema') throw wrong(`${path}.type`, 'json_schema')
  if (!isObject(format.schema)) throw wrong(`${path}.schema`, 'an object')
  return { kind: 'schema', schema: format.schema }
}

function readSampling({ temperature, top_p: topP, top_k: topK }: CountBody): Sampling {
  return {
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { topP }),
    ...(typeof topK === 'number' && { topK }),
  }
}

function readTier({ service_tier: tier, speed }: CountBody): ConversationRequest['tier'] {
  if (speed === 'fast') return 'fast'
  if (tier === 'auto') return 'auto'
  return tier === 'standard_only' ? 'default' : undefined
}

/** Fields that have their place in the conversation, and those that only Parley reads. */
const placed = new Set([
  ...['model', 'messages', 'system', 'max_tokens', 'stop_sequences', 'stream', 'temperature', 'top_p', 'top_k'],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'metadata', 'service_tier', 'speed', 'group', 'models'],
])

/** By name; a dotted name stands for something inside the conversation, and only tells that it was there. */
function readExtensions(body: CountBody, notes: ReadonlySet<string>): ConversationRequest['extensions'] {
  const kept = Object.entries(body).filter(([key, value]) => !placed.has(key) && value !== null)
  const noted = [...notes].map((note): [string, unknown] => [note, true])
  if (kept.length + noted.length === 0) return {}
  return { messages: Object.fromEntries([...kept, ...noted]) }
}
