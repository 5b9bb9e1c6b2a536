/** `/api/chat` and `/api/generate` in the Chat format. */
import type { Reworded } from '#canonical/wording'
import { bodyNames } from '#protocols/codec/body-names'
import { recordUnread } from '#protocols/codec/extensions'
import { lossList } from '#protocols/codec/field-writers'
import { type Fields, readBody } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { exact, exactCall } from '#shared/exact-numbers'
import type { JsonObject } from '#shared/json'
import { OllamaChatRequest, OllamaGenerateRequest, type OllamaMessage } from '#shared/protocols/ollama/ollama'
import { keepCallNumbers, scanObject } from '#wire/json-scan'
import { imageParts, readSettings } from './settings.ts'

const chatNames = bodyNames('ollama', [OllamaChatRequest])
const generateNames = bodyNames('ollama', [OllamaGenerateRequest])

/** The body of `/api/chat`. Throws GatewayError. */
export function readChat(text: string): Reworded {
  const losses = lossList()
  const scan = scanObject(text, chatNames)
  keepCallNumbers(scan)
  const { fields: body, unread } = readBody<OllamaChatRequest>(scan.value)
  const settings = readSettings(body, losses)
  const turns = openTurns()
  const messages = body.objects('messages').map((message) => turns.message(message.as<OllamaMessage>()))
  const tools = body.objects('tools').map((tool) => exact(tool.whole()))
  recordUnread(unread(), losses)
  return { body: JSON.stringify({ ...settings, messages, ...(tools.length > 0 && { tools }) }), losses: losses.losses }
}

/** The body of `/api/generate`. Throws GatewayError `unsupported_value` for a prompt that no chat can take. */
export function readGenerate(text: string): Reworded {
  const losses = lossList()
  const { fields: body, unread } = readBody<OllamaGenerateRequest>(scanObject(text, generateNames).value)
  const settings = readSettings(body, losses)
  if (body.text('suffix')) throw noChat('suffix')
  if (body.flag('raw')) throw noChat('raw')
  for (const field of ['template', 'context'] as const) {
    if (body.has(field)) losses.dropped(field, 'The model is used as a chat model, with the template of its upstream.')
    body.ignore(field)
  }
  const system = body.text('system')
  const images = body.texts('images')
  const prompt = body.needText('prompt')
  const content = images.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...imageParts(images, 'images')]
  const messages = [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content }]
  recordUnread(unread(), losses)
  return { body: JSON.stringify({ ...settings, messages }), losses: losses.losses }
}

const noChat = (param: string) =>
  new GatewayError('unsupported_value', `The model is asked as in a chat, which has no place for \`${param}\`.`, { param })

interface WaitingCall {
  id: string
  name: string
}

/** Calls have no ids here: results belong to the first call of their tool that has none yet. */
function openTurns() {
  let waiting: WaitingCall[] = []
  let calls = 0

  function call(fields: Fields<JsonObject>): JsonObject {
    const id = fields.text('id') ?? `call_${++calls}`
    const asked = fields.needObject('function').as<JsonObject>()
    asked.ignore('index')
    const name = asked.needText('name')
    waiting.push({ id, name })
    const given = asked.json('arguments')
    return {
      id,
      type: 'function',
      function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(exactCall(given ?? {})) },
    }
  }

  function answeredCall(message: Fields<OllamaMessage>): string {
    const named = message.text('tool_call_id')
    const tool = message.text('tool_name')
    const found = waiting.find(({ id, name }) => (named === undefined ? tool === undefined || name === tool : id === named))
    const id = named ?? found?.id
    if (id === undefined) {
      throw new GatewayError('invalid_value', `The field \`${message.path}\` is a result without a call before it.`, {
        param: message.path,
      })
    }
    waiting = waiting.filter((one) => one !== found)
    return id
  }

  return {
    message(message: Fields<OllamaMessage>): JsonObject {
      const role = message.word('role', ['system', 'user', 'assistant', 'tool'])
      const text = message.text('content') ?? ''
      const images = message.texts('images')
      if (role === 'tool') return { role, tool_call_id: answeredCall(message), content: text }
      const content = images.length === 0 ? text : [{ type: 'text', text }, ...imageParts(images, message.pathOf('images'))]
      const thinking = message.text('thinking')
      const asked = message.objects('tool_calls').map((one) => call(one.as<JsonObject>()))
      return {
        role: role ?? message.needText('role'),
        content,
        ...(thinking && { reasoning_content: thinking }),
        ...(asked.length > 0 && { tool_calls: asked }),
      }
    },
  }
}
