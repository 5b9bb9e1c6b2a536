/** The messages of a Chat request as instructions and turns: leading system messages, then what was said and done. */
import type { CallPart, Instruction, MediaPart, Part, ReasoningPart, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readText, wrong } from '../fields.ts'
import { type ContentPart, readCache, readContent, readTexts } from './part-read.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'

export interface Transcript {
  instructions: Instruction[]
  turns: Turn[]
}

/** Throws GatewayError 400 with the path of what cannot be understood; fields that nobody knows are left out. */
export function readMessages(messages: readonly unknown[]): Transcript {
  const transcript: Transcript = { instructions: [], turns: [] }
  /** Calls so far, for results that name only an id. */
  const calls = new Map<string, CallPart>()
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (!isObject(message)) throw wrong(path, 'an object')
    readMessage(message, path, transcript, calls)
  }
  return transcript
}

function readMessage(message: Body, path: string, transcript: Transcript, calls: Map<string, CallPart>): void {
  const { instructions, turns } = transcript
  const name = readText(message, 'name', `${path}.name`)
  const push = (role: Turn['role'], parts: Part[], more: Partial<Turn> = {}) =>
    turns.push({ role, parts: marked(parts, message), ...(name !== undefined && { name }), ...more, path })
  switch (message.role) {
    case 'system':
    case 'developer': {
      const texts = marked(readTexts(message.content, `${path}.content`), message)
      const role = message.role
      if (turns.length === 0) instructions.push(...texts.map(({ text, cache }) => ({ role, text, ...(cache && { cache }) })))
      else push('system', texts, role === 'developer' ? { developer: true } : {})
      return
    }
    case 'user':
      push('user', readContent(message.content, `${path}.content`))
      return
    case 'assistant': {
      const parts = readAssistant(message, path)
      for (const part of parts) if (part.kind === 'call') calls.set(part.callId, part)
      push('assistant', parts)
      return
    }
    case 'tool':
    case 'function': {
      const result = readResult(message, path, calls)
      const last = turns.at(-1)
      if (last?.role === 'tool') last.parts.push(result)
      else turns.push({ role: 'tool', parts: [result], path })
      return
    }
    default:
      throw wrong(`${path}.role`, 'one of developer, system, user, assistant, tool, function')
  }
}

/** A breakpoint on the whole message stands after its last part. */
function marked<T extends Part>(parts: T[], message: Body): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  if (cache && last && (last.kind === 'text' || last.kind === 'media')) last.cache ??= cache
  return parts
}

function readAssistant(message: Body, path: string): Part[] {
  const reasoning: ReasoningPart | undefined = readReasoning(message)
  const content: ContentPart[] = isAbsent(message.content) ? [] : readContent(message.content, `${path}.content`)
  const refusal = readText(message, 'refusal', `${path}.refusal`)
  const calls = readCalls(message, path)
  const audio: MediaPart[] =
    isObject(message.audio) && typeof message.audio.id === 'string'
      ? [{ kind: 'media', media: 'audio', source: { fileId: message.audio.id, dialect: 'chat' }, path: `${path}.audio` }]
      : []
  // An empty text beside calls is how Chat writes none.
  const said = calls.length > 0 ? content.filter((part) => part.kind !== 'text' || part.text !== '') : content
  return [...(reasoning ? [reasoning] : []), ...said, ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []), ...audio, ...calls]
}

function readCalls(message: Body, path: string): CallPart[] {
  if (isObject(message.function_call)) {
    // The oldest form has no ids: the function's name stands for one, and its result comes right after.
    const at = `${path}.function_call`
    return [functionCall(message.function_call, legacyId(neededName(message.function_call, at)), at)]
  }
  if (isAbsent(message.tool_calls)) return []
  if (!Array.isArray(message.tool_calls)) throw wrong(`${path}.tool_calls`, 'a list')
  return message.tool_calls.map((call, index) => readCall(call, `${path}.tool_calls[${index}]`))
}

function readCall(call: unknown, path: string): CallPart {
  if (!isObject(call)) throw wrong(path, 'an object')
  const id = readText(call, 'id', `${path}.id`)
  if (!id) throw missing(`${path}.id`)
  const opaque = readExtraContent(call)
  const part = isObject(call.custom)
    ? customCall(call.custom, id, `${path}.custom`)
    : functionCall(isObject(call.function) ? call.function : {}, id, `${path}.function`)
  return opaque.length > 0 ? { ...part, opaque } : part
}

function functionCall(fields: Body, callId: string, at: string): CallPart {
  const path = `${at}.arguments`
  return { kind: 'call', callId, name: neededName(fields, at), form: 'json', argsText: readText(fields, 'arguments', path) ?? '', path }
}

function customCall(fields: Body, callId: string, at: string): CallPart {
  const path = `${at}.input`
  return { kind: 'call', callId, name: neededName(fields, at), form: 'text', argsText: readText(fields, 'input', path) ?? '', path }
}

function neededName(fields: Body, path: string): string {
  const name = readText(fields, 'name', `${path}.name`)
  if (!name) throw missing(`${path}.name`)
  return name
}

const legacyId = (name: string) => `call_${name}`

function readResult(message: Body, path: string, calls: ReadonlyMap<string, CallPart>): ResultPart {
  const callId =
    message.role === 'function' ? legacyId(neededName(message, path)) : readText(message, 'tool_call_id', `${path}.tool_call_id`)
  if (!callId) throw missing(`${path}.tool_call_id`)
  const call = calls.get(callId)
  const cache = readCache(message)
  const parts = isAbsent(message.content) ? [] : readContent(message.content, `${path}.content`).map(inResult)
  return {
    kind: 'result',
    callId,
    ...(call && { name: call.name }),
    form: call?.form ?? 'json',
    isError: false,
    parts,
    ...(cache && { cache }),
  }
}

/** Kinds that a result does not know stay readable. */
function inResult(part: ContentPart): TextPart | MediaPart {
  if (part.kind === 'text' || part.kind === 'media') return part
  return { kind: 'text', text: part.kind === 'refusal' ? part.text : JSON.stringify(part.raw) }
}
