/** Writes a reply of the demo model as a Chat response, whole or streamed. */
import type { DemoPrompt, DemoReply } from './prompt.ts'
import { outputTokens } from './reply.ts'

/** The fields common to all objects of one answer. */
export interface ChatStamp {
  id: string
  /** Seconds since the epoch. */
  created: number
  /** One per tool call of a choice. */
  callId(choice: number, call: number): string
}

/** An answer to write. */
export interface ChatAnswer {
  prompt: DemoPrompt
  reply: DemoReply
  /** Number of choices, all identical. */
  n: number
  stamp: ChatStamp
}

/** A piece of a stream; `paced` ones are delayed to reading speed. */
export interface Piece {
  text: string | Uint8Array
  paced: boolean
}

const head = ({ stamp }: ChatAnswer, object: string) => ({ id: stamp.id, object, created: stamp.created, model: 'parley-demo' })

function usageOf({ prompt, reply, n }: ChatAnswer) {
  const { total, reasoning } = outputTokens(reply)
  return {
    prompt_tokens: prompt.inputTokens,
    completion_tokens: total * n,
    total_tokens: prompt.inputTokens + total * n,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning * n },
  }
}

/** The whole answer as JSON. */
export function writeWhole(answer: ChatAnswer): string {
  const { reply, n, stamp } = answer
  const choices = Array.from({ length: n }, (_, index) => ({
    index,
    message: {
      role: 'assistant',
      content: reply.calls.length > 0 ? null : reply.text,
      refusal: null,
      ...(reply.reasoning !== '' && { reasoning_content: reply.reasoning }),
      ...(reply.calls.length > 0 && {
        tool_calls: reply.calls.map((call, number) => ({
          id: stamp.callId(index, number),
          type: 'function',
          function: { name: call.tool, arguments: call.arguments },
        })),
      }),
    },
    logprobs: null,
    finish_reason: reply.finish,
  }))
  return JSON.stringify({ ...head(answer, 'chat.completion'), choices, usage: usageOf(answer) })
}

/** The answer as server-sent events: role, reasoning, content or calls, finish, usage if requested, terminator. */
export function* writeStream(answer: ChatAnswer, usageAsked: boolean): Generator<Piece> {
  const { reply, n, stamp } = answer
  const event = (fields: object): string =>
    `data: ${JSON.stringify({ ...head(answer, 'chat.completion.chunk'), ...fields, ...(usageAsked && !('usage' in fields) && { usage: null }) })}\n\n`
  /** The same delta for every choice, one event each. */
  const step = (delta: (choice: number) => object, finish: string | null, paced: boolean): Piece => ({
    text: Array.from({ length: n }, (_, index) =>
      event({ choices: [{ index, delta: delta(index), logprobs: null, finish_reason: finish }] }),
    ).join(''),
    paced,
  })

  yield step(() => ({ role: 'assistant', content: reply.calls.length > 0 ? null : '' }), null, false)
  for (const word of wordsOf(reply.reasoning)) yield step(() => ({ reasoning_content: word }), null, true)
  for (const word of wordsOf(reply.text)) yield step(() => ({ content: word }), null, true)
  for (const [index, call] of reply.calls.entries()) {
    const opening = (choice: number) => ({
      index,
      id: stamp.callId(choice, index),
      type: 'function',
      function: { name: call.tool, arguments: '' },
    })
    yield step((choice) => ({ tool_calls: [opening(choice)] }), null, true)
    for (const part of wordsOf(call.arguments)) yield step(() => ({ tool_calls: [{ index, function: { arguments: part } }] }), null, true)
  }
  yield step(() => ({}), reply.finish, false)
  if (usageAsked) yield { text: event({ choices: [], usage: usageOf(answer) }), paced: false }
  yield { text: 'data: [DONE]\n\n', paced: false }
}

/** Words with their trailing space; single characters in scripts without spaces. Concatenated they give the text. */
const wordsOf = (text: string): string[] => (text === '' ? [] : text.split(/(?<=\s)(?=\S)|(?<=[\u3000-\u9fff\uff00-\uffef])/u))
