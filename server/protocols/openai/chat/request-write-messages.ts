/** Instructions and turns as Chat messages: results right after their calls, their images after the last of them. */
import type { Instruction, MediaPart, Part, RefusalPart, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import {
  type FieldWriters,
  type KindWriters,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import type { ToolNames } from '#protocols/codec/tool-names'
import type { Body } from '../fields.ts'
import { writeAssistant } from './request-write-assistant.ts'
import { type CallIds, callIds, type Writing, writeNative, writePart, writeText } from './request-write-parts.ts'

/** The position of an instruction makes no difference here. */
type Instructing = WrittenFields<Instruction, { role: 'written'; text: 'written'; cache: 'written'; item: 'notNeeded' }>
type Speaking = WrittenFields<Turn, { role: 'written'; parts: 'written'; name: 'written'; developer: 'written'; path: 'written' }>

/** Messages in the making. */
interface Draft extends Writing {
  names: ToolNames
  ids: CallIds
  messages: Body[]
  /** Media of results, for one user message after the last of them. */
  hoisted: Body[]
  /** Calls that wait for their result, and where they were made. */
  waiting: Set<string>
  askedAt: string | undefined
}

/** Throws GatewayError `unsupported_value` when a part cannot be expressed, or a call was never answered. */
export function writeMessages(writing: Writing, names: ToolNames): Body[] {
  const draft: Draft = {
    ...writing,
    names,
    ids: callIds(writing.target),
    messages: [],
    hoisted: [],
    waiting: new Set(),
    askedAt: undefined,
  }
  writeInstructions(draft)
  for (const turn of joinCalls(writing.request.turns)) writeTurn(turn, draft)
  settleCalls(draft)
  return draft.messages
}

/** Results must directly follow their calls, so a following turn of the assistant is merged into the turn before. */
function joinCalls(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    const belongs = turn.role === 'assistant' && last?.role === 'assistant' && last.parts.some((part) => part.kind === 'call')
    if (belongs) joined[joined.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else joined.push(turn)
  }
  return joined
}

/** Adjacent instructions of one role share a message, each block a part of its own: some upstreams only take one system message. */
function writeInstructions(draft: Draft): void {
  let blocks: TextPart[] = []
  let open: Instruction['role'] | undefined
  const flush = () => {
    if (open !== undefined) draft.messages.push({ role: open, content: writeTexts(blocks, draft) })
    blocks = []
  }
  const instructions: readonly Instructing[] = draft.request.instructions
  for (const { role, text, cache } of instructions) {
    const next = roleOf(role === 'developer', draft)
    if (next !== open) flush()
    open = next
    blocks.push({ kind: 'text', text, ...(cache && { cache }) })
  }
  flush()
}

function roleOf(isDeveloper: boolean, { request, losses }: Draft): Instruction['role'] {
  if (!isDeveloper) return 'system'
  if (request.dialect === 'chat') return 'developer'
  losses.adapted('instructions.role', 'Many upstreams have only one role for instructions.')
  return 'system'
}

/** No parts become an empty text; a single plain text becomes a string. */
function plain(parts: Body[]): unknown {
  const [only, ...others] = parts
  if (only === undefined) return ''
  return others.length === 0 && only.type === 'text' && Object.keys(only).length === 2 ? only.text : parts
}

const writeTexts = (parts: readonly TextPart[], draft: Draft) => plain(parts.map((part) => writeText(part, draft)))

function writeTurn(turn: Speaking, draft: Draft): void {
  if (turn.role === 'assistant') {
    settleCalls(draft)
    const written = writeAssistant(turn, draft)
    if (!written) return
    draft.messages.push(written.message)
    for (const id of written.calls) draft.waiting.add(id)
    draft.askedAt = turn.path
    return
  }
  for (const part of turn.parts) if (part.kind === 'result') writeResult(part, draft)
  const said = turn.parts.filter((part) => part.kind !== 'result')
  if (said.length === 0 && turn.parts.length > 0) return
  settleCalls(draft)
  if (turn.role === 'system') writeSystem(turn, draft)
  else writeUser({ ...turn, parts: said }, draft)
}

/** What must come before the next message: an answer to every call, and the media of the results. */
function settleCalls(draft: Draft): void {
  if (draft.waiting.size > 0) throw cannotCarry(draft.request, 'turns', 'A tool call has no result.', draft.askedAt)
  if (draft.hoisted.length > 0) draft.messages.push({ role: 'user', content: draft.hoisted })
  draft.hoisted = []
}

function writeSystem(turn: Turn, draft: Draft): void {
  const content = turn.parts.map((part) => systemPart(part, draft)).filter((part) => part !== undefined)
  if (content.length === 0 && turn.parts.length > 0) return
  if (!draft.target.capabilities.noSystemTurns) {
    draft.messages.push({ role: roleOf(turn.developer === true, draft), content: plain(content) })
    return
  }
  draft.losses.adapted('turns.system', 'This model takes system messages only at the beginning.')
  const text = content.flatMap(({ text: own }) => (typeof own === 'string' ? [own] : [])).join('\n\n')
  draft.messages.push({ role: 'user', content: `<system>\n${text}\n</system>` })
}

/** A system message is text; its media follow in a user message. */
function systemPart(part: Part, draft: Draft): Body | undefined {
  if (part.kind === 'text') return writeText(part, draft)
  if (part.kind === 'native') return writeNative(part, draft)
  if (part.kind === 'media') {
    draft.losses.adapted('turns.media', 'System messages of this upstream only contain text: media follow in a user message.')
    const written = writePart(part, draft)
    if (written) draft.hoisted.push(written)
  }
  return undefined
}

function writeUser(turn: Turn, draft: Draft): void {
  const parts = turn.parts.map((part) => writeKind(part, userParts, draft)).filter((part) => part !== undefined)
  // Nothing that this dialect has: the user did not say nothing.
  if (parts.length === 0 && turn.parts.length > 0) return
  const content = plain(parts)
  draft.messages.push({ role: 'user', content, ...(turn.name !== undefined && { name: turn.name }) })
}

const userParts: KindWriters<Part, Draft, Body | undefined> = {
  text: writePart,
  media: writePart,
  native: writePart,
  // A user's refusal is plain text.
  refusal: ({ text }: WrittenFields<RefusalPart, { text: 'written' }>) => ({ type: 'text', text }),
  // Results have become messages before.
  result: notNeeded,
  reasoning: onlyFromModel('turns.reasoning'),
  call: onlyFromModel('turns.call'),
}

/** Parts that only a model produces, if another dialect has them in a user turn. */
function onlyFromModel(field: string): (_: unknown, draft: Draft) => undefined {
  return (_, { losses }) => {
    losses.dropped(field, 'In this dialect only the model can produce this.')
    return undefined
  }
}

const resultWriters: FieldWriters<ResultPart, Draft> = {
  callId: (callId, { ids }) => ({ tool_call_id: ids.out(callId) }),
  parts: (_, draft, result) => ({ content: writeTexts(resultTexts(result, draft), draft) }),
  isError: writtenElsewhere,
  cache: writtenElsewhere,
  // The upstream knows both from the call itself.
  name: notNeeded,
  form: notNeeded,
}

function writeResult(result: ResultPart, draft: Draft): void {
  draft.messages.push({ role: 'tool', ...writeFields(result, resultWriters, draft) })
  draft.waiting.delete(result.callId)
}

/** The texts of a result, at least one; its media wait for a message of their own. */
function resultTexts(result: ResultPart, draft: Draft): TextPart[] {
  const texts: TextPart[] = []
  for (const part of result.parts) {
    if (part.kind === 'text') texts.push(part)
    else if ('text' in part.source) texts.push({ kind: 'text', text: `${part.title ?? part.name ?? 'Document'}\n\n${part.source.text}` })
    else hoist(part, draft)
  }
  if (texts.length === 0) texts.push({ kind: 'text', text: placeholder(result) })
  const [first] = texts
  if (result.isError && first) {
    draft.losses.adapted('result.isError', 'The upstream has no flag for a failed tool: the text says it.')
    texts[0] = { ...first, text: `Error: ${first.text}` }
  }
  const last = texts.at(-1)
  if (result.cache && last) texts[texts.length - 1] = { ...last, cache: last.cache ?? result.cache }
  return texts
}

function hoist(part: MediaPart, draft: Draft): void {
  draft.losses.adapted('result.media', 'The upstream takes only text in a tool result: media follow in a user message.')
  const written = writePart(part, draft)
  if (written) draft.hoisted.push(written)
}

const placeholder = ({ parts: [first] }: ResultPart) => (first?.kind === 'media' ? `[${first.media}]` : '(no output)')
