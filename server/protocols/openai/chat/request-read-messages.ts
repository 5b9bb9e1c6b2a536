/** The messages of a Chat request as instructions and turns: leading system messages, then the conversation. */
import type { CallPart, Instruction, MediaPart, Part, ReasoningPart, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { type Fields, type ItemReader, invalidField, missingField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import type { ChatCalled, ChatMessage, ChatRequest, ChatToolCall } from '#shared/protocols/openai/chat'
import { readAnnotations } from './citations.ts'
import { readExtraContent, readReasoning } from './reasoning.ts'
import { type ContentPart, readCache, readContent, readTexts } from './request-read-parts.ts'

export interface Transcript {
  instructions: Instruction[]
  turns: Turn[]
}

interface Draft extends Transcript {
  /** Calls so far, for results that name only an id. */
  calls: Map<string, CallPart>
}

/** Throws GatewayError 400 with the path of what cannot be understood. */
export function readMessages(body: Fields<ChatRequest>): Transcript {
  const draft: Draft = { instructions: [], turns: [], calls: new Map() }
  const reader: ItemReader<ChatMessage, true> = {
    first: 'role',
    second: 'content',
    plain: (role, text, path, index) => readPlain(role, text, `${path}[${index}]`, draft),
    read: (message) => readMessage(message, draft),
  }
  body.each('messages', reader)
  return { instructions: draft.instructions, turns: draft.turns }
}

/** A message with only a role and a text; undefined for messages that need the full reader. */
function readPlain(role: string, text: string, path: string, { turns }: Draft): true | undefined {
  if (role !== 'user' && role !== 'assistant') return undefined
  turns.push({ role, parts: [{ kind: 'text', text }], path })
  return true
}

function readMessage(message: Fields<ChatMessage>, draft: Draft): true {
  const role = message.json('role')
  switch (role) {
    case 'system':
    case 'developer':
      readSystem(message, role, draft)
      return true
    case 'user':
      draft.turns.push(turnOf('user', readContent(message), message))
      return true
    case 'assistant': {
      const parts = readAssistant(message)
      for (const part of parts) if (part.kind === 'call') draft.calls.set(part.callId, part)
      draft.turns.push(turnOf('assistant', parts, message))
      return true
    }
    case 'tool':
    case 'function': {
      const result = readResult(message, role, draft.calls)
      const last = draft.turns.at(-1)
      if (last?.role === 'tool') last.parts.push(result)
      else draft.turns.push({ role: 'tool', parts: [result], path: message.path })
      return true
    }
    default:
      throw invalidField(message.pathOf('role'), 'one of developer, system, user, assistant, tool, function')
  }
}

/** Canonical instructions have no name, so the name of a leading system message stays unread and becomes a loss. */
function readSystem(message: Fields<ChatMessage>, role: Instruction['role'], { instructions, turns }: Draft): void {
  const texts = readTexts(message)
  if (turns.length > 0) turns.push({ ...turnOf('system', texts, message), ...(role === 'developer' && { developer: true }) })
  else instructions.push(...marked(texts, message).map(({ text, cache }) => ({ role, text, ...(cache && { cache }) })))
}

function turnOf(role: Turn['role'], parts: Part[], message: Fields<ChatMessage>): Turn {
  const name = message.text('name')
  return { role, parts: marked(parts, message), ...(name !== undefined && { name }), path: message.path }
}

/** A breakpoint on the whole message goes after its last part. */
function marked<T extends Part>(parts: T[], message: Fields<ChatMessage>): T[] {
  const cache = readCache(message)
  const last = parts.at(-1)
  if (cache && last && (last.kind === 'text' || last.kind === 'media')) last.cache ??= cache
  return parts
}

function readAssistant(message: Fields<ChatMessage>): Part[] {
  const reasoning: ReasoningPart | undefined = readReasoning({
    reasoning_content: message.json('reasoning_content'),
    reasoning: message.json('reasoning'),
    reasoning_details: message.json('reasoning_details'),
  })
  const content: ContentPart[] = message.has('content') ? cited(readContent(message), message) : []
  const refusal = message.text('refusal')
  const calls = readCalls(message)
  // Chat clients send an empty text next to calls instead of none.
  const said = calls.length > 0 ? content.filter((part) => part.kind !== 'text' || part.text !== '') : content
  return [
    ...(reasoning ? [reasoning] : []),
    ...said,
    ...(refusal ? [{ kind: 'refusal' as const, text: refusal }] : []),
    ...readAudio(message),
    ...calls,
  ]
}

/** Citations count from the beginning of the content, which is one text wherever it has any. */
function cited(content: ContentPart[], message: Fields<ChatMessage>): ContentPart[] {
  const citations = readAnnotations(message.json('annotations'))
  const [first, ...others] = content
  if (citations.length === 0 || first?.kind !== 'text' || others.length > 0) return content
  return [{ ...first, citations }]
}

/** An earlier audio answer is sent back as its id, which covers everything that clients repeat with it. */
function readAudio(message: Fields<ChatMessage>): MediaPart[] {
  const audio = message.objectIf('audio')
  const id = audio?.textIf('id')
  if (!audio || id === undefined) return []
  audio.ignore('data', 'transcript', 'expires_at')
  return [{ kind: 'media', media: 'audio', source: { fileId: id, dialect: 'chat' }, path: audio.path }]
}

function readCalls(message: Fields<ChatMessage>): CallPart[] {
  const legacy = message.objectIf('function_call')
  // The oldest form has no ids: the function's name is used instead, and its result comes right after.
  if (legacy) return [functionCall(legacy, legacyId(neededName(legacy)))]
  return message.objects('tool_calls').map(readCall)
}

function readCall(call: Fields<ChatToolCall>): CallPart {
  const id = call.text('id')
  if (!id) throw missingField(call.pathOf('id'))
  // Its fields imply its type, and its position the index.
  call.ignore('type', 'index')
  const opaque = readExtraContent(call.json('extra_content'))
  const custom = call.objectIf('custom')
  const part = custom ? customCall(custom, id) : functionCall(call.needObject('function'), id)
  return opaque.length > 0 ? { ...part, opaque } : part
}

function functionCall(called: Fields<ChatCalled>, callId: string): CallPart {
  const argsText = called.text('arguments') ?? ''
  return { kind: 'call', callId, name: neededName(called), form: 'json', argsText, path: called.pathOf('arguments') }
}

function customCall(called: Fields<{ name?: unknown; input?: unknown }>, callId: string): CallPart {
  const argsText = called.text('input') ?? ''
  return { kind: 'call', callId, name: neededName(called), form: 'text', argsText, path: called.pathOf('input') }
}

/** Throws GatewayError 400 if there is none. */
export function neededName(fields: Fields<{ name?: unknown }>): string {
  const name = fields.text('name')
  if (!name) throw missingField(fields.pathOf('name'))
  return name
}

const legacyId = (name: string) => `call_${name}`

function readResult(message: Fields<ChatMessage>, role: 'tool' | 'function', calls: ReadonlyMap<string, CallPart>): ResultPart {
  const callId = role === 'function' ? legacyId(neededName(message)) : message.text('tool_call_id')
  if (!callId) throw missingField(message.pathOf('tool_call_id'))
  // The name of the tool is in its call.
  message.ignore('name')
  const call = calls.get(callId)
  const cache = readCache(message)
  const parts = message.has('content') ? readContent(message).map(inResult) : []
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

/** Kinds that a result does not support become text. */
function inResult(part: ContentPart): TextPart | MediaPart {
  if (part.kind === 'text' || part.kind === 'media') return part
  return { kind: 'text', text: part.kind === 'refusal' ? part.text : JSON.stringify(exact(part.raw)) }
}
