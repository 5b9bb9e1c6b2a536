/** The input of a request: consecutive items become instructions and turns. Unknown items stay unchanged. */
import type { CallPart, Instruction, NativePart, Part, Phase, ResultPart, Turn } from '#canonical/conversation'
import { type Fields, type ItemReader, invalidField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { ResponsesContent, ResponsesItem, ResponsesRequest } from '#shared/protocols/openai/responses'
import { compactionState } from './compaction.ts'
import { reasoningParts } from './reasoning.ts'
import { readContentPart, readOutput } from './request-read-content.ts'

interface Input {
  instructions: Instruction[]
  turns: Turn[]
  /** Items with further tools, if any. Other dialects have all tools in one place. */
  toolItems?: Fields<ResponsesItem>[]
}

const roles = ['user', 'assistant', 'system', 'developer'] as const
type MessageRole = (typeof roles)[number]

/** Throws GatewayError 400 with the path of what cannot be understood. */
export function readInput(body: Fields<ResponsesRequest>): Input {
  const input: Input = { instructions: readInstructions(body), turns: [] }
  if (body.kind('input') === 'text') {
    input.turns.push({ role: 'user', parts: [{ kind: 'text', text: body.needText('input') }], path: 'input' })
    return input
  }
  const called = new Map<string, string>()
  body.each('input', {
    first: 'role',
    second: 'content',
    plain: (role, text, path, index) => readPlain(input, role, text, `${path}[${index}]`),
    read: (item: Fields<ResponsesItem>) => {
      const type = item.json('type')
      if (isMessage(item, type)) readMessage(input, item)
      else if (type === 'additional_tools' && item.kind('tools') === 'list') addTools(input, item)
      else addItem(input.turns, readItem(item, type, called), roleOf({ type }), item.path)
      return true
    },
  })
  return input
}

function addTools(input: Input, item: Fields<ResponsesItem>): void {
  ignoreBookkeeping(item)
  item.ignore('role')
  input.toolItems ??= []
  input.toolItems.push(item)
}

/** A message of a role and a text; undefined for roles with rules of their own. */
function readPlain({ turns }: Input, role: string, text: string, path: string): true | undefined {
  const part: Part = { kind: 'text', text }
  if (role === 'user') turns.push({ role, parts: [part], path })
  else if (role === 'assistant') addItem(turns, [part], role, path)
  else return undefined
  return true
}

/** Without a type an item is a message, or a reference: that has an id and no role. */
function isMessage(item: Fields<ResponsesItem>, type: unknown): boolean {
  if (type !== undefined) return type === 'message'
  return item.has('role') || item.kind('id') !== 'text'
}

function readInstructions(body: Fields<ResponsesRequest>): Instruction[] {
  const text = body.text('instructions')
  return text === undefined || text === '' ? [] : [{ role: 'system', text }]
}

function readMessage(input: Input, item: Fields<ResponsesItem>): void {
  const role = item.word('role', roles)
  if (role === undefined) throw invalidField(item.pathOf('role'), `one of ${roles.join(', ')}`)
  ignoreBookkeeping(item)
  const { path } = item
  const parts = readContent(item, role)
  const isLeading = (role === 'system' || role === 'developer') && input.turns.length === 0
  const texts = isLeading ? parts.filter((part) => part.kind === 'text') : []
  if (isLeading && texts.length === parts.length) {
    for (const { text, cache } of texts) input.instructions.push({ role, text, ...(cache && { cache }), item: true })
    return
  }
  if (role === 'assistant') addItem(input.turns, parts, role, path)
  else input.turns.push({ role: role === 'user' ? 'user' : 'system', parts, path, ...(role === 'developer' && { developer: true }) })
}

/** Fields of an item that only its upstream uses. */
const ignoreBookkeeping = (item: Fields<ResponsesItem>) => item.ignore('id', 'status')

/** A part of an unknown kind is kept as a message of its own. */
function readContent(item: Fields<ResponsesItem>, role: MessageRole): Part[] {
  const phase = item.word('phase', ['commentary', 'final_answer'])
  if (item.kind('content') === 'text') return [withPhase({ kind: 'text', text: item.needText('content') }, phase)]
  const parts: ItemReader<ResponsesContent, Part> = {
    ...plainText,
    read: (part) => readContentPart(part) ?? nativeItem({ type: 'message', role, content: [part.whole()] }),
  }
  const read = item.each('content', parts)
  return phase ? read.map((part) => withPhase(part, phase)) : read
}

/** A part with nothing but text. */
const plainText: Pick<ItemReader<ResponsesContent, Part>, 'first' | 'second' | 'plain'> = {
  first: 'type',
  second: 'text',
  plain: (type, text) => (type === 'input_text' || type === 'output_text' ? { kind: 'text', text } : undefined),
}

const withPhase = (part: Part, phase: Phase | undefined): Part => (part.kind === 'text' && phase ? { ...part, phase } : part)

/** The items of one answer form one turn; so do the results of its calls. Two consecutive messages are two turns. */
function addItem(turns: Turn[], parts: Part[], role: Turn['role'], path: string): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  const joins = last?.role === role && role !== 'user' && !(isSaid(last.parts.at(-1)) && isSaid(parts[0]))
  if (joins) last.parts.push(...parts)
  else turns.push({ role, parts, path })
}

