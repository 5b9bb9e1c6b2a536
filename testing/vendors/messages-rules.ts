/** The validation rules of the scripted Messages vendor: headers, fields and tools. The rules for turns are in `messages-turns.ts`. */

import type { ReceivedRequest } from '#testing/upstream/received-request'
import { type Fields, isObject, looseObject, objects, schemaFault, textOf, unknownField } from './body-checks.ts'
import { invalid, type MessagesFault, thinks, versions } from './messages-fault.ts'
import { turnsFault } from './messages-turns.ts'

const fields = `model messages max_tokens system stop_sequences stream metadata tools tool_choice thinking output_config service_tier speed
  cache_control container inference_geo diagnostics temperature top_p top_k`
const betaFields = 'mcp_servers context_management compaction fallbacks fallback_credit_token thread billing_policy output_format'

/** The first violation in a request, or undefined. */
export function messagesFault(
  request: ReceivedRequest,
  known: { keys: string[]; models: string[] },
  wholeOf: (sent: Fields) => Fields | undefined = (sent) => sent,
): MessagesFault | undefined {
  return keyFault(request, known.keys) ?? headerFault(request) ?? bodyFault(request, known.models, wholeOf)
}

/** A thread that this vendor does not keep. */
export const lostThread: MessagesFault = { status: 404, type: 'not_found_error', message: 'The thread was not found.' }

function keyFault(request: ReceivedRequest, keys: string[]): MessagesFault | undefined {
  const key = request.header('x-api-key') ?? /^Bearer (.+)$/.exec(request.header('authorization') ?? '')?.[1]
  if (key !== undefined && keys.includes(key)) return undefined
  return { status: 401, type: 'authentication_error', message: key === undefined ? 'x-api-key header is required' : 'invalid x-api-key' }
}

function headerFault(request: ReceivedRequest): MessagesFault | undefined {
  const version = request.header('anthropic-version')
  if (version === undefined) return invalid('anthropic-version: header is required')
  if (!Object.values(versions).includes(version)) return invalid(`anthropic-version: "${version}" is not a valid version`)
  if (!/^application\/json\b/.test(request.header('content-type') ?? '')) return invalid('content-type: must be application/json')
  return undefined
}

