/** Tools that a request offers, and which of them may be called. */
import type { JsonSchema, Tool, ToolPolicy } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { type Body, camel, missing, type Node, objectAt, objectsAt, pathOf, pick, textAt, textsAt, wrong } from '../proto-json.ts'
import { readSchema } from '../schema.ts'

export function readTools(root: Node): Tool[] {
  return objectsAt(root, 'tools').flatMap((node) => [
    ...objectsAt(node, 'functionDeclarations').map(readFunction),
    ...Object.keys(node.body).flatMap((spelled) => readHosted(node, camel(spelled))),
  ])
}

function readFunction(node: Node): Tool {
  const name = textAt(node, 'name')
  if (!name) throw missing(pathOf(node, 'name'))
  const description = textAt(node, 'description')
  const extra = Object.fromEntries(Object.entries(node.body).filter(([field, value]) => value !== null && !declared.has(camel(field))))
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: readParameters(node),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

const declared = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])

function readParameters(node: Node): JsonSchema {
  const full = pick(node.body, 'parametersJsonSchema')
  if (full !== undefined && !isObject(full)) throw wrong(pathOf(node, 'parametersJsonSchema'), 'an object')
  if (full) return full
  const older = objectAt(node, 'parameters')
  return older ? readSchema(older.body) : { type: 'object', properties: {} }
}

function readHosted({ body }: Node, name: string): Tool[] {
  const config = pick(body, name)
  if (name === 'functionDeclarations' || config === undefined) return []
  const raw = { [name]: config }
  if (name !== 'googleSearch' && name !== 'googleSearchRetrieval') return [{ kind: 'native', dialect: 'gemini', name, raw }]
  const blocked = isObject(config) ? pick(config, 'excludeDomains') : undefined
  const blockedDomains = Array.isArray(blocked) ? blocked.filter((domain) => typeof domain === 'string') : []
  return [{ kind: 'web-search', ...(blockedDomains.length > 0 && { blockedDomains }), raw, dialect: 'gemini' }]
}

const modes: Readonly<Record<string, ToolPolicy['mode']>> = {
  MODE_UNSPECIFIED: 'auto',
  AUTO: 'auto',
  VALIDATED: 'auto',
  ANY: 'required',
  NONE: 'none',
}

/** The policy, and what of `toolConfig` only this dialect knows, by its full name. */
export function readToolPolicy(root: Node): { toolPolicy: ToolPolicy; extensions: Body } {
  const node = objectAt(root, 'toolConfig')
  const calling = node && objectAt(node, 'functionCallingConfig')
  const word = ((calling && textAt(calling, 'mode')) ?? 'AUTO').toUpperCase()
  const mode = Object.hasOwn(modes, word) ? modes[word] : undefined
  if (calling && !mode) throw wrong(pathOf(calling, 'mode'), 'AUTO, ANY, NONE or VALIDATED')
  const only = calling ? textsAt(calling, 'allowedFunctionNames') : []
  return {
    toolPolicy: { mode: mode ?? 'auto', ...(only.length > 0 && mode !== 'none' && { only }) },
    extensions: leftOver(node?.body ?? {}, calling?.body ?? {}, word),
  }
}

function leftOver(config: Body, calling: Body, mode: string): Body {
  const named = (fields: Body, without: readonly string[]) =>
    Object.entries(fields)
      .map(([name, value]) => [camel(name), value] as const)
      .filter(([name, value]) => value !== null && !without.includes(name))
  const more = Object.fromEntries(named(calling, ['mode', 'allowedFunctionNames']))
  const hints = mode === 'VALIDATED' ? { mode, ...more } : more
  return {
    ...Object.fromEntries(named(config, ['functionCallingConfig']).map(([name, value]) => [`toolConfig.${name}`, value])),
    ...(Object.keys(hints).length > 0 && { 'toolConfig.functionCallingConfig': hints }),
  }
}
