/** The validation rules of the scripted Responses vendor: fields, tools and formats. The rules for items are in `responses-items.ts`. */
import { type Fields, isObject, looseObject, schemaFault, textOf, unknownField } from './body-checks.ts'
import type { VendorFault } from './chat-rules.ts'

/** A refusal with status 400. */
export const invalid = (param: string | null, message: string, code: string | null = null): VendorFault => ({
  status: 400,
  message,
  code,
  param,
})

const fields = `model input instructions tools tool_choice parallel_tool_calls max_output_tokens max_tool_calls temperature top_p top_logprobs
  text reasoning include store previous_response_id conversation prompt background context_management truncation metadata service_tier
  safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention moderation access_programs image stream stream_options user
  client_metadata`

const included = `file_search_call.results web_search_call.results web_search_call.action.sources message.input_image.image_url
  computer_call_output.output.image_url code_interpreter_call.outputs reasoning.encrypted_content message.output_text.logprobs`

/** The first violation in a body apart from its items, or undefined. */
export function responsesFault(body: unknown, models: string[]): VendorFault | undefined {
  if (!isObject(body)) return invalid(null, 'The body must be a JSON object.')
  const extra = unknownField(body, fields)
  if (extra !== undefined) return invalid(extra, `Unknown parameter: '${extra}'.`, 'unknown_parameter')
  if (typeof body.model !== 'string') return invalid('model', "Missing required parameter: 'model'.", 'missing_required_parameter')
  if (!models.includes(body.model)) {
    return invalid('model', `The requested model '${body.model}' does not exist.`, 'model_not_found')
  }
  return numbersFault(body) ?? optionsFault(body) ?? toolsFault(body) ?? formatFault(body.text)
}

const ranges: [name: string, low: number, high: number, integer: boolean][] = [
  ['temperature', 0, 2, false],
  ['top_p', 0, 1, false],
  ['top_logprobs', 0, 20, true],
  ['max_output_tokens', 1, Number.MAX_SAFE_INTEGER, true],
  ['max_tool_calls', 1, Number.MAX_SAFE_INTEGER, true],
]

function numbersFault(body: Fields): VendorFault | undefined {
  for (const [name, low, high, integer] of ranges) {
    const value = body[name]
    if (value === undefined || value === null) continue
    if (typeof value !== 'number' || (integer && !Number.isInteger(value)))
      return invalid(name, `Invalid type for '${name}'.`, 'invalid_type')
    if (value < low || value > high) return invalid(name, `Invalid '${name}': must be from ${low} to ${high}.`, 'invalid_value')
  }
  return undefined
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

function optionsFault(body: Fields): VendorFault | undefined {
  const { reasoning, include, stream_options: options } = body
  const wrong = Array.isArray(include) ? include.findIndex((entry) => !included.split(/\s+/).includes(textOf(entry))) : -1
  if (wrong >= 0) return invalid(`include[${wrong}]`, `Invalid value for 'include[${wrong}]'.`, 'invalid_value')
  if (isObject(options)) {
    if (body.stream !== true) return invalid('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    const extra = unknownField(options, 'include_obfuscation')
    if (extra !== undefined) return unknownParameter(`stream_options.${extra}`)
  }
  if (isObject(reasoning)) {
    const extra = unknownField(reasoning, 'effort summary context mode generate_summary')
    if (extra !== undefined) return unknownParameter(`reasoning.${extra}`)
    if (reasoning.effort != null && !efforts.includes(textOf(reasoning.effort))) {
      return invalid('reasoning.effort', "Invalid value for 'reasoning.effort'.", 'invalid_value')
    }
    if (reasoning.summary != null && !['auto', 'concise', 'detailed'].includes(textOf(reasoning.summary))) {
      return invalid('reasoning.summary', "Invalid value for 'reasoning.summary'.", 'invalid_value')
    }
  }
  return undefined
}

const unknownParameter = (param: string) => invalid(param, `Unknown parameter: '${param}'.`, 'unknown_parameter')

function toolsFault(body: Fields): VendorFault | undefined {
  const { tools } = body
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) return invalid('tools', "Invalid type for 'tools'.", 'invalid_type')
  const names = new Set<string>()
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const at = `tools[${index}]`
    if (!isObject(tool) || typeof tool.type !== 'string')
      return invalid(`${at}.type`, `Missing required parameter: '${at}.type'.`, 'missing_required_parameter')
    if (tool.type !== 'function') continue
    const fault = functionFault(tool, at)
    if (fault !== undefined) return fault
    names.add(textOf(tool.name))
  }
  const choice = body.tool_choice
  if (isObject(choice) && choice.type === 'function' && !names.has(textOf(choice.name))) {
    return invalid('tool_choice', "Tool choice 'function' not found in 'tools' parameter.")
  }
  if (typeof choice === 'string' && !['none', 'auto', 'required'].includes(choice))
    return invalid('tool_choice', "Invalid value for 'tool_choice'.", 'invalid_value')
  return undefined
}

function functionFault(tool: Fields, at: string): VendorFault | undefined {
  const extra = unknownField(
    tool,
    'type name description parameters strict defer_loading allowed_callers async output_schema input_examples',
  )
  if (extra !== undefined) return unknownParameter(`${at}.${extra}`)
  if (tool.name === undefined) return invalid(`${at}.name`, `Missing required parameter: '${at}.name'.`, 'missing_required_parameter')
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(tool.name))) return invalid(`${at}.name`, `Invalid '${at}.name'.`, 'invalid_value')
  const loose = tool.strict === true ? strictFault(tool.parameters) : undefined
  if (loose !== undefined)
    return invalid(`${at}.parameters`, `Invalid schema for function '${tool.name}': ${loose}`, 'invalid_function_parameters')
  return undefined
}

/** The first violation in a strict schema, which must forbid additional properties and require all others. */
export function strictFault(schema: unknown): string | undefined {
  const found = schemaFault(schema, (node) => {
    const required = Array.isArray(node.required) ? node.required : []
    const missing = Object.keys(isObject(node.properties) ? node.properties : {}).find((name) => !required.includes(name))
    return looseObject(node) ?? (missing === undefined ? undefined : 'required')
  })
  return found === undefined ? undefined : `In context=(), '${found}' is required to be supplied as strict schemas have it.`
}

function formatFault(text: unknown): VendorFault | undefined {
  if (!isObject(text)) return undefined
  const extra = unknownField(text, 'format verbosity')
  if (extra !== undefined) return unknownParameter(`text.${extra}`)
  const { format } = text
  if (!isObject(format)) return undefined
  if (!['text', 'json_object', 'json_schema'].includes(textOf(format.type)))
    return invalid('text.format.type', "Invalid value for 'text.format.type'.", 'invalid_value')
  if (format.type !== 'json_schema') return undefined
  if (typeof format.name !== 'string' || !isObject(format.schema)) {
    return invalid('text.format.name', "Missing required parameter: 'text.format.name'.", 'missing_required_parameter')
  }
  const loose = format.strict === false ? undefined : strictFault(format.schema)
  return loose === undefined
    ? undefined
    : invalid('text.format.schema', `Invalid schema for response_format: ${loose}`, 'invalid_json_schema')
}
