/** A generateContent request as the canonical conversation: every field has a place there, or is kept in the extensions of this dialect. */
import type { RequestBody } from '#canonical/codec'
import type { ConversationRequest, Instruction } from '#canonical/conversation'
import { type Fields, invalidField, type ReadBody, readBody } from '#protocols/codec/fields'
import { scanned } from '#protocols/codec/head'
import type { GenerateContentRequest } from '#shared/protocols/gemini/generate-content'
import { keepCallNumbers } from '#wire/json-scan'
import { readPath } from '../path.ts'
import { camel, protoRules } from '../proto-json.ts'
import { hasCall } from './part.ts'
import { isUnspecified, readSettings, readTier } from './request-read-settings.ts'
import { readToolPolicy, readTools } from './request-read-tools.ts'
import { readTurns } from './request-read-turns.ts'

/** `path` is `{model}:{action}`. Throws GatewayError 400 with `param` as the path in the caller's body. */
export function readRequest(given: RequestBody, path?: string): ConversationRequest {
  const { model, action } = readPath(path)
  const scan = scanned(given)
  if (hasCall(scan.text)) keepCallNumbers(scan)
  const body = readBody<GenerateContentRequest>(scan.value, protoRules)
  return readConversation(body, model, action === 'streamGenerateContent')
}

/** The request that a body holds, as a conversation with `model`. Throws as readRequest does. */
export function readConversation(
  { fields: body, unread }: ReadBody<GenerateContentRequest>,
  model: string,
  stream: boolean,
): ConversationRequest {
  const notes = new Set<string>()
  const { output, sampling, reasoning, extensions: configured, paths } = readSettings(body)
  const { toolPolicy, extensions: policed } = readToolPolicy(body)
  const tier = readTier(body)
  const request: ConversationRequest = {
    dialect: 'gemini',
    model,
    instructions: readInstructions(body),
    turns: readTurns(body, notes),
    tools: readTools(body, notes),
    toolPolicy,
    output,
    sampling,
    reasoning,
    cache: {},
    ...(tier && { tier }),
    identity: {},
    stream,
    usageAsked: true,
    extensions: {},
    paths: {
      ...paths,
      turns: body.pathOf('contents'),
      tools: body.pathOf('tools'),
      'toolPolicy.mode': `${body.pathOf('toolConfig')}.functionCallingConfig.mode`,
      'toolPolicy.only': `${body.pathOf('toolConfig')}.functionCallingConfig.allowedFunctionNames`,
    },
  }
  // The address names the model.
  body.ignore('model')
  const named = tier ? '' : (body.textIf('serviceTier') ?? '')
  if (named !== '' && !isUnspecified(named)) configured.serviceTier = named
  const gemini = { ...leftOver(body), ...configured, ...policed, ...Object.fromEntries([...notes].map((path) => [path, true])) }
  if (Object.keys(gemini).length > 0) request.extensions = { gemini }
  const rest = unread()
  return rest.length > 0 ? { ...request, unread: rest } : request
}

/** Fields without a canonical place. */
const leftOver = (body: Fields<GenerateContentRequest>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body.rest()).map(([name, value]) => [camel(name), value]))

function readInstructions(body: Fields<GenerateContentRequest>): Instruction[] {
  const text = body.textIf('systemInstruction')
  if (text !== undefined) return text === '' ? [] : [{ role: 'system', text }]
  const content = body.objectIf('systemInstruction')
  if (!content && body.has('systemInstruction')) throw invalidField(body.pathOf('systemInstruction'), 'a content')
  // Whatever role it names, it is the system's.
  content?.ignore('role')
  return (content?.objects('parts') ?? []).flatMap((part) => {
    const words = part.text('text')
    if (words === undefined) throw invalidField(part.path, 'a part with text')
    return words === '' ? [] : [{ role: 'system' as const, text: words }]
  })
}
