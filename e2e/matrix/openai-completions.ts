/** The openai SDK over legacy Completions: one text in, one text out. */
import OpenAI from 'openai'
import type { Answer, Ask, Client, Fault, Question } from './dialogue.ts'
import { openaiFault } from './openai-fault.ts'

/** The SDK ends its loop silently when the caller aborts. */
class Left extends Error {}

const faultOf = (thrown: unknown): Fault => (thrown instanceof Left ? { kind: 'left' } : openaiFault(OpenAI, thrown))

export const openaiCompletions: Client = { dialect: 'completions', faultOf, words: { refusal: 'filter' }, connect }

function connect(url: string, key: string): Ask {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })
  return async (question) => {
    const body = bodyOf(question)
    const signal = question.signal ?? null
    if (!question.stream) return answerOf(await client.completions.create(body, { signal }))
    const stream = await client.completions.create({ ...body, stream: true, stream_options: { include_usage: true } }, { signal })
    const answer: Answer = answerOf(undefined)
    for await (const chunk of stream) {
      const { text, ending, usage } = answerOf(chunk)
      answer.text += text
      if (text !== '') question.onText?.(text)
      if (ending !== 'none') answer.ending = ending
      if (chunk.usage) answer.usage = usage
    }
    if (signal?.aborted) throw new Left()
    return answer
  }
}

function bodyOf({ model, turns, stop, limit }: Question): OpenAI.CompletionCreateParamsNonStreaming {
  const [turn, ...more] = turns
  if (turn === undefined || !('user' in turn) || more.length > 0) throw new Error('this dialect only supports one prompt')
  return { model, prompt: turn.user, ...(stop !== undefined && { stop }), ...(limit !== undefined && { max_tokens: limit }) }
}

const endings = { stop: 'stop', length: 'length', content_filter: 'filter' } as const

function answerOf(completion: OpenAI.Completion | undefined): Answer {
  const choice = completion?.choices[0]
  const usage = completion?.usage
  return {
    text: choice?.text ?? '',
    thought: '',
    calls: [],
    // Earlier chunks have null here, which the SDK's types do not mention.
    ending: (choice?.finish_reason && endings[choice.finish_reason]) ?? 'none',
    usage: {
      in: usage?.prompt_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      out: usage?.completion_tokens ?? -1,
    },
    own: undefined,
  }
}
