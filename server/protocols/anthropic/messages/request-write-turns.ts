/**
 * Turns as messages. Neighbours of one role are one message; results of tools come first in the message after their calls, in the order of
 * the calls; anything that the vendor would refuse is refused here, so that another candidate can be tried.
 */
import type { Turn } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Json } from '../frame.ts'
import { assistantBlocks, userBlocks } from './request-write-blocks.ts'
import type { RequestContext } from './request-write-context.ts'

/** A message on its way to the wire. */
export interface Message {
  role: 'user' | 'assistant' | 'system'
  content: Json[]
  /** Of the first turn in it. */
  path: string | undefined
}

/** The messages, in an order that the vendor accepts. Throws GatewayError `unsupported_value`. */
export function writeTurns(turns: readonly Turn[], writing: RequestContext): Message[] {
  const messages: Message[] = []
  const next = nextSpeakers(turns)
  for (const [index, turn] of turns.entries()) addTurn(messages, turn, next[index], writing)
  const refuse = (reason: string, message?: Message) => cannotCarry(writing.request, 'turns', reason, message?.path)

  const [first] = messages
  if (!first) throw refuse('This upstream needs at least one message besides instructions.')
  if (first.role === 'assistant') throw refuse('This upstream needs a message of the user before one of the assistant.', first)
  ownIds(messages)
  messages.forEach((message, index) => {
    if (message.content.length === 0) throw refuse('A message has no content.', message)
    pair(message, messages[index + 1], refuse)
    if (message.role === 'user') refuseStrays(message, messages[index - 1], refuse)
  })
  finishPrefill(messages, writing, refuse)
  return messages
}

/** The next role after each turn, ignoring system turns. */
function nextSpeakers(turns: readonly Turn[]): (Turn['role'] | undefined)[] {
  let speaker: Turn['role'] | undefined
  return turns
    .toReversed()
    .map(({ role }) => {
      const after = speaker
      if (role !== 'system') speaker = role
      return after
    })
    .reverse()
}

function addTurn(messages: Message[], turn: Turn, next: Turn['role'] | undefined, writing: RequestContext): void {
  const last = messages.at(-1)
  // The vendor takes a system message after one of the user, at the end or before one of the assistant.
  const isPlaced = (last?.role === 'user' || last?.role === 'system') && (next === undefined || next === 'assistant')
  const { role, content } = messageOf(turn, isPlaced, writing)
  // A user message is kept even when nothing of it can be written: leaving it out would change the conversation.
  if (content.length === 0 && role !== 'user') return
  if (last?.role === role) for (const block of content) last.content.push(block)
  else messages.push({ role, content, path: turn.path })
}

const turnWriters: FieldWriters<Turn, RequestContext> = {
  name: leavesOut('turns.name', 'Messages have no names on this upstream.'),
  // There is one kind of system message here.
  developer: notNeeded,
  role: writtenElsewhere,
  parts: writtenElsewhere,
  path: writtenElsewhere,
}

function messageOf(turn: Turn, isPlaced: boolean, writing: RequestContext): Pick<Message, 'role' | 'content'> {
  writeFields(turn, turnWriters, writing)
  if (turn.role === 'assistant') return { role: 'assistant', content: assistantBlocks(turn.parts, writing) }
  const content = userBlocks(turn.parts, writing)
  if (turn.role !== 'system') return { role: 'user', content }
  if (content.length === 0) return { role: 'system', content }
  if (isPlaced && writing.target.capabilities.noSystemTurns !== true) return { role: 'system', content }
  writing.losses.adapted('turns.system', 'A system message in the middle became a marked part of the user’s message.')
  return { role: 'user', content: content.map(tagged) }
}

const tagged = (block: Json): Json => (block.type === 'text' ? { ...block, text: `<system>\n${block.text}\n</system>` } : block)

type Refuse = (reason: string, message?: Message) => Error

const idsOf = (message: Message | undefined, type: string, key: string): unknown[] =>
  (message?.content ?? []).filter((block) => block.type === type).map((block) => block[key])

/** Gives every call and its result a unique id, as the vendor requires: some services restart call ids in each turn. */
function ownIds(messages: readonly Message[]): void {
  const taken = new Set<unknown>()
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue
    const results = (messages[index + 1]?.content ?? []).filter(({ type }) => type === 'tool_result')
    for (const call of message.content.filter(({ type }) => type === 'tool_use')) {
      const answer = results.findIndex((block) => block.tool_use_id === call.id)
      const [result] = answer < 0 ? [] : results.splice(answer, 1)
      let own = call.id
      for (let number = 2; taken.has(own); number++) own = `${call.id}_${number}`
      taken.add(own)
      call.id = own
      if (result) result.tool_use_id = own
    }
  }
}

/** Brings the results of an assistant's calls to the front of the next message, in the order of the calls. */
function pair(message: Message, next: Message | undefined, refuse: Refuse): void {
  if (message.role !== 'assistant') return
  const calls = idsOf(message, 'tool_use', 'id')
  if (calls.length === 0) return
  const results = new Map<unknown, Json>()
  for (const block of next?.content ?? []) if (block.type === 'tool_result') results.set(block.tool_use_id, block)
  const ordered = calls.map((id) => results.get(id))
  if (next?.role !== 'user' || !ordered.every((block) => block !== undefined)) throw refuse('A tool call has no result.', message)
  const answered = new Set(calls)
  next.content = [...ordered, ...next.content.filter((block) => block.type !== 'tool_result' || !answered.has(block.tool_use_id))]
}

function refuseStrays(message: Message, before: Message | undefined, refuse: Refuse): void {
  const calls = new Set(before?.role === 'assistant' ? idsOf(before, 'tool_use', 'id') : [])
  const isStray = idsOf(message, 'tool_result', 'tool_use_id').some((id) => !calls.has(id))
  if (isStray) throw refuse('A tool result belongs to no call of the message before it.', message)
}

/** A last message of the assistant is the beginning of the answer: it must not end in white space. */
function finishPrefill(messages: Message[], { target }: RequestContext, refuse: Refuse): void {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return
  if (target.capabilities.prefillRefused === true) throw refuse('This model does not continue a message of the assistant.', last)
  const block = last.content.at(-1)
  if (block?.type !== 'text' || typeof block.text !== 'string') return
  const text = block.text.trimEnd()
  if (text === '') last.content.pop()
  else last.content[last.content.length - 1] = { ...block, text }
  if (last.content.length === 0) messages.pop()
}

/** True when the model is in the middle of calling tools and its thoughts before those calls are missing. */
export function lostThinking(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const blocks = messages[last]?.content ?? []
  const isLoop = last < messages.length - 1 && blocks.some(({ type }) => type === 'tool_use') && hasResults(messages[last + 1])
  return isLoop && blocks[0]?.type !== 'thinking' && blocks[0]?.type !== 'redacted_thinking'
}

const hasResults = (message: Message | undefined) => message?.content.some(({ type }) => type === 'tool_result') === true
