/** Parses the bytes that a client received, following the vendors' documentation and independent of Parley's codecs. */
import type { WireName } from './answer-text.ts'

/** An answer as the client understood it. */
export interface ReceivedAnswer {
  /** The complete text. */
  text: string
  /** A partial image not followed by the finished one yet; empty = none. */
  partialImage: string
  /** Terminators and errors; a well-formed stream has at most one of each. */
  ended: boolean
  failed: boolean
  /** Format errors; empty if the bytes are well-formed as far as they go. */
  wrong: string[]
}

interface Event {
  name: string | undefined
  data: string
}

/** The complete events, and the bytes left over. */
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

/** The value at this path, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, step) : undefined
  return found
}

function readChat(events: readonly Event[], answer: ReceivedAnswer): void {
  for (const { data } of events) {
    if (answer.ended) answer.wrong.push('an event after [DONE]')
    if (data === '[DONE]') {
      answer.ended = true
      continue
    }
    const fields = fieldsOf(data)
    if (!fields) answer.wrong.push('an event that is no JSON')
    else if (answer.failed) answer.wrong.push('something between the error and [DONE]')
    else if (fields.error !== undefined) answer.failed = true
    else if (!Array.isArray(fields.choices)) answer.wrong.push('an event without choices')
    else answer.text += String(at(fields.choices, 0, 'delta', 'content') ?? '')
  }
}

/** The event types that may precede each type. */
const inOrder: Record<string, RegExp> = {
  message_start: /^$/,
  content_block_start: /^(message_start|content_block_stop)$/,
  content_block_delta: /^content_block_(start|delta)$/,
  content_block_stop: /^content_block_(start|delta)$/,
  message_delta: /^(message_start|content_block_stop|message_delta)$/,
  message_stop: /^message_delta$/,
}

function readMessages(events: readonly Event[], answer: ReceivedAnswer): void {
  let last = ''
  for (const { name, data } of events) {
    if (answer.ended) answer.wrong.push('something after the end')
    const fields = fieldsOf(data)
    const type = String(fields?.type)
    if (!fields || type !== name) answer.wrong.push('an event whose name is not its type')
    if (type === 'ping') continue
    if (type === 'error') {
      answer.failed = true
      answer.ended = true
      continue
    }
    if (!inOrder[type]?.test(last)) answer.wrong.push(`${type} after ${last || 'nothing'}`)
    last = type
    if (type === 'content_block_delta') answer.text += String(at(fields, 'delta', 'text') ?? '')
    if (type === 'message_stop') answer.ended = true
  }
}

function readResponses(events: readonly Event[], answer: ReceivedAnswer): void {
  let sequence = -1
  for (const { name, data } of events) {
    if (answer.ended) answer.wrong.push('something after the end')
    const fields = fieldsOf(data)
    const type = String(fields?.type)
    if (!fields || type !== name) answer.wrong.push('an event whose name is not its type')
    if (sequence < 0 && type !== 'response.created' && type !== 'error') answer.wrong.push(`${type} before response.created`)
    const number = Number(at(fields, 'sequence_number'))
    if (type !== 'error' && !(number > sequence)) answer.wrong.push('a sequence number that does not increase')
    sequence = number
    if (type === 'response.output_text.delta') answer.text += String(at(fields, 'delta') ?? '')
    answer.failed ||= type === 'error' || type === 'response.failed'
    answer.ended ||= answer.failed || type === 'response.completed' || type === 'response.incomplete'
  }
}

function readGemini(events: readonly Event[], answer: ReceivedAnswer): void {
  for (const { data } of events) {
    const fields = fieldsOf(data)
    if (!fields) answer.wrong.push('an event that is no JSON')
    else if (answer.failed) answer.wrong.push('an event after the error')
    else if (fields.error !== undefined) answer.failed = true
    const said = String(at(fields, 'candidates', 0, 'content', 'parts', 0, 'text') ?? '')
    if (answer.ended && said !== '') answer.wrong.push('text after the end')
    answer.text += said
    answer.ended ||=
      answer.failed || at(fields, 'candidates', 0, 'finishReason') !== undefined || at(fields, 'promptFeedback') !== undefined
  }
}

/** A stream ends with the connection after a finished image; errors have the form of Chat. */
function readImages(events: readonly Event[], answer: ReceivedAnswer): void {
  for (const { name, data } of events) {
    const fields = fieldsOf(data)
    const picture = String(at(fields, 'b64_json') ?? '')
    if (answer.failed) {
      if (data !== '[DONE]') answer.wrong.push('something between the error and [DONE]')
    } else if (fields?.error !== undefined) answer.failed = true
    else if (!fields || fields.type !== name) answer.wrong.push('an event whose name is not its type')
    else if (answer.partialImage !== '' && picture !== answer.partialImage) answer.wrong.push('a different image from the partial one')
    else if (name === 'image_generation.partial_image') answer.partialImage = picture
    else {
      answer.text += picture
      answer.partialImage = ''
    }
    answer.ended = answer.failed || (answer.text !== '' && answer.partialImage === '')
  }
}

/** Embeddings are never streamed. */
const readNothing = (): void => undefined

const streams: Readonly<Record<WireName, (events: readonly Event[], answer: ReceivedAnswer) => void>> = {
  chat: readChat,
  messages: readMessages,
  responses: readResponses,
  gemini: readGemini,
  images: readImages,
  embeddings: readNothing,
  embedContent: readNothing,
  geminiImages: readNothing,
}

/** Parses a stream in this format, complete or not. */
export function parseStream(wire: WireName, bytes: string): ReceivedAnswer {
  const answer: ReceivedAnswer = { text: '', partialImage: '', ended: false, failed: false, wrong: [] }
  const { events, rest } = eventsOf(bytes)
  if (rest !== '') answer.wrong.push('an incomplete event')
  streams[wire](events, answer)
  return answer
}

/** Parses an answer that is not streamed. */
export function parseWhole(wire: WireName, body: string): ReceivedAnswer {
  const fields = fieldsOf(body)
  const text = fields && wholes[wire](fields)
  const wrong = typeof text === 'string' || text === null ? [] : ['a malformed answer']
  return { text: String(text ?? ''), partialImage: '', ended: true, failed: false, wrong }
}

/** The text of a whole answer; neither a string nor null if it is malformed. */
const wholes: Readonly<Record<WireName, (answer: unknown) => unknown>> = {
  chat: (answer) => at(answer, 'choices', 0, 'message', 'content'),
  messages: (answer) => wordsIn(at(answer, 'content')),
  responses: (answer) => joined(at(answer, 'output'), (item) => wordsIn(at(item, 'content'))),
  gemini: (answer) => wordsIn(at(answer, 'candidates', 0, 'content', 'parts') ?? []),
  embeddings: (answer) => joined(at(answer, 'data'), (item) => wordOf(at(item, 'embedding'))),
  embedContent: (answer) => joined(at(answer, 'embeddings'), (item) => wordOf(at(item, 'values'))),
  images: (answer) => joined(at(answer, 'data'), (item) => at(item, 'b64_json')),
  geminiImages: () => undefined,
}

const joined = (list: unknown, read: (one: unknown) => unknown): unknown =>
  Array.isArray(list) ? list.map((one) => String(read(one) ?? '')).join('') : undefined

const wordsIn = (parts: unknown): unknown => joined(parts, (part) => at(part, 'text'))

/** A vector encodes its word in its first two numbers. */
const wordOf = (vector: unknown): string => `<${at(vector, 0)}.${at(vector, 1)}>`
