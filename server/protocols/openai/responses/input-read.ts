/** The input of a request: items in a row become instructions and turns. Items that are not known stay as they came. */
import type { CallPart, Instruction, Part, Phase, ResultPart, Turn } from '#canonical/conversation'
import { type Body, isAbsent, readText, readWord, wrong } from '../fields.ts'
import { neededText, readObjects } from './checks.ts'
import { readContentPart, readOutput } from './content-read.ts'
import { isReference } from './head.ts'
import { nativeItem, roleOf } from './item-kinds.ts'
import { reasoningParts } from './reasoning-read.ts'

interface Input {
  instructions: Instruction[]
  turns: Turn[]
}

const roles = ['user', 'assistant', 'system', 'developer'] as const
type MessageRole = (typeof roles)[number]

/** Throws GatewayError 400 with the path of what cannot be understood. */
export function readInput(body: Body): Input {
  const input: Input = { instructions: readInstructions(body), turns: [] }
  if (typeof body.input === 'string') {
    input.turns.push({ role: 'user', parts: [{ kind: 'text', text: body.input }], path: 'input' })
    return input
  }
  const called = new Map<string, string>()
  for (const [item, path] of readObjects(body, 'input')) {
    if (item.type === 'message' || (isAbsent(item.type) && !isReference(item))) readMessage(input, item, path)
    else addItem(input.turns, readItem(item, path, called), roleOf(item), path)
  }
  return input
}

function readInstructions(body: Body): Instruction[] {
  const text = readText(body, 'instructions')
  return text === undefined || text === '' ? [] : [{ role: 'system', text }]
}

function readMessage(input: Input, item: Body, path: string): void {
  const role = readWord(item, 'role', roles, `${path}.role`)
  if (role === undefined) throw wrong(`${path}.role`, `one of ${roles.join(', ')}`)
  const parts = readContent(item, role, path)
  const isLeading = (role === 'system' || role === 'developer') && input.turns.length === 0
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part] : []))
  if (isLeading && texts.length === parts.length) {
    for (const { text, cache } of texts) input.instructions.push({ role, text, ...(cache && { cache }), item: true })
    return
  }
  if (role === 'assistant') addItem(input.turns, parts, role, path)
  else input.turns.push({ role: role === 'user' ? 'user' : 'system', parts, path, ...(role === 'developer' && { developer: true }) })
}

/** A part of a kind that is not known stays, as a message of its own. */
function readContent(item: Body, role: MessageRole, path: string): Part[] {
  if (typeof item.content === 'string') return [withPhase({ kind: 'text', text: item.content }, item, path)]
  return readObjects(item, 'content', `${path}.content`).map(([part, at]) => {
    const read = readContentPart(part, at)
    return read ? withPhase(read, item, path) : nativeItem({ type: 'message', role, content: [part] })
  })
}

function withPhase(part: Part, item: Body, path: string): Part {
  const phase: Phase | undefined = readWord(item, 'phase', ['commentary', 'final_answer'], `${path}.phase`)
  return part.kind === 'text' && phase ? { ...part, phase } : part
}

/** What one answer is made of stands in one turn; so do the results of its calls. Two messages in a row are two turns. */
function addItem(turns: Turn[], parts: Part[], role: Turn['role'], path: string): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  const joins = last?.role === role && role !== 'user' && !(isSaid(last.parts.at(-1)) && isSaid(parts[0]))
  if (joins) last.parts.push(...parts)
  else turns.push({ role, parts, path })
}

const isSaid = (part: Part | undefined) => part?.kind === 'text' || part?.kind === 'refusal'

function readItem(item: Body, path: string, called: Map<string, string>): Part[] {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call': {
      const call = readCall(item, path)
      called.set(call.callId, call.name)
      return [call]
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return isAbsent(item.call_id) ? [nativeItem(item)] : [readResult(item, path, called)]
    case 'reasoning':
      return reasoningParts(item)
    default:
      return [nativeItem(item)]
  }
}

function readCall(item: Body, path: string): CallPart {
  const isFunction = item.type === 'function_call'
  const field = isFunction ? 'arguments' : 'input'
  const namespace = readText(item, 'namespace', `${path}.namespace`)
  return {
    kind: 'call',
    callId: neededText(item, 'call_id', `${path}.call_id`),
    name: neededText(item, 'name', `${path}.name`),
    form: isFunction ? 'json' : 'text',
    argsText: neededText(item, field, `${path}.${field}`),
    ...(namespace !== undefined && { namespace }),
    path: `${path}.${field}`,
  }
}

function readResult(item: Body, path: string, called: ReadonlyMap<string, string>): ResultPart {
  const callId = neededText(item, 'call_id', `${path}.call_id`)
  const name = called.get(callId)
  return {
    kind: 'result',
    callId,
    ...(name !== undefined && { name }),
    form: item.type === 'function_call_output' ? 'json' : 'text',
    isError: false,
    parts: readOutput(item, `${path}.output`),
  }
}
