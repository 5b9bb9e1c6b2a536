/** The work of the codec benchmark: a long conversation read and written in every dialect, and a long answer streamed between them. */
import type { ConversationRequest, Turn } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { noUsage } from '#canonical/usage'
import { conversationCodecs } from '#protocols/index'
import { type Dialect, dialects } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { attempt, noMemo, testPen, written } from './codec-runs.ts'
import { assistant, call, conversation, look, result, results, text, user } from './conversation.ts'

export { dialects }

const messages = 200
const path = 'asked:generateContent'
const words = 'The quick brown fox jumps over the lazy dog, and then it does so once more. '

/** 200 messages of about 300 bytes; every tenth is a tool's result, and the one before it its call. */
function turns(): Turn[] {
  return Array.from({ length: messages }, (_, index): Turn => {
    const said = text(`${index}. ${words.repeat(3)}`)
    if (index % 10 === 7) return assistant(said, call(`call_${index}`, JSON.stringify({ query: words })))
    if (index % 10 === 8) return results(result(`call_${index - 1}`, said))
    return index % 2 === 0 ? user(said) : assistant(said)
  })
}

/** A client's request: the conversation, or for Completions, which has none, one text of the same length. */
function asked(dialect: Dialect): ConversationRequest {
  if (dialect === 'completions') return conversation({ dialect, turns: [user(text(words.repeat(messages * 3.5)))] })
  const long = conversation({ dialect, turns: turns(), tools: [look], stream: true })
  return { ...long, output: { ...long.output, maxTokens: 1024 }, sampling: { temperature: 0.5 } }
}

/** One thing to measure; `units` is the number of units in a single `run`. */
export interface Lap {
  run(): void
  units: number
}

/** The body of a client's request. */
export const bodyFor = (client: Dialect) => written(conversationCodecs[client], asked(client)).body

/** Reading a client's scanned body of 60 KB, and writing it for an upstream if one is named. Undefined where it cannot be written. */
export function requestLap(client: Dialect, upstream?: Dialect): Lap | undefined {
  const codec = conversationCodecs[client]
  const body = codec.scan(JSON.stringify(bodyFor(client)))
  if (upstream === undefined) return { run: () => codec.readRequest(body, path), units: 1 }
  const writer = conversationCodecs[upstream]
  if (attempt(() => written(writer, codec.readRequest(body, path))) instanceof Error) return undefined
  return { run: () => written(writer, codec.readRequest(body, path)), units: 1 }
}

/** An answer of 400 pieces: text, and a tool call where the dialect has any. */
function answer(dialect: Dialect): ConversationEvent[] {
  const piece = (at: number, said: string): ConversationEvent => ({ kind: 'delta', choice: 0, at, delta: { text: said } })
  const run = (at: number, length: number, said: string) => Array.from({ length }, () => piece(at, said))
  const args = ['{"query":"', ...Array.from({ length: 98 }, () => 'piece '), '"}'].map((said) => piece(1, said))
  const calls: ConversationEvent[] = [
    { kind: 'open', choice: 0, at: 1, part: { kind: 'call', callId: 'call_1', name: 'look', form: 'json' } },
    ...args,
    { kind: 'close', choice: 0, at: 1 },
  ]
  return [
    { kind: 'start', id: 'answer', model: 'asked', created: 1_764_000_000 },
    { kind: 'open', choice: 0, at: 0, part: { kind: 'text' } },
    ...run(0, 300, 'a piece of it, '),
    { kind: 'close', choice: 0, at: 0 },
    ...(dialect === 'completions' ? [] : calls),
    { kind: 'usage', usage: { ...noUsage(), provenance: 'provider' } },
    { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } },
    { kind: 'end' },
  ]
}

/** Reading an upstream's stream, frame by frame, and writing its events for a client if one is named. */
export function streamLap(upstream: Dialect, client?: Dialect): Lap {
  const asker = conversationCodecs[upstream].writer(conversation({ dialect: upstream, stream: true }), testPen())
  const splitter = createSseSplitter()
  const frames = [...answer(upstream).flatMap((event) => splitter.push(asker.push(event))), ...splitter.end()]
  const run = () => {
    const reader = conversationCodecs[upstream].reader(noMemo, testPen())
    const writer = client && conversationCodecs[client].writer(conversation({ dialect: client, stream: true }), testPen())
    for (const frame of frames) for (const event of reader.push(frame)) writer?.push(event)
    for (const event of reader.end(undefined)) writer?.push(event)
  }
  return { run, units: frames.length }
}
