/** Validation of Chat requests in the demo, in the vendor's error envelope: as strict as a real vendor, so that mistakes show. */
import type { Refusal } from './refusal.ts'

/** A JSON object. */
export type Fields = Record<string, unknown>

/** True for a JSON object; arrays are not. */
export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (param: string, message: string, code = 'invalid_value'): Refusal => ({ status: 400, message, param, code })

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

const ranges: [field: string, low: number, high: number, whole: boolean][] = [
  ['temperature', 0, 2, false],
  ['top_p', 0, 1, false],
  ['frequency_penalty', -2, 2, false],
  ['presence_penalty', -2, 2, false],
  ['n', 1, 16, true],
  ['max_tokens', 1, Number.MAX_SAFE_INTEGER, true],
  ['max_completion_tokens', 1, Number.MAX_SAFE_INTEGER, true],
]

/** The first error in a parsed body, or undefined. */
export function chatFault(body: Fields): Refusal | undefined {
  if (typeof body.model !== 'string') return invalid('model', 'model is required.', 'missing_required_parameter')
  if (body.model !== 'parley-demo') {
    return { status: 404, message: 'This demo has one model, parley-demo.', param: 'model', code: 'model_not_found' }
  }
  for (const [field, low, high, whole] of ranges) {
    const value = body[field] ?? low
    if (typeof value !== 'number' || (whole && !Number.isInteger(value)) || value < low || value > high) {
      return invalid(field, `${field} must be ${whole ? 'a whole' : 'a'} number from ${low} to ${high}.`)
    }
  }
  if (typeof (body.stream ?? false) !== 'boolean') return invalid('stream', 'stream must be true or false.')
  if (body.stream_options != null && body.stream !== true) return invalid('stream_options', 'stream_options needs stream: true.')
  const stops = Array.isArray(body.stop) ? body.stop : [body.stop ?? '']
  if (stops.length > 4 || stops.some((stop) => typeof stop !== 'string')) return invalid('stop', 'stop must be one to four strings.')
  return formatFault(body.response_format) ?? toolsFault(body.tools ?? []) ?? messagesFault(body.messages)
}

function formatFault(format: unknown): Refusal | undefined {
  if (format === undefined || format === null) return undefined
  if (!isObject(format) || !['text', 'json_object', 'json_schema'].includes(String(format.type))) {
    return invalid('response_format.type', 'response_format.type must be text, json_object or json_schema.')
  }
  const complete = format.type !== 'json_schema' || (isObject(format.json_schema) && typeof format.json_schema.name === 'string')
  return complete
    ? undefined
    : invalid('response_format.json_schema', 'json_schema needs a name and a schema.', 'missing_required_parameter')
}

function toolsFault(tools: unknown): Refusal | undefined {
  if (!Array.isArray(tools)) return invalid('tools', 'tools must be an array.', 'invalid_type')
  const wrong = tools.findIndex(
    (tool) => !isObject(tool) || !isObject(tool.function) || !/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool.function.name)),
  )
  return wrong === -1 ? undefined : invalid(`tools[${wrong}]`, 'A tool needs type function and a name of letters, digits, _ and -.')
}

function messagesFault(messages: unknown): Refusal | undefined {
  if (messages === undefined) return invalid('messages', 'messages is required.', 'missing_required_parameter')
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages', 'messages must be an array of at least one message.')
  let open = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (!isObject(message) || !roles.has(String(message.role))) return invalid(`${at}.role`, 'A message needs a valid role.')
    const fault = contentFault(message, at)
    if (fault !== undefined) return fault
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return invalid(`${at}.role`, 'A tool message must answer a call of the message before it.')
    } else {
      if (open.size > 0) return invalid(`${at}.role`, 'Every tool call must be answered before the conversation goes on.')
      open = new Set(callsOf(message).map((call) => call.id))
    }
  }
  return open.size > 0 ? invalid('messages', 'Every tool call must be answered before the conversation goes on.') : undefined
}

function contentFault(message: Fields, at: string): Refusal | undefined {
  const { content } = message
  if (typeof content === 'string') return undefined
  if (content == null) {
    const calls =
      message.role === 'assistant' && (callsOf(message).length > 0 || message.refusal != null || isObject(message.function_call))
    return calls ? undefined : invalid(`${at}.content`, 'content is required.', 'missing_required_parameter')
  }
  const parts = Array.isArray(content) && content.every((part) => isObject(part) && typeof part.type === 'string')
  return parts ? undefined : invalid(`${at}.content`, 'content must be a string or an array of parts with a type.', 'invalid_type')
}

/** The tool calls of an assistant message. */
export const callsOf = (message: Fields): Fields[] => (Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [])
