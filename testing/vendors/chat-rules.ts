/** The validation rules of the scripted Chat Completions vendor. */
import type { ReceivedRequest } from '#testing/upstream/received-request'

/** A refusal. */
export interface VendorFault {
  status: number
  message: string
  type?: string
  code?: string | null
  param?: string | null
  headers?: Record<string, string>
}

const fields = new Set(
  `model messages audio frequency_penalty presence_penalty logit_bias logprobs top_logprobs max_completion_tokens max_tokens metadata
  modalities moderation n parallel_tool_calls prediction prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort
  response_format safety_identifier seed service_tier stop store stream stream_options temperature tools tool_choice top_p user verbosity
  web_search_options functions function_call`.split(/\s+/),
)
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
const partTypes: Record<string, string[]> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: [],
}

const invalid = (param: string | null, message: string, code: string | null = null): VendorFault => ({ status: 400, message, code, param })

/** The first violation in a request, or undefined. */
export function chatFault(request: ReceivedRequest, known: { models: string[]; strictFields: boolean }): VendorFault | undefined {
  if (!/^application\/json\b/.test(request.header('content-type') ?? '')) {
    return invalid(null, 'Unsupported content type. This API method only accepts application/json requests.', 'unsupported_content_type')
  }
  let body: unknown
  try {
    body = request.json()
  } catch {
    return invalid(null, 'We could not parse the JSON body of your request.')
  }
  if (!isObject(body)) return invalid(null, 'The body must be a JSON object.')
  if (body.model === undefined) return invalid(null, 'you must provide a model parameter')
  if (typeof body.model !== 'string') return invalid('model', "Invalid type for 'model': expected a string.", 'invalid_type')
  if (!known.models.includes(body.model)) {
    return { status: 404, message: `The model \`${body.model}\` does not exist or you do not have access to it.`, code: 'model_not_found' }
  }
  return (known.strictFields ? unknownField(body) : undefined) ?? parameterFault(body) ?? messagesFault(body.messages) ?? toolsFault(body)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function unknownField(body: Record<string, unknown>): VendorFault | undefined {
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  return unknown === undefined ? undefined : invalid(unknown, `Unknown parameter: '${unknown}'.`, 'unknown_parameter')
}

const ranges: [name: string, low: number, high: number, integer: boolean][] = [
  ['temperature', 0, 2, false],
  ['top_p', 0, 1, false],
  ['frequency_penalty', -2, 2, false],
  ['presence_penalty', -2, 2, false],
  ['n', 1, 128, true],
  ['top_logprobs', 0, 20, true],
  ['max_tokens', 1, Number.MAX_SAFE_INTEGER, true],
  ['max_completion_tokens', 1, Number.MAX_SAFE_INTEGER, true],
]

function parameterFault(body: Record<string, unknown>): VendorFault | undefined {
  for (const [name, low, high, integer] of ranges) {
    const value = body[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'number' || (integer && !Number.isInteger(value)))
      return invalid(name, `Invalid type for '${name}'.`, 'invalid_type')
    if (value < low || value > high) return invalid(name, `Invalid '${name}': must be from ${low} to ${high}.`, 'invalid_value')
  }
  if (body.web_search_options != null && !/-search-/.test(String(body.model))) {
    return invalid('web_search_options', "Unknown parameter: 'web_search_options'.", 'unknown_parameter')
  }
  if (body.max_tokens != null && body.max_completion_tokens != null) {
    return invalid('max_tokens', "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
  }
  if (body.stream !== undefined && body.stream !== null && typeof body.stream !== 'boolean') {
    return invalid('stream', "Invalid type for 'stream': expected a boolean.", 'invalid_type')
  }
  if (body.stream_options != null && body.stream !== true) {
    return invalid('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
  }
  if (Array.isArray(body.stop) && body.stop.length > 4)
    return invalid('stop', "Invalid 'stop': at most 4 sequences.", 'array_above_max_length')
  const format = body.response_format
  if (isObject(format) && !['text', 'json_object', 'json_schema'].includes(String(format.type))) {
    return invalid('response_format.type', "Invalid value for 'response_format.type'.", 'invalid_value')
  }
  if (isObject(format) && format.type === 'json_schema' && (!isObject(format.json_schema) || typeof format.json_schema.name !== 'string')) {
    return invalid(
      'response_format.json_schema',
      "Missing required parameter: 'response_format.json_schema'.",
      'missing_required_parameter',
    )
  }
  return undefined
}

function messagesFault(messages: unknown): VendorFault | undefined {
  if (messages === undefined) return invalid('messages', "Missing required parameter: 'messages'.", 'missing_required_parameter')
  if (!Array.isArray(messages)) return invalid('messages', "Invalid type for 'messages': expected an array.", 'invalid_type')
  if (messages.length === 0) return invalid('messages', "Invalid 'messages': empty array.", 'empty_array')
  /** Calls of the last assistant message without a tool message yet. */
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (!isObject(message)) return invalid(at, `Invalid type for '${at}': expected an object.`, 'invalid_type')
    const role = String(message.role)
    if (!roles.includes(role)) return invalid(`${at}.role`, `Invalid value for '${at}.role'.`, 'invalid_value')
    const fault = contentFault(message, role, at)
    if (fault !== undefined) return fault
    if (role === 'tool') {
      if (!open.includes(String(message.tool_call_id))) {
        return invalid(`${at}.role`, "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
      }
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    if (open.length > 0) return unanswered(`${at}.role`)
    if (Array.isArray(message.tool_calls)) open = message.tool_calls.map((call: { id: string }) => call.id)
  }
  return open.length > 0 ? unanswered('messages') : undefined
}

const unanswered = (param: string) =>
  invalid(param, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.")

function contentFault(message: Record<string, unknown>, role: string, at: string): VendorFault | undefined {
  const { content } = message
  if (typeof content === 'string') return undefined
  if (content === undefined || content === null) {
    const optional = role === 'assistant' && (message.tool_calls !== undefined || message.refusal != null || message.audio != null)
    return optional ? undefined : invalid(`${at}.content`, `Invalid value for '${at}.content': expected a string, got null.`)
  }
  if (!Array.isArray(content)) return invalid(`${at}.content`, `Invalid type for '${at}.content'.`, 'invalid_type')
  const wrong = content.findIndex((part) => !isObject(part) || !partTypes[role]?.includes(String(part.type)))
  if (wrong === -1) return undefined
  return invalid(`${at}.content[${wrong}].type`, `Invalid value for '${at}.content[${wrong}].type'.`, 'invalid_value')
}

function toolsFault(body: Record<string, unknown>): VendorFault | undefined {
  if (body.tools === undefined) {
    return body.tool_choice === undefined ? undefined : invalid('tool_choice', "'tool_choice' is only allowed when 'tools' are specified.")
  }
  if (!Array.isArray(body.tools) || body.tools.length === 0) return invalid('tools', "Invalid 'tools': empty array.", 'empty_array')
  for (const [index, tool] of body.tools.entries()) {
    const at = `tools[${index}]`
    if (!isObject(tool) || (tool.type !== 'function' && tool.type !== 'custom'))
      return invalid(`${at}.type`, `Invalid '${at}.type'.`, 'invalid_value')
    const detail = tool[tool.type]
    if (!isObject(detail) || !/^[a-zA-Z0-9_-]{1,64}$/.test(String(detail.name))) {
      return invalid(`${at}.${tool.type}.name`, `Invalid '${at}.${tool.type}.name'.`, 'invalid_value')
    }
  }
  return undefined
}
