/** Reads an answer as a conversation, in the format in which a client got it: text, tool calls, and why it ended. Pure. */

import type { CodecContext, Memo } from '#canonical/codec'
import type { ConversationResponse, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { WordingName } from '#canonical/wording'
import { conversationCodecs } from '#protocols/index'
import { wordingOf } from '#protocols/wordings'
import type { ReplayAnswer } from '#shared/console/replay'
import { parseExact } from '#shared/exact-numbers'
import type { Dialect } from '#shared/ids'
import { createSseSplitter, type Frame } from '#shared/sse'
import type { Spoken } from './spoken.ts'

/** Most bytes of an answer to read: more would block other requests. */
const mostBytes = 1024 * 1024

const memo: Memo = { toolNames: {}, wrappedTools: [] }
/** Ids and times of an answer that is only compared are of no interest. */
const context: CodecContext = { now: () => 0, id: (prefix) => prefix }

/** Undefined for anything that is not an answer in this format, or is too long to be read here. */
export function answerOf({ dialect, wording }: Spoken, status: number, body: Uint8Array): ReplayAnswer | undefined {
  if (body.byteLength > mostBytes) return undefined
  return wording ? worded(wording, body) : inDialect(dialect, status, body)
}

function worded(wording: WordingName, body: Uint8Array): ReplayAnswer | undefined {
  try {
    return wordingOf(wording).readComparable?.(body)
  } catch {
    return undefined
  }
}

function inDialect(dialect: Dialect, status: number, body: Uint8Array): ReplayAnswer | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
  try {
    if (status >= 400) return refusalIn(text)
    if (isEvents(text)) return ofEvents(dialect, framesOf(body))
    if (dialect === 'gemini' && text.trimStart().startsWith('[')) return ofEvents(dialect, framesOfArray(text))
    return ofWhole(conversationCodecs[dialect].readResponse(text, memo, context))
  } catch {
    return undefined
  }
}

const isEvents = (text: string) => /^\s*(?:event|data|id|retry|):/.test(text)

function framesOf(body: Uint8Array): Frame[] {
  const splitter = createSseSplitter()
  return [...splitter.push(body), ...splitter.end()]
}

/** The events of a stream that was sent as one JSON array. */
function framesOfArray(text: string): Frame[] {
  const values = parseExact(text)
  if (!Array.isArray(values)) return []
  return values.map((value) => ({ raw: new Uint8Array(), event: undefined, data: JSON.stringify(value) }))
}

function refusalIn(text: string): ReplayAnswer | undefined {
  const { error } = JSON.parse(text) as { error?: { code?: unknown; type?: unknown; status?: unknown; message?: unknown } }
  if (typeof error !== 'object' || error === null) return undefined
  const code = [error.code, error.type, error.status].find((one) => typeof one === 'string') ?? 'error'
  return { text: '', calls: [], finish: null, error: { code: String(code), message: String(error.message ?? '') } }
}

function ofWhole({ choices }: ConversationResponse): ReplayAnswer {
  const parts = choices.flatMap((choice) => choice.parts)
  return {
    text: parts.map(textOf).filter(Boolean).join('\n\n'),
    calls: parts.flatMap(callOf),
    finish: choices[0]?.finish.reason ?? null,
    error: null,
  }
}

function textOf(part: Part): string {
  return part.kind === 'text' || part.kind === 'refusal' ? part.text : ''
}

const callOf = (part: Part) => (part.kind === 'call' ? [{ name: part.name, args: part.argsText }] : [])

interface Open {
  kind: string
  name: string
  text: string
}

function ofEvents(dialect: Dialect, frames: readonly Frame[]): ReplayAnswer {
  const reader = conversationCodecs[dialect].reader(memo, context)
  const events: ConversationEvent[] = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
  const parts = new Map<string, Open>()
  let finish: string | null = null
  let error: ReplayAnswer['error'] = null
  for (const event of events) {
    if (event.kind === 'open') {
      parts.set(`${event.choice}.${event.at}`, { kind: event.part.kind, name: event.part.kind === 'call' ? event.part.name : '', text: '' })
    } else if (event.kind === 'delta') {
      const part = parts.get(`${event.choice}.${event.at}`)
      if (part && 'text' in event.delta) part.text += event.delta.text
    } else if (event.kind === 'finish') finish ??= event.finish.reason
    else if (event.kind === 'error') error = { code: event.error.code, message: event.error.message }
  }
  const all = [...parts.values()]
  const texts = all.filter(({ kind, text }) => (kind === 'text' || kind === 'refusal') && text !== '')
  return {
    text: texts.map(({ text }) => text).join('\n\n'),
    calls: all.filter(({ kind }) => kind === 'call').map(({ name, text }) => ({ name, args: text })),
    ...{ finish, error },
  }
}
