/** What a client understands of the bytes it was given, read as its dialect's documents say; knows nothing of the codecs. */
import type { Spoken } from './answer-text.ts'

export interface Heard {
  /** Everything that was said. */
  text: string
  /** Terminators and errors, at most one of each in a good stream. */
  ended: boolean
  failed: boolean
  /** What is wrong with the bytes; empty when they are well-formed as far as they go. */
  wrong: string[]
}

interface Event {
  name: string | undefined
  data: string
}

/** Complete events only, and whether bytes are left over. */
function eventsOf(text: string): { events: Event[]; rest: string } {
  const blocks = text.split('\n\n')
  const rest = blocks.pop() ?? ''
  const events = blocks.flatMap((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'))
    const field = (name: string) =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim()
    const data = field('data')
    return data === undefined ? [] : [{ name: field('event'), data }]
  })
  return { events, rest }
}

function fieldsOf(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** A value deep inside, by its path. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined
  return found
}

function hearChat(events: readonly Event[], heard: Heard): void {
  for (const { data } of events) {
    if (heard.ended) heard.wrong.push('something after [DONE]')
    if (data === '[DONE]') {
      heard.ended = true
      continue
    }
    const fields = fieldsOf(data)
    if (!fields) heard.wrong.push('an event that is no JSON')
    else if (heard.failed) heard.wrong.push('something between the error and [DONE]')
    else if (fields.error !== undefined) heard.failed = true
    else if (!Array.isArray(fields.choices)) heard.wrong.push('an event without choices')
    else heard.text += String(at(fields.choices, 0, 'delta', 'content') ?? '')
  }
}

/** What may follow what. */
const inOrder: Record<string, RegExp> = {
  message_start: /^$/,
  content_block_start: /^(message_start|content_block_stop)$/,
  content_block_delta: /^content_block_(start|delta)$/,
  content_block_stop: /^content_block_(start|delta)$/,
  message_delta: /^(message_start|content_block_stop|message_delta)$/,
  message_stop: /^message_delta$/,
}

function hearMessages(events: readonly Event[], heard: Heard): void {
  let last = ''
  for (const { name, data } of events) {
    if (heard.ended) heard.wrong.push('something after the end')
    const fields = fieldsOf(data)
    const type = String(fields?.type)
    if (!fields || type !== name) heard.wrong.push('an event whose name is not its type')
    if (type === 'ping') continue
    if (type === 'error') {
      heard.failed = true
      heard.ended = true
      continue
    }
    if (!inOrder[type]?.test(last)) heard.wrong.push(`${type} after ${last || 'nothing'}`)
    last = type
    if (type === 'content_block_delta') heard.text += String(at(fields, 'delta', 'text') ?? '')
    if (type === 'message_stop') heard.ended = true
  }
}

export function hearStream(spoken: Spoken, bytes: string): Heard {
  const heard: Heard = { text: '', ended: false, failed: false, wrong: [] }
  const { events, rest } = eventsOf(bytes)
  if (rest !== '') heard.wrong.push('half an event')
  if (spoken === 'chat') hearChat(events, heard)
  else hearMessages(events, heard)
  return heard
}

export function hearWhole(spoken: Spoken, body: string): Heard {
  const fields = fieldsOf(body)
  const text = spoken === 'chat' ? at(fields, 'choices', 0, 'message', 'content') : wordsIn(at(fields, 'content'))
  const wrong = fields && (typeof text === 'string' || text === null) ? [] : ['an answer that is none']
  return { text: String(text ?? ''), ended: true, failed: false, wrong }
}

const wordsIn = (parts: unknown): unknown =>
  Array.isArray(parts) ? parts.map((part) => String(at(part, 'text') ?? '')).join('') : undefined
