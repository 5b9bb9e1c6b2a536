/** Checks of the two settings that are JSON, and an example of each. */
import { isRecord } from '#client/api/http.ts'

/** What is wrong: not JSON, not a list, a malformed tool, or not an object. */
export type JsonProblem = 'json' | 'list' | 'shape' | 'object'

/** What is wrong with tool definitions, or undefined. They are a list of function tools with a name and an optional object schema. */
export function checkTools(text: string): JsonProblem | undefined {
  const tools = parse(text)
  if (tools === undefined) return 'json'
  if (!Array.isArray(tools)) return 'list'
  const wellFormed = tools.every((tool: unknown) => {
    if (!isRecord(tool) || tool.type !== 'function' || !isRecord(tool.function)) return false
    const { name, parameters } = tool.function
    return typeof name === 'string' && /^[\w-]{1,64}$/.test(name) && (parameters === undefined || isRecord(parameters))
  })
  return wellFormed ? undefined : 'shape'
}

/** What is wrong with a schema, or undefined. It must be a JSON object. */
export function checkSchema(text: string): JsonProblem | undefined {
  const schema = parse(text)
  if (schema === undefined) return 'json'
  return isRecord(schema) ? undefined : 'object'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }

/** Example of tool definitions. */
export const exampleTools = JSON.stringify(
  [{ type: 'function', function: { name: 'get_weather', description: 'Weather in a city, now.', parameters: city } }],
  null,
  2,
)

/** Example of a schema. */
export const exampleSchema = JSON.stringify(
  {
    type: 'object',
    properties: { sender: { type: 'string' }, total: { type: 'number' } },
    required: ['sender', 'total'],
    additionalProperties: false,
  },
  null,
  2,
)
