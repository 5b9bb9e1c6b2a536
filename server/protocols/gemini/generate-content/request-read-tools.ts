/** Tools that a request offers, and which of them may be called. */
import type { JsonSchema, Tool, ToolPolicy } from '#canonical/conversation'
import { type Fields, invalidField, missingField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { GeminiFunctionDeclaration, GeminiTool, GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { type Body, camel } from '../proto-json.ts'
import { readSchema } from '../schema.ts'

/** `tools`; `notes` collects the paths of fields that only this dialect has. Throws GatewayError 400 with the field's path. */
export const readTools = (body: Fields<GenerateContentRequest>, notes: Set<string>): Tool[] =>
  body.objects('tools').flatMap((tool) => {
    const functions = tool.objects('functionDeclarations').map(readFunction)
    const searches = [...readSearch(tool, 'googleSearch', notes), ...readSearch(tool, 'googleSearchRetrieval', notes)]
    const hosted = Object.entries(tool.rest()).map(([spelled, config]): Tool => {
      const name = camel(spelled)
      return { kind: 'native', dialect: 'gemini', name, raw: { [name]: config } }
    })
    return [...functions, ...searches, ...hosted]
  })

function readFunction(declaration: Fields<GeminiFunctionDeclaration>): Tool {
  const name = declaration.text('name')
  if (!name) throw missingField(declaration.pathOf('name'))
  const description = declaration.text('description')
  const parameters = readParameters(declaration)
  const extra = declaration.rest()
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters,
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function readParameters(declaration: Fields<GeminiFunctionDeclaration>): JsonSchema {
  const full = exact(declaration.json('parametersJsonSchema'))
  if (full !== undefined && !isObject(full)) throw invalidField(declaration.pathOf('parametersJsonSchema'), 'an object')
  const older = exact(declaration.object('parameters')?.whole())
  if (full) return full
  return older ? readSchema(older) : { type: 'object', properties: {} }
}

function readSearch(tool: Fields<GeminiTool>, name: 'googleSearch' | 'googleSearchRetrieval', notes: Set<string>): Tool[] {
  if (!tool.has(name)) return []
  const config = tool.objectIf(name)
  const blocked = config?.json('excludeDomains')
  const blockedDomains = Array.isArray(blocked) ? blocked.filter((domain) => typeof domain === 'string') : []
  for (const path of config?.unread() ?? []) notes.add(path)
  const raw = { [name]: config?.whole() ?? tool.json(name) }
  return [{ kind: 'web-search', ...(blockedDomains.length > 0 && { blockedDomains }), raw, dialect: 'gemini' }]
}

const modes: Readonly<Record<string, ToolPolicy['mode']>> = {
  MODE_UNSPECIFIED: 'auto',
  AUTO: 'auto',
  VALIDATED: 'auto',
  ANY: 'required',
  NONE: 'none',
}

/** The policy, and fields of `toolConfig` that only this dialect has, by their full name. Throws GatewayError 400 with the field's path. */
export function readToolPolicy(body: Fields<GenerateContentRequest>): { toolPolicy: ToolPolicy; extensions: Body } {
  const config = body.object('toolConfig')
  const calling = config?.object('functionCallingConfig')
  const word = (calling?.text('mode') ?? 'AUTO').toUpperCase()
  const mode = Object.hasOwn(modes, word) ? modes[word] : undefined
  if (calling && !mode) throw invalidField(calling.pathOf('mode'), 'AUTO, ANY, NONE or VALIDATED')
  const only = calling?.texts('allowedFunctionNames') ?? []
  // Enforced schemas: other dialects set that per function.
  const hints = { ...(word === 'VALIDATED' && { mode: word }), ...renamed(calling?.rest() ?? {}, '') }
  return {
    toolPolicy: { mode: mode ?? 'auto', ...(only.length > 0 && mode !== 'none' && { only }) },
    extensions: {
      ...renamed(config?.rest() ?? {}, 'toolConfig.'),
      ...(Object.keys(hints).length > 0 && { 'toolConfig.functionCallingConfig': hints }),
    },
  }
}

const renamed = (fields: Body, prefix: string): Body =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}${camel(name)}`, value]))
