/** A generateContent request as the canonical conversation: every field has its place there, or rides in the extensions of this dialect. */
import type { ConversationRequest, Instruction } from '#canonical/conversation'
import { isObject, scanObject } from '#wire/json-scan'
import { readPath } from '../path.ts'
import { type Body, camel, type Node, objectsAt, pathOf, pick, textAt, wrong } from '../proto-json.ts'
import { readTurns } from './contents-read.ts'
import { readSettings, readTier } from './settings-read.ts'
import { readToolPolicy, readTools } from './tools-read.ts'

/** `path` is `{model}:{action}`. Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(raw: string, path?: string): ConversationRequest {
  const { model, action } = readPath(path)
  return readConversation({ body: scanObject(raw).value, path: '' }, model, action === 'streamGenerateContent')
}

/** What stands in `node` as a conversation with `model`. */
export function readConversation(node: Node, model: string, stream: boolean): ConversationRequest {
  const { output, sampling, reasoning, extensions: configured, paths } = readSettings(node)
  const { toolPolicy, extensions: policed } = readToolPolicy(node)
  const tier = readTier(node)
  const gemini = { ...leftOver(node.body), ...configured, ...policed }
  return {
    dialect: 'gemini',
    model,
    instructions: readInstructions(node),
    turns: readTurns(node),
    tools: readTools(node),
    toolPolicy,
    output,
    sampling,
    reasoning,
    cache: {},
    ...(tier && { tier }),
    identity: {},
    stream,
    usageAsked: true,
    extensions: Object.keys(gemini).length > 0 ? { gemini } : {},
    paths: {
      ...paths,
      turns: pathOf(node, 'contents'),
      tools: pathOf(node, 'tools'),
      'toolPolicy.mode': `${pathOf(node, 'toolConfig')}.functionCallingConfig.mode`,
      'toolPolicy.only': `${pathOf(node, 'toolConfig')}.functionCallingConfig.allowedFunctionNames`,
    },
  }
}

/** Fields that have a canonical place, and `model`, which the path says. */
const known = new Set(['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'serviceTier', 'model'])

function leftOver(body: Body): Body {
  const rest = Object.entries(body).filter(([name, value]) => value !== null && !known.has(camel(name)))
  return Object.fromEntries(rest.map(([name, value]) => [camel(name), value]))
}

function readInstructions(node: Node): Instruction[] {
  const value = pick(node.body, 'systemInstruction')
  const path = pathOf(node, 'systemInstruction')
  if (value === undefined || value === '') return []
  if (typeof value === 'string') return [{ role: 'system', text: value }]
  if (!isObject(value)) throw wrong(path, 'a content')
  return objectsAt({ body: value, path }, 'parts').flatMap((part) => {
    const text = textAt(part, 'text')
    if (text === undefined) throw wrong(part.path, 'a part with text')
    return text === '' ? [] : [{ role: 'system' as const, text }]
  })
}
