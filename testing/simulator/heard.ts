/** What a client understands of the bytes it was given, read as its dialect's documents say; knows nothing of the codecs. */
import type { Spoken } from './answer-text.ts'

export interface Heard {
  /** Everything that was said. */
  text: string
  /** A picture that is to be seen and not finished; empty = none. */
  sketch: string
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

function hearResponses(events: readonly Event[], heard: Heard): void {
  let sequence = -1
  for (const { name, data } of events) {
    if (heard.ended) heard.wrong.push('something after the end')
    const fields = fieldsOf(data)
    const type = String(fields?.type)
    if (!fields || type !== name) heard.wrong.push('an event whose name is not its type')
    if (sequence < 0 && type !== 'response.created' && type !== 'error') heard.wrong.push(`${type} before response.created`)
    const number = Number(at(fields, 'sequence_number'))
    if (type !== 'error' && !(number > sequence)) heard.wrong.push('a number of an event that was there before')
    sequence = number
    if (type === 'response.output_text.delta') heard.text += String(at(fields, 'delta') ?? '')
    heard.failed ||= type === 'error' || type === 'response.failed'
    heard.ended ||= heard.failed || type === 'response.completed' || type === 'response.incomplete'
  }
}

function hearGemini(events: readonly Event[], heard: Heard): void {
  for (const { data } of events) {
    const fields = fieldsOf(data)
    if (!fields) heard.wrong.push('an event that is no JSON')
    else if (heard.failed) heard.wrong.push('something after the error')
    else if (fields.error !== undefined) heard.failed = true
    const said = String(at(fields, 'candidates', 0, 'content', 'parts', 0, 'text') ?? '')
    if (heard.ended && said !== '') heard.wrong.push('text after the end')
    heard.text += said
    heard.ended ||= heard.failed || at(fields, 'candidates', 0, 'finishReason') !== undefined || at(fields, 'promptFeedback') !== undefined
  }
}

/** A stream ends with the connection, after a finished picture; one that has failed says so in the words of Chat. */
function hearImages(events: readonly Event[], heard: Heard): void {
  for (const { name, data } of events) {
    const fields = fieldsOf(data)
    const picture = String(at(fields, 'b64_json') ?? '')
    if (heard.failed) {
      if (data !== '[DONE]') heard.wrong.push('something between the error and [DONE]')
    } else if (fields?.error !== undefined) heard.failed = true
    else if (!fields || fields.type !== name) heard.wrong.push('an event whose name is not its type')
    else if (heard.sketch !== '' && picture !== heard.sketch) heard.wrong.push('another picture than was begun')
    else if (name === 'image_generation.partial_image') heard.sketch = picture
    else {
      heard.text += picture
      heard.sketch = ''
    }
    heard.ended = heard.failed || (heard.text !== '' && heard.sketch === '')
  }
}

/** Embeddings come whole. */
const hearNothing = (): void => undefined

const streams: Readonly<Record<Spoken, (events: readonly Event[], heard: Heard) => void>> = {
  chat: hearChat,
  messages: hearMessages,
  responses: hearResponses,
  gemini: hearGemini,
  images: hearImages,
  embeddings: hearNothing,
  embedContent: hearNothing,
  drawing: hearNothing,
}

export function hearStream(spoken: Spoken, bytes: string): Heard {
  const heard: Heard = { text: '', sketch: '', ended: false, failed: false, wrong: [] }
  const { events, rest } = eventsOf(bytes)
  if (rest !== '') heard.wrong.push('half an event')
  streams[spoken](events, heard)
  return heard
}

export function hearWhole(spoken: Spoken, body: string): Heard {
  const fields = fieldsOf(body)
  const text = fields && wholes[spoken](fields)
  const wrong = typeof text === 'string' || text === null ? [] : ['an answer that is none']
  return { text: String(text ?? ''), sketch: '', ended: true, failed: false, wrong }
}

/** What a whole answer says; neither text nor null where it is none. */
const wholes: Readonly<Record<Spoken, (answer: unknown) => unknown>> = {
  chat: (answer) => at(answer, 'choices', 0, 'message', 'content'),
  messages: (answer) => wordsIn(at(answer, 'content')),
  responses: (answer) => joined(at(answer, 'output'), (item) => wordsIn(at(item, 'content'))),
  gemini: (answer) => wordsIn(at(answer, 'candidates', 0, 'content', 'parts') ?? []),
  embeddings: (answer) => joined(at(answer, 'data'), (item) => wordOf(at(item, 'embedding'))),
  embedContent: (answer) => joined(at(answer, 'embeddings'), (item) => wordOf(at(item, 'values'))),
  images: (answer) => joined(at(answer, 'data'), (item) => at(item, 'b64_json')),
  drawing: () => undefined,
}

const joined = (list: unknown, read: (one: unknown) => unknown): unknown =>
  Array.isArray(list) ? list.map((one) => String(read(one) ?? '')).join('') : undefined

const wordsIn = (parts: unknown): unknown => joined(parts, (part) => at(part, 'text'))

/** A vector's numbers are those of its word. */
const wordOf = (vector: unknown): string => `<${at(vector, 0)}.${at(vector, 1)}>`
