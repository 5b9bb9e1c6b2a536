/**
 * The `ai` package with its providers: one API in front of five independent implementations of the dialects, stricter than the vendors'
 * SDKs in some respects and more lenient in others. The model's turns are returned as the messages that the SDK makes of them.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, jsonSchema, type LanguageModel, type ModelMessage, Output, streamText, tool } from 'ai'
import { type Answer, type Client, type Ending, type Fault, parametersOf, type Question, type Turn } from './dialogue.ts'

type Asking = Parameters<typeof generateText>[0]
type ProviderOptions = NonNullable<Asking['providerOptions']>

type Models = (name: string) => LanguageModel

interface Facts extends Omit<Client, 'faultOf' | 'connect'> {
  modelsAt: (url: string, key: string) => Models
  /** Provider options that the SDK would otherwise derive from a model name it knows. */
  options?: ProviderOptions
  /** The options for questions with thinking enabled, instead of `options`. */
  thinking: ProviderOptions
}

/** For tests only: silences warnings about unknown model names. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** How the SDK writes a tool result. */
const errorInJson = (_: string, text: string, failed: boolean) => (failed ? JSON.stringify({ error: text }) : text)
const named = (name: string, content: string, failed: boolean) => (failed ? content : JSON.stringify({ name, content }))

export const aiChat = clientOf({
  dialect: 'chat',
  modelsAt: (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat,
  thinking: { openai: { forceReasoning: true, reasoningEffort: 'medium' } },
  hidesThoughts: 'it reads no reasoning_content',
  wraps: errorInJson,
})

export const aiCompatible = clientOf({
  dialect: 'chat',
  modelsAt: (url, apiKey) =>
    createOpenAICompatible({ name: 'parley', baseURL: `${url}/v1`, apiKey, includeUsage: true, supportsStructuredOutputs: true }).chatModel,
  thinking: { parley: { reasoningEffort: 'medium' } },
  cannot: { 'image by URL': 'the SDK fetches the picture itself, from public addresses only, and sends its bytes' },
})

const reasoningModel = { store: false, forceReasoning: true }

export const aiResponses = clientOf({
  dialect: 'responses',
  modelsAt: (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses,
  options: { openai: reasoningModel },
  thinking: { openai: { ...reasoningModel, reasoningEffort: 'medium', reasoningSummary: 'auto' } },
  wraps: errorInJson,
})

export const aiMessages = clientOf({
  dialect: 'messages',
  modelsAt: (url, apiKey) => createAnthropic({ baseURL: `${url}/v1`, apiKey }),
  options: { anthropic: { structuredOutputMode: 'outputFormat' } },
  thinking: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
})

export const aiGemini = clientOf({
  dialect: 'gemini',
  modelsAt: (url, apiKey) => createGoogle({ baseURL: `${url}/v1beta`, apiKey }),
  thinking: { google: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'high' } } },
  // The SDK puts tool images in their proper field only for this family of model names.
  prefix: 'gemini-',
  words: { refusal: 'other' },
  wraps: named,
})

function clientOf(facts: Facts): Client {
  return {
    faultOf,
    words: { refusal: 'filter' },
    ...facts,
    connect(url, key) {
      const models = facts.modelsAt(url, key)
      return (question) => (question.stream ? streamed : whole)(askingOf(question, models, facts), question)
    },
  }
}

async function whole(asking: Asking): Promise<Answer> {
  const { text, reasoningText, toolCalls, finishReason, usage, response } = await generateText(asking)
  return answerOf(text, reasoningText, toolCalls, finishReason, usage, response.messages)
}

/** An error part of a stream, which the SDK does not throw. */
class ErrorPart extends Error {
  readonly part: unknown
  constructor(part: unknown) {
    super('the stream has an error part')
    this.part = part
  }
}
/** The part that the SDK emits when its caller aborts. */
class AbortPart extends Error {}

