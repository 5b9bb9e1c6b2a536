/** Answers of Chat in the words of `/api/chat` and `/api/generate`, whole and as lines of JSON. */
import type { RewordedStream, WordingContext } from '#canonical/wording'
import { GatewayError } from '#shared/errors'
import { parseArguments } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'
import type { Frame } from '#shared/sse'
import { parseObject } from '#wire/json-scan'

/** The differences between the two endpoints. */
export interface Shape {
  /** The non-empty fields; `{}` if there are none. */
  said(piece: Said): JsonObject
}

/** The content of an answer, or of a piece of it. */
export interface Said {
  text: string
  thinking: string
  calls: readonly JsonObject[]
}

const nothing: Said = { text: '', thinking: '', calls: [] }

/** `/api/chat`. */
export const chatShape: Shape = {
  said: ({ text, thinking, calls }) => ({
    message: { role: 'assistant', content: text, ...(thinking && { thinking }), ...(calls.length > 0 && { tool_calls: calls }) },
  }),
}

/** `/api/generate`, which has no tools. */
export const generateShape: Shape = { said: ({ text, thinking }) => ({ response: text, ...(thinking && { thinking }) }) }

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0)
const nanoseconds = (milliseconds: number) => Math.round(milliseconds * 1e6)
const broken = (what: string) => new GatewayError('upstream_error', what)

interface Counted {
  finish: string
  usage: unknown
  /** Milliseconds from the request to the first content. */
  firstAt: number
}

/** Ollama has `stop` and `length`; other reasons are passed on unchanged. */
const finishes: Readonly<Record<string, string>> = { tool_calls: 'stop', function_call: 'stop' }

function ending({ finish, usage, firstAt }: Counted, { elapsed }: WordingContext): JsonObject {
  const counts = isObject(usage) ? usage : {}
  const total = elapsed()
  return {
    done: true,
    done_reason: finishes[finish] ?? finish,
    total_duration: nanoseconds(total),
    load_duration: 0,
    prompt_eval_count: numberIn(counts.prompt_tokens),
    prompt_eval_duration: nanoseconds(firstAt),
    eval_count: numberIn(counts.completion_tokens),
    eval_duration: nanoseconds(Math.max(0, total - firstAt)),
  }
}

/** Undefined for arguments that are not a JSON object, such as those of a truncated call. */
function callOf({ id, name, args }: OpenCall, index: number): JsonObject | undefined {
  const parsed = args.trim() === '' ? {} : parseArguments(args)
  return parsed && { ...(id && { id }), function: { index, name, arguments: parsed } }
}

interface OpenCall {
  id: string
  name: string
  args: string
}

/** Throws GatewayError `upstream_error` for arguments that are not JSON, unless the answer was truncated. */
function callsOf(calls: readonly OpenCall[], finish: string): JsonObject[] {
  const written = calls.map(callOf)
  if (finish !== 'length' && written.includes(undefined)) throw broken('The model called a tool with arguments that are not a JSON object.')
  return written.filter((call) => call !== undefined)
}

const logprobsOf = ({ logprobs }: JsonObject): JsonObject =>
  isObject(logprobs) && Array.isArray(logprobs.content) ? { logprobs: logprobs.content } : {}

/** A whole answer. Throws GatewayError `upstream_error`. */
export function writeWhole(body: string, context: WordingContext, { said }: Shape): string {
  const answer = parseObject(body) ?? {}
  const choice = Array.isArray(answer.choices) && isObject(answer.choices[0]) ? answer.choices[0] : {}
  const message = isObject(choice.message) ? choice.message : {}
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).filter(isObject).map(opened)
  const finish = textIn(choice.finish_reason)
  return JSON.stringify({
    model: answer.model,
    created_at: new Date(context.now()).toISOString(),
    ...said({
      text: textIn(message.content) || textIn(message.refusal),
      thinking: textIn(message.reasoning_content),
      calls: callsOf(calls, finish),
    }),
    ...logprobsOf(choice),
    ...ending({ finish, usage: answer.usage, firstAt: context.elapsed() }, context),
  })
}

function opened({ id, function: asked }: JsonObject): OpenCall {
  const { name, arguments: args } = isObject(asked) ? asked : {}
  return { id: textIn(id), name: textIn(name), args: textIn(args) }
}

/** A stream as lines of JSON; tool calls are written whole, before the last line. */
export function openLines(context: WordingContext, { said }: Shape): RewordedStream {
  const encoder = new TextEncoder()
  const calls = new Map<number, OpenCall>()
  const counted: Counted = { finish: 'stop', usage: undefined, firstAt: 0 }
  let model: unknown
  let ended = false

  const line = (fields: JsonObject) => encoder.encode(`${JSON.stringify(fields)}\n`)
  const piece = (fields: JsonObject) => line({ model, created_at: new Date(context.now()).toISOString(), ...fields })

  function called(delta: JsonObject): void {
    for (const call of (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).filter(isObject)) {
      const index = numberIn(call.index)
      const { id, name, args } = opened(call)
      const known = calls.get(index) ?? { id: '', name: '', args: '' }
      calls.set(index, { id: known.id || id, name: known.name || name, args: known.args + args })
    }
  }

  function last(): Uint8Array {
    ended = true
    try {
      const written = callsOf([...calls.values()], counted.finish)
      const before = written.length === 0 ? [] : [piece({ ...said({ ...nothing, calls: written }), done: false })]
      return Buffer.concat([...before, piece({ ...said(nothing), ...ending(counted, context) })])
    } catch (thrown) {
      return line({ error: thrown instanceof GatewayError ? thrown.message : 'The answer could not be written.' })
    }
  }

  return {
    contentType: 'application/x-ndjson',
    push({ data }: Frame) {
      if (ended || data === undefined || data === '') return undefined
      if (data === '[DONE]') return last()
      const chunk = parseObject(data)
      if (!chunk) return undefined
      if (isObject(chunk.error)) {
        ended = true
        return line({ error: textIn(chunk.error.message) })
      }
      model = chunk.model ?? model
      if (isObject(chunk.usage)) counted.usage = chunk.usage
      const choice = Array.isArray(chunk.choices) && isObject(chunk.choices[0]) ? chunk.choices[0] : {}
      if (typeof choice.finish_reason === 'string') counted.finish = choice.finish_reason
      const delta = isObject(choice.delta) ? choice.delta : {}
      called(delta)
      const text = textIn(delta.content) || textIn(delta.refusal)
      const thinking = textIn(delta.reasoning_content)
      if (text === '' && thinking === '') return undefined
      counted.firstAt ||= context.elapsed()
      return piece({ ...said({ text, thinking, calls: [] }), ...logprobsOf(choice), done: false })
    },
  }
}