const isSaid = (part: Part | undefined) => part?.kind === 'text' || part?.kind === 'refusal'

/** `called` has the names of tools by call id, for their results. */
function readItem(item: Fields<ResponsesItem>, type: unknown, called: Map<string, string>): Part[] {
  switch (type) {
    case 'function_call':
    case 'custom_tool_call': {
      const call = readCall(item, type)
      called.set(call.callId, call.name)
      return [call]
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return item.has('call_id') ? [readResult(item, type, called)] : [nativeItem(item.whole())]
    case 'reasoning':
      ignoreBookkeeping(item)
      return reasoningParts({
        content: item.json('content'),
        summary: item.json('summary'),
        encrypted_content: item.json('encrypted_content'),
      })
    default:
      return [nativeItem(item.whole())]
  }
}

function readCall(item: Fields<ResponsesItem>, type: 'function_call' | 'custom_tool_call'): CallPart {
  const isFunction = type === 'function_call'
  const field = isFunction ? 'arguments' : 'input'
  ignoreBookkeeping(item)
  const namespace = item.text('namespace')
  return {
    kind: 'call',
    callId: item.needText('call_id'),
    name: item.needText('name'),
    form: isFunction ? 'json' : 'text',
    argsText: item.needText(field),
    ...(namespace !== undefined && { namespace }),
    path: item.pathOf(field),
  }
}

function readResult(
  item: Fields<ResponsesItem>,
  type: 'function_call_output' | 'custom_tool_call_output',
  called: ReadonlyMap<string, string>,
): ResultPart {
  ignoreBookkeeping(item)
  const callId = item.needText('call_id')
  const name = called.get(callId)
  return {
    kind: 'result',
    callId,
    ...(name !== undefined && { name }),
    form: type === 'function_call_output' ? 'json' : 'text',
    isError: false,
    parts: readOutput(item),
  }
}

type Item = Record<string, unknown>

/** Items that set something, or replace earlier turns; they belong to neither side. */
const settings = new Set(['compaction', 'compaction_trigger', 'additional_tools', 'configuration_update'])

/** The role of an item: a tool's output, a setting of the client, or else an item of the model. */
export function roleOf({ type }: Item): Turn['role'] {
  if (typeof type !== 'string') return 'assistant'
  if (settings.has(type)) return 'user'
  return type.endsWith('_output') || type === 'mcp_approval_response' ? 'tool' : 'assistant'
}

/** An item of a caller's history, with a text for dialects that cannot express it. */
export function nativeItem(item: Item): NativePart {
  const summary = summaryOf(item)
  return { kind: 'native', dialect: 'responses', raw: item, ...(summary !== undefined && { summary }), ...compactionState(item) }
}

const bookkeeping = new Set(['type', 'id', 'status', 'call_id', 'created_by', 'encrypted_content', 'result', 'fingerprint'])
const longest = 4096

/** Only calls and outputs of tools can be summarised as text. */
function summaryOf(item: Item): string | undefined {
  const { type } = item
  if (typeof type !== 'string' || !/_call(?:_output)?$|^mcp_list_tools$/.test(type)) return undefined
  const label = type.replaceAll('_', ' ')
  if (type === 'web_search_call') return `[${label}: ${searchWords(item.action)}]`
  const fields = Object.fromEntries(Object.entries(exact(item)).filter(([key]) => !bookkeeping.has(key)))
  return `[${label}: ${JSON.stringify(fields).slice(0, longest)}]`
}

function searchWords(action: unknown): string {
  if (!isObject(action)) return ''
  const words = [action.query, action.queries, action.url, action.pattern].flat()
  return [...new Set(words.filter((word) => typeof word === 'string'))].join(', ').slice(0, longest)
}