async function streamed(asking: Asking, { onText }: Question): Promise<Answer> {
  const result = streamText({ ...asking, onError: () => {} })
  let said = ''
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw APICallError.isInstance(part.error) ? part.error : new ErrorPart(part.error)
    if (part.type === 'abort') throw new AbortPart()
    if (part.type !== 'text-delta') continue
    said += part.text
    onText?.(part.text)
  }
  const { messages } = await result.response
  const answer = answerOf(said, await result.reasoningText, await result.toolCalls, await result.finishReason, await result.usage, messages)
  if (answer.text !== (await result.text)) throw new Error('the text differs from what was streamed')
  return answer
}

function faultOf(thrown: unknown): Fault {
  if (thrown instanceof AbortPart) return { kind: 'left' }
  if (thrown instanceof ErrorPart) return isProviderError(thrown.part) ? { kind: 'stream' } : { kind: 'unknown', thrown: thrown.part }
  if (APICallError.isInstance(thrown) && thrown.statusCode !== undefined) return { kind: 'status', status: thrown.statusCode }
  return thrown instanceof Error && thrown.name === 'AbortError' ? { kind: 'left' } : { kind: 'unknown', thrown }
}

const isProviderError = (part: unknown): boolean =>
  typeof part === 'object' && part !== null && 'message' in part && typeof part.message === 'string' && 'isRetryable' in part

function askingOf(question: Question, models: Models, facts: Facts): Asking {
  const { model, system, turns, tools, force, schema, stop, limit, thinks, signal } = question
  const options = thinks ? facts.thinking : facts.options
  return {
    model: models(model),
    maxRetries: 0,
    messages: turns.flatMap(messagesOf),
    ...(system !== undefined && { instructions: system }),
    ...(tools && { tools: Object.fromEntries(tools.map((name) => [name, tool({ inputSchema: jsonSchema(parametersOf(name)) })])) }),
    ...(force !== undefined && { toolChoice: { type: 'tool', toolName: force } }),
    ...(schema && { output: Output.object({ schema: jsonSchema(schema), name: 'person' }) }),
    ...(stop !== undefined && { stopSequences: [stop] }),
    ...(limit !== undefined && { maxOutputTokens: limit }),
    ...(options && { providerOptions: options }),
    ...(signal && { abortSignal: signal }),
  }
}

function messagesOf(turn: Turn): ModelMessage[] {
  if ('assistant' in turn) return [{ role: 'assistant', content: turn.assistant }]
  if ('answer' in turn) return turn.answer.own as ModelMessage[]
  if ('results' in turn) {
    const content = turn.results.map(({ call, text, failed, image }) => ({
      type: 'tool-result' as const,
      toolCallId: call.id ?? '',
      toolName: call.name,
      output: outputOf(text, failed, image),
    }))
    return [{ role: 'tool', content }]
  }
  const { user, attached } = turn
  if (attached === undefined) return [{ role: 'user', content: user }]
  const data = 'url' in attached ? new URL(attached.url) : attached.data
  const file = {
    type: 'file' as const,
    data,
    mediaType: attached.mime,
    ...(attached.mime === 'application/pdf' && { filename: 'paper.pdf' }),
  }
  return [{ role: 'user', content: [{ type: 'text', text: user }, file] }]
}

function outputOf(text: string, failed = false, image: { mime: string; data: string } | undefined) {
  if (failed) return { type: 'error-text' as const, value: text }
  if (image === undefined) return { type: 'text' as const, value: text }
  const file = { type: 'file' as const, mediaType: image.mime, data: { type: 'data' as const, data: image.data } }
  return { type: 'content' as const, value: [{ type: 'text' as const, text }, file] }
}

const endings: Record<string, Ending> = {
  stop: 'stop',
  'tool-calls': 'calls',
  length: 'length',
  'content-filter': 'filter',
  other: 'other',
}

type Whole = Awaited<ReturnType<typeof generateText>>

function answerOf(
  text: string,
  thought: string | undefined,
  calls: Whole['toolCalls'],
  finish: string,
  { inputTokens, inputTokenDetails, outputTokens }: Whole['usage'],
  own: unknown,
): Answer {
  return {
    text,
    thought: thought ?? '',
    calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, args: input })),
    ending: endings[finish] ?? 'none',
    usage: { in: inputTokens ?? -1, cached: inputTokenDetails.cacheReadTokens ?? 0, out: outputTokens ?? -1 },
    own,
  }
}
