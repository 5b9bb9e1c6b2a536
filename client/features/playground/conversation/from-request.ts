/**
 * Opens a program's chat request as a conversation: its messages, its parameters, and its last question as the draft, so that nothing
 * is sent by opening it. Lists what the playground does not support. Pure.
 */
import { type Conversation, emptyReply, type Message, newId, type ToolCall, titleFrom } from './conversation.ts'
import { clamp, defaultSettings, efforts, fieldOf, rangeOf, type Settings, sliderNames } from './settings.ts'

/** A conversation that is not stored yet. */
export interface OpenedRequest {
  conversation: Conversation
  messages: Message[]
  /** Paths of fields that were left out: `top_k`, `messages[2].content[1]`. */
  leftOut: string[]
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** `body`: a chat request. `at`: milliseconds. */
export function fromRequest(body: Fields, at: number): OpenedRequest {
  const leftOut: string[] = []
  const raw = Array.isArray(body.messages) ? body.messages : []
  const id = newId()
  const group = typeof body.group === 'string' ? body.group : null
  const model = typeof body.model === 'string' ? body.model : null
  const turns = raw.map((one: unknown, n) => turnOf(one, `messages[${n}]`, leftOut))
  const { system, messages, draft } = threadOf(turns, { id, group: group ?? '', model: model ?? '', at }, leftOut)
  const settings = { ...settingsOf(body, leftOut), system }
  const first = messages.find(({ role }) => role === 'user')?.text ?? draft
  const conversation: Conversation = {
    ...{ id, group, model, settings, draft, choice: {} },
    title: titleFrom(first),
    ...{ named: false, pinned: false, createdAt: at, updatedAt: at },
  }
  return { conversation, messages, leftOut }
}

interface Turn {
  path: string
  role: string
  text: string
  refusal: string
  calls: ToolCall[]
  callId: string
}

function turnOf(raw: unknown, path: string, leftOut: string[]): Turn {
  const turn: Turn = { path, role: '', text: '', refusal: '', calls: [], callId: '' }
  if (!isFields(raw)) return turn
  const { role, content, refusal, tool_calls: calls, tool_call_id: callId, ...others } = raw
  for (const [name, value] of Object.entries(others)) if (value !== null && value !== undefined) leftOut.push(`${path}.${name}`)
  return {
    ...{ path, role: String(role), text: textOf(content, `${path}.content`, leftOut), callId: typeof callId === 'string' ? callId : '' },
    refusal: typeof refusal === 'string' ? refusal : '',
    calls: Array.isArray(calls) ? calls.flatMap((call: unknown, n) => callOf(call, `${path}.tool_calls[${n}]`, leftOut)) : [],
  }
}

function textOf(content: unknown, path: string, leftOut: string[]): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.flatMap((part: unknown, n) => {
    if (isFields(part) && typeof part.text === 'string') return part.text
    if (isFields(part) && typeof part.refusal === 'string') return part.refusal
    leftOut.push(`${path}[${n}]`)
    return []
  })
  return texts.join('\n\n')
}

function callOf(call: unknown, path: string, leftOut: string[]): ToolCall[] {
  if (isFields(call) && isFields(call.function) && typeof call.function.name === 'string')
    return [{ id: String(call.id ?? ''), name: call.function.name, arguments: String(call.function.arguments ?? '') }]
  leftOut.push(path)
  return []
}

/** The messages as a thread; consecutive questions are merged, since a question without an answer is not sent again. */
function threadOf(turns: readonly Turn[], of: { id: string; group: string; model: string; at: number }, leftOut: string[]) {
  const system: string[] = []
  const messages: Message[] = []
  const base = () => ({ id: newId(), conversation: of.id, parent: messages.at(-1)?.id ?? null, at: of.at + messages.length })
  for (const { path, role, text, refusal, calls, callId } of turns) {
    const last = messages.at(-1)
    if (role === 'system' || role === 'developer') {
      if (messages.length === 0) system.push(text)
      else leftOut.push(path)
    } else if (role === 'user') {
      if (last?.role === 'user') last.text = `${last.text}\n\n${text}`
      else messages.push({ ...base(), role, text })
    } else if (role === 'tool') messages.push({ ...base(), role, callId, text })
    else if (role === 'assistant') {
      const { parent, at } = base()
      messages.push({ ...emptyReply(of.id, parent, of, at), state: 'complete', text, refusal, calls })
    } else leftOut.push(path)
  }
  const draft = messages.at(-1)?.role === 'user' ? (messages.pop()?.text ?? '') : ''
  return { system: system.join('\n\n'), messages, draft }
}

/** Fields that are handled elsewhere, or that the playground always sends. */
const own = new Set(['model', 'messages', 'group', 'stream_options'])
/** Both names of a limit on tokens. */
const named: Fields = { ...Object.fromEntries(sliderNames.map((name) => [fieldOf[name], name])), max_completion_tokens: 'maxTokens' }

function settingsOf(body: Fields, leftOut: string[]): Settings {
  const settings = { ...defaultSettings(), stream: body.stream === true }
  for (const [field, value] of Object.entries(body)) {
    if (value === null || value === undefined || own.has(field) || field === 'stream') continue
    if (!take(settings, field, value)) leftOut.push(field)
  }
  return settings
}

/** Applies a field to the settings; false if the playground does not support it. */
function take(settings: Settings, field: string, value: unknown): boolean {
  const slider = sliderNames.find((name) => named[field] === name)
  if (slider) {
    if (typeof value !== 'number' || clamp(value, rangeOf(slider, undefined)) !== value) return false
    settings[slider] = { on: true, value }
    return true
  }
  switch (field) {
    case 'n':
      return value === 1
    case 'seed':
      settings.seed = typeof value === 'number' ? value : null
      return settings.seed !== null
    case 'stop': {
      const stop = [value].flat()
      if (!stop.every((one) => typeof one === 'string') || stop.length > 4) return false
      settings.stop = stop
      return true
    }
    case 'reasoning_effort':
      settings.effort = efforts.find((one) => one === value) ?? null
      return settings.effort !== null
    case 'tools':
      settings.tools = JSON.stringify(value, null, 2)
      return Array.isArray(value)
    case 'response_format':
      return takeFormat(settings, value)
    default:
      return false
  }
}

function takeFormat(settings: Settings, format: unknown): boolean {
  if (!isFields(format)) return false
  if (format.type === 'json_object') settings.output = 'json'
  if (format.type !== 'json_schema') return format.type === 'json_object' || format.type === 'text'
  if (!isFields(format.json_schema) || !isFields(format.json_schema.schema)) return false
  settings.output = 'schema'
  settings.schema = JSON.stringify(format.json_schema.schema, null, 2)
  return true
}