function bodyFault(request: ReceivedRequest, models: string[], wholeOf: (sent: Fields) => Fields | undefined): MessagesFault | undefined {
  let sent: unknown
  try {
    sent = request.json()
  } catch {
    return invalid('The request body is not valid JSON')
  }
  if (!isObject(sent)) return invalid('Input should be an object')
  const body = wholeOf(sent)
  if (!body) return lostThread
  const extra = unknownField(body, request.header('anthropic-beta') === undefined ? fields : `${fields} ${betaFields}`)
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`)
  if (typeof body.model !== 'string') return invalid('model: Field required')
  if (!models.includes(body.model)) return { status: 404, type: 'not_found_error', message: `model: ${body.model}` }
  const version = request.header('anthropic-version') ?? versions.first
  return (
    limitFault(body) ??
    samplingFault(body, version) ??
    thinkingFault(body) ??
    toolsFault(body) ??
    outputFault(body) ??
    systemFault(body.system) ??
    turnsFault(body, version) ??
    cacheFault(body)
  )
}

function limitFault(body: Fields): MessagesFault | undefined {
  if (body.max_tokens === undefined) return invalid('max_tokens: Field required')
  if (!Number.isInteger(body.max_tokens)) return invalid('max_tokens: Input should be a valid integer')
  if (Number(body.max_tokens) < 1) return invalid('max_tokens: must be greater than or equal to 1')
  const stops = body.stop_sequences
  if (stops !== undefined && (!Array.isArray(stops) || stops.some((stop) => textOf(stop).trim() === ''))) {
    return invalid('stop_sequences: each stop sequence must contain non-whitespace')
  }
  if (body.stream !== undefined && typeof body.stream !== 'boolean') return invalid('stream: Input should be a valid boolean')
  if (isObject(body.metadata) && unknownField(body.metadata, 'user_id') !== undefined) {
    return invalid('metadata: Extra inputs are not permitted')
  }
  return undefined
}

function samplingFault(body: Fields, version: string): MessagesFault | undefined {
  for (const [name, most] of [
    ['temperature', 1],
    ['top_p', 1],
    ['top_k', Number.MAX_SAFE_INTEGER],
  ] as const) {
    const value = body[name]
    if (value === undefined) continue
    if (version === versions.second) return invalid(`${name}: not supported in this API version`)
    if (typeof value !== 'number') return invalid(`${name}: Input should be a valid number`)
    if (value < 0 || value > most) return invalid(`${name}: range: 0..${most}`)
  }
  return undefined
}

function thinkingFault(body: Fields): MessagesFault | undefined {
  const { thinking } = body
  if (thinking === undefined) return undefined
  if (!isObject(thinking) || !['enabled', 'disabled', 'adaptive', 'between_tools'].includes(textOf(thinking.type))) {
    return invalid('thinking: Input tag does not match any of the expected tags')
  }
  if (!thinks(body)) return undefined
  if (thinking.type === 'enabled') {
    if (!Number.isInteger(thinking.budget_tokens)) return invalid('thinking.enabled.budget_tokens: Field required')
    if (Number(thinking.budget_tokens) < 1024)
      return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
    if (Number(thinking.budget_tokens) >= Number(body.max_tokens))
      return invalid('`max_tokens` must be greater than `thinking.budget_tokens`')
  }
  if (body.temperature !== undefined && body.temperature !== 1)
    return invalid('`temperature` may only be set to 1 when thinking is enabled.')
  if (body.top_k !== undefined) return invalid('`top_k` must be unset when thinking is enabled.')
  if (body.top_p !== undefined && Number(body.top_p) < 0.95) return invalid('`top_p` must be at least 0.95 when thinking is enabled.')
  if (isObject(body.tool_choice) && ['any', 'tool'].includes(textOf(body.tool_choice.type))) {
    return invalid('Thinking may not be enabled when tool_choice forces tool use.')
  }
  return undefined
}

function toolsFault(body: Fields): MessagesFault | undefined {
  const names = new Set<string>()
  for (const [index, tool] of objects(body.tools).entries()) {
    if (tool.type !== undefined && tool.type !== 'custom') continue
    const at = `tools.${index}.custom`
    const extra = unknownField(tool, 'type name description input_schema strict cache_control defer_loading allowed_callers input_examples')
    if (extra !== undefined && extra !== 'eager_input_streaming') return invalid(`${at}.${extra}: Extra inputs are not permitted`)
    const name = textOf(tool.name)
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return invalid(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (names.has(name)) return invalid('tools: Tool names must be unique.')
    names.add(name)
    if (!isObject(tool.input_schema)) return invalid(`${at}.input_schema: Field required`)
    if (tool.input_schema.type !== 'object') return invalid(`${at}.input_schema.type: Input should be 'object'`)
  }
  return choiceFault(body, names)
}

function choiceFault({ tool_choice: choice, tools }: Fields, names: Set<string>): MessagesFault | undefined {
  if (choice === undefined) return undefined
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(textOf(choice.type))) {
    return invalid('tool_choice: Input tag does not match any of the expected tags')
  }
  if (choice.type === 'none' && choice.disable_parallel_tool_use !== undefined) {
    return invalid('tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted')
  }
  if (objects(tools).length === 0) return invalid('tool_choice: may only be specified while providing tools')
  if (choice.type === 'tool' && !names.has(textOf(choice.name))) return invalid('tool_choice.tool.name: Tool not found in provided tools')
  return undefined
}

function outputFault({ output_config: config }: Fields): MessagesFault | undefined {
  if (config === undefined) return undefined
  if (!isObject(config) || unknownField(config, 'effort format') !== undefined)
    return invalid('output_config: Extra inputs are not permitted')
  if (config.effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(textOf(config.effort))) {
    return invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
  }
  const { format } = config
  if (format === undefined || format === null) return undefined
  if (!isObject(format) || format.type !== 'json_schema' || unknownField(format, 'type schema') !== undefined || !isObject(format.schema)) {
    return invalid('output_config.format: Input should be a JSON schema format')
  }
  const loose = schemaFault(format.schema, looseObject)
  if (loose !== undefined)
    return invalid("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
  const limits = 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength maxItems'.split(' ')
  const found = schemaFault(format.schema, (node) => limits.find((name) => name in node))
  return found === undefined ? undefined : invalid(`output_config.format.schema: property '${found}' is not supported`)
}

function systemFault(system: unknown): MessagesFault | undefined {
  if (system === undefined || typeof system === 'string') return undefined
  if (!Array.isArray(system)) return invalid('system: Input should be a valid list')
  for (const [index, block] of system.entries()) {
    if (!isObject(block) || block.type !== 'text') return invalid(`system.${index}.type: Input should be 'text'`)
    if (textOf(block.text) === '') return invalid(`system: text content blocks must be non-empty`)
    const extra = unknownField(block, 'type text cache_control citations')
    if (extra !== undefined) return invalid(`system.${index}.${extra}: Extra inputs are not permitted`)
  }
  return undefined
}

function cacheFault(body: Fields): MessagesFault | undefined {
  const marks = JSON.stringify([body.system, body.tools, body.messages]).split('"cache_control":{').length - 1
  return marks > 4 ? invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`) : undefined
}
