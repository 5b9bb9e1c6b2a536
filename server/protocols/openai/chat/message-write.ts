/** Instructions and turns as Chat messages: results right behind their calls, their images after the last of them. */
import type { Instruction, MediaPart, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import type { ToolNames } from '#canonical/tool-names'
import type { Body } from '../fields.ts'
import { writeAssistant } from './assistant-write.ts'
import { type CallIds, callIds } from './call-ids.ts'
import { type SaidPart, type Writing, writeCache, writePart } from './part-write.ts'

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

/** Throws GatewayError `unsupported_value` when a part cannot be said, or a call was never answered. */
export function writeMessages(writing: Writing, names: ToolNames): Body[] {
  const draft: Draft = { ...writing, names, ids: callIds(), messages: [], hoisted: [], waiting: new Set(), askedAt: undefined }
  writeInstructions(draft)
  for (const turn of joinCalls(writing.request.turns)) writeTurn(turn, draft)
  settleCalls(draft)
  return draft.messages
}

/** Results must follow their calls at once, so what the assistant said next in a turn of its own joins the turn before. */
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

/** Neighbours of one role share a message, each block a part of its own: some upstreams take only one system message. */
function writeInstructions(draft: Draft): void {
  let blocks: TextPart[] = []
  let open: Instruction['role'] | undefined
  const flush = () => {
    if (open !== undefined) draft.messages.push({ role: open, content: writeTexts(blocks, draft) })
    blocks = []
  }
  for (const { role, text, cache } of draft.request.instructions) {
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
  losses.adapted('instructions.role', 'Many upstreams know only one role for instructions.')
  return 'system'
}

/** One plain text as itself, more than one or a marked one as parts. */
function writeTexts(parts: readonly TextPart[], draft: Draft): string | Body[] {
  const [only, ...others] = parts
  if (only === undefined) return ''
  if (others.length === 0 && (!only.cache || draft.target.capabilities.cacheMarksRefused)) return only.text
  return parts.map((part) => ({ type: 'text', text: part.text, ...writeCache(part.cache, draft) }))
}

function writeTurn(turn: Turn, draft: Draft): void {
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

/** What must stand before the next message: every call answered, and the media of the results. */
function settleCalls(draft: Draft): void {
  if (draft.waiting.size > 0) throw cannotCarry(draft.request, 'turns', 'A tool call has no result.', draft.askedAt)
  if (draft.hoisted.length > 0) draft.messages.push({ role: 'user', content: draft.hoisted })
  draft.hoisted = []
}

function writeSystem(turn: Turn, draft: Draft): void {
  const texts = turn.parts.filter((part) => part.kind === 'text')
  if (!draft.target.capabilities.noSystemTurns) {
    draft.messages.push({ role: roleOf(turn.developer === true, draft), content: writeTexts(texts, draft) })
    return
  }
  draft.losses.adapted('turns.system', 'This model takes system messages only at the beginning.')
  const text = texts.map((part) => part.text).join('\n\n')
  draft.messages.push({ role: 'user', content: `<system>\n${text}\n</system>` })
}

function writeUser(turn: Turn, draft: Draft): void {
  const parts: Body[] = []
  for (const part of turn.parts) {
    const written = isSaid(part) ? writePart(part, draft) : undefined
    if (written) parts.push(written)
  }
  const [only, ...others] = parts
  const isPlain = only !== undefined && others.length === 0 && only.type === 'text' && Object.keys(only).length === 2
  const content = isPlain ? only.text : parts.length > 0 ? parts : ''
  draft.messages.push({ role: 'user', content, ...(turn.name !== undefined && { name: turn.name }) })
}

const isSaid = (part: Turn['parts'][number]): part is SaidPart => part.kind === 'text' || part.kind === 'media' || part.kind === 'native'

function writeResult(result: ResultPart, draft: Draft): void {
  const texts: TextPart[] = []
  for (const part of result.parts) {
    if (part.kind === 'text') texts.push(part)
    else if ('text' in part.source) texts.push({ kind: 'text', text: `${part.title ?? part.name ?? 'Document'}\n\n${part.source.text}` })
    else hoist(part, draft)
  }
  if (texts.length === 0) texts.push({ kind: 'text', text: placeholder(result) })
  const [first] = texts
  if (result.isError && first) {
    draft.losses.adapted('result.isError', 'The upstream has no mark for a failed tool: the text says it.')
    texts[0] = { ...first, text: `Error: ${first.text}` }
  }
  const last = texts.at(-1)
  if (result.cache && last) texts[texts.length - 1] = { ...last, cache: last.cache ?? result.cache }
  draft.messages.push({ role: 'tool', tool_call_id: draft.ids.out(result.callId), content: writeTexts(texts, draft) })
  draft.waiting.delete(result.callId)
}

function hoist(part: MediaPart, draft: Draft): void {
  draft.losses.adapted('result.media', 'The upstream takes only text in a tool result: media follow in a user message.')
  const written = writePart(part, draft)
  if (written) draft.hoisted.push(written)
}

const placeholder = ({ parts: [first] }: ResultPart) => (first?.kind === 'media' ? `[${first.media}]` : '(no output)')
