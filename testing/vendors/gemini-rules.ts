/**
 * The validation rules of the scripted Gemini vendor: key, fields, configuration and tools. The rules for contents are in
 * `gemini-turns.ts`.
 */

import type { ReceivedRequest } from '#testing/upstream/received-request'
import { type Fields, isObject, objects, schemaFault, textOf, unknownField } from './body-checks.ts'
import { contentsFault, type GeminiFault, invalid } from './gemini-turns.ts'

/** Fields with caller data below them, whose key names are not converted. */
const callersOwn = /^(args|response|parametersJsonSchema|responseJsonSchema|properties|labels)$/

/** The body with every field in camel case: proto3 JSON accepts both spellings. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [camel, callersOwn.test(camel) ? inner : camelCased(inner)]
    }),
  )
}

/** The refusal of a missing or unknown key, or undefined. */
export function geminiKeyFault(request: ReceivedRequest, keys: string[]): GeminiFault | undefined {
  const query = new URL(request.target, 'http://vendor').searchParams.get('key')
  const key = request.header('x-goog-api-key') ?? query ?? /^Bearer (.+)$/.exec(request.header('authorization') ?? '')?.[1]
  if (key === undefined || key === null) {
    const message = "Method doesn't allow unregistered callers (callers without established identity)."
    return { status: 403, state: 'PERMISSION_DENIED', message }
  }
  if (keys.includes(key)) return undefined
  const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }
  return { ...invalid('API key not valid. Please pass a valid API key.'), details: [reason] }
}

const configFields = `temperature topP topK candidateCount maxOutputTokens stopSequences presencePenalty frequencyPenalty seed responseLogprobs
  logprobs responseMimeType responseSchema responseJsonSchema responseModalities thinkingConfig speechConfig imageConfig mediaResolution
  audioTimestamp`

/** The first violation in a camel-case body, or undefined; `issued` are the signatures that this vendor has issued. */
export function geminiFault(body: unknown, issued: ReadonlySet<string>): GeminiFault | undefined {
  if (!isObject(body)) return invalid('Invalid JSON payload received.')
  const top = `contents systemInstruction tools toolConfig safetySettings cachedContent labels serviceTier store continuationToken
    generationConfig model`
  return (
    unknown(body, top, '') ??
    configFault(body.generationConfig) ??
    toolsFault(body) ??
    (body.systemInstruction === undefined ? undefined : systemFault(body.systemInstruction)) ??
    contentsFault(body.contents, issued)
  )
}

function unknown(value: Fields, known: string, at: string): GeminiFault | undefined {
  const name = unknownField(value, known)
  const where = at === '' ? '' : ` at '${at}'`
  return name === undefined ? undefined : invalid(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`)
}

function systemFault(system: unknown): GeminiFault | undefined {
  if (!isObject(system)) return invalid("Invalid value at 'system_instruction'.")
  const parts = objects(system.parts)
  if (parts.length === 0 || parts.some((part) => textOf(part.text) === ''))
    return invalid('Unable to submit request: systemInstruction is empty.')
  return unknown(system, 'role parts', 'system_instruction')
}

const ranges: [name: string, low: number, high: number][] = [
  ['temperature', 0, 2],
  ['topP', 0, 1],
  ['topK', 1, 1000],
  ['candidateCount', 1, 8],
  ['maxOutputTokens', 1, 1_000_000],
  ['presencePenalty', -2, 1.999999],
  ['frequencyPenalty', -2, 1.999999],
  ['logprobs', 1, 20],
]

function configFault(config: unknown): GeminiFault | undefined {
  if (config === undefined) return undefined
  if (!isObject(config)) return invalid("Invalid value at 'generation_config'.")
  const extra = unknown(config, configFields, 'generation_config')
  if (extra !== undefined) return extra
  for (const [name, low, high] of ranges) {
    const value = config[name]
    if (value !== undefined && !(Number(value) >= low && Number(value) <= high)) {
      return invalid(`Unable to submit request because it has a ${name} value outside of the supported range from ${low} to ${high}.`)
    }
  }
  const stops = config.stopSequences
  if (stops !== undefined && (!Array.isArray(stops) || stops.length > 5 || stops.some((stop) => textOf(stop) === ''))) {
    return invalid('Unable to submit request because stopSequences must hold 1 to 5 non-empty strings.')
  }
  if (config.logprobs !== undefined && config.responseLogprobs !== true) return invalid('logprobs needs responseLogprobs.')
  return thinkingFault(config.thinkingConfig) ?? schemasFault(config)
}

function thinkingFault(config: unknown): GeminiFault | undefined {
  if (config === undefined) return undefined
  if (!isObject(config)) return invalid("Invalid value at 'generation_config.thinking_config'.")
  if (config.thinkingBudget !== undefined && config.thinkingLevel !== undefined) {
    return invalid('You can only set only one of thinking budget and thinking level.')
  }
  const level = textOf(config.thinkingLevel).toUpperCase()
  if (config.thinkingLevel !== undefined && !['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH'].includes(level)) {
    return invalid("Invalid value at 'generation_config.thinking_config.thinking_level'.")
  }
  return unknown(config, 'includeThoughts thinkingBudget thinkingLevel', 'generation_config.thinking_config')
}

function schemasFault(config: Fields): GeminiFault | undefined {
  if (config.responseSchema === undefined && config.responseJsonSchema === undefined) return undefined
  if (config.responseSchema !== undefined && config.responseJsonSchema !== undefined) return invalid('Only one response schema may be set.')
  if (config.responseMimeType !== 'application/json') return invalid('A response schema needs responseMimeType application/json.')
  return subsetFault(config.responseSchema, 'generation_config.response_schema')
}

/** Fields of the Schema message, a subset of JSON Schema. */
const schemaFields = new Set(
  `type format title description nullable enum items properties required minItems maxItems minProperties maxProperties minLength maxLength
  pattern example anyOf propertyOrdering default minimum maximum`.split(/\s+/),
)

function subsetFault(schema: unknown, at: string): GeminiFault | undefined {
  const wrong = schemaFault(schema, (node) =>
    Array.isArray(node.type) ? 'type' : Object.keys(node).find((name) => !schemaFields.has(name)),
  )
  return wrong === undefined ? undefined : invalid(`Invalid JSON payload received. Unknown name "${wrong}" at '${at}': Cannot find field.`)
}

/** All function declarations of a request. */
export const declarationsOf = (body: Fields): Fields[] => objects(body.tools).flatMap((tool) => objects(tool.functionDeclarations))

function toolsFault(body: Fields): GeminiFault | undefined {
  const names = new Set<string>()
  for (const [index, declaration] of declarationsOf(body).entries()) {
    const at = `tools[0].function_declarations[${index}]`
    const extra = unknown(declaration, 'name description parameters parametersJsonSchema response responseJsonSchema behavior', at)
    if (extra !== undefined) return extra
    const name = textOf(declaration.name)
    if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(name)) return invalid(`Invalid function name at '${at}.name'.`)
    if (names.has(name)) return invalid(`Duplicate function declaration found: ${name}`)
    names.add(name)
    if (declaration.parameters !== undefined && declaration.parametersJsonSchema !== undefined) {
      return invalid(`'${at}' may hold parameters or parameters_json_schema, not both.`)
    }
    const subset = subsetFault(declaration.parameters, `${at}.parameters`)
    if (subset !== undefined) return subset
  }
  return choiceFault(body, names)
}

function choiceFault({ toolConfig }: Fields, names: ReadonlySet<string>): GeminiFault | undefined {
  const calling = isObject(toolConfig) ? toolConfig.functionCallingConfig : undefined
  if (!isObject(calling)) return undefined
  const mode = textOf(calling.mode)
  if (!['', 'AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'].includes(mode)) return invalid('Invalid function calling mode.')
  if (mode === 'ANY' && names.size === 0) return invalid('Function calling config is set without function_declarations.')
  const allowed = calling.allowedFunctionNames
  if (allowed === undefined) return undefined
  if (mode !== 'ANY' && mode !== 'VALIDATED') return invalid('Allowed function names should be set only when function calling mode is ANY.')
  const stray = Array.isArray(allowed) && allowed.find((name) => !names.has(textOf(name)))
  return stray === undefined || stray === false ? undefined : invalid('Allowed function names are not in the function declarations.')
}
