/**
 * The demo vendor: a scripted model behind the same interface as the network, so that the playground and every example work
 * without an account. It shows what it understood and rejects what a real vendor would reject. It opens no connection and
 * is no evidence for streaming or retries: those are tested with the scripted upstream of `testing`.
 *
 * A user message can contain commands, each on a line of its own:
 *
 *   /think          reasoning before the answer (so does `reasoning_effort`)
 *   /long 300       an answer of that many words
 *   /delay 3        seconds of silence before the answer begins
 *   /error 429      an error with that status, 400 to 599
 *   /cut            the connection breaks in the middle of the answer
 *
 * Start with `reply.ts` for what it answers, `chat-reader.ts` and `chat-writer.ts` for the wire.
 */

import type { Clock, Random } from '#runtime/clock'
import { type AbortSignalLike, abortedWithAny } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { readChat } from './chat-reader.ts'
import { chatFault, type Fields, isObject } from './chat-rules.ts'
import { type ChatAnswer, type Piece, writeStream, writeWhole } from './chat-writer.ts'
import { embed } from './embed.ts'
import { type DemoForm, readForm } from './form.ts'
import { editImages, editImagesOfForm, generateImages, varyImages } from './images.ts'
import { moderate } from './moderation.ts'
import type { DemoPrompt } from './prompt.ts'
import { type Refusal, type Result, refusalBody } from './refusal.ts'
import { replyTo } from './reply.ts'
import { rerank } from './rerank.ts'
import { speak } from './speech.ts'
import { transcribe } from './transcription.ts'

/** The part of the interface `Upstream` that this module implements; modules above check that the two match. */
export interface DemoRequest {
  method: 'POST' | 'GET' | 'PATCH' | 'DELETE'
  url: string
  body: string | { type: string; length: number; open(): ReadableStream<Uint8Array> } | undefined
}

/** An answer, as `UpstreamAnswer`. */
export interface DemoAnswer {
  status: number
  headers: Headers
  read(): Promise<Uint8Array | undefined>
  cancel(): void
}

/** The demo vendor, as `Upstream`. */
export interface DemoUpstream {
  open(request: DemoRequest, signal: AbortSignalLike): Promise<DemoAnswer>
}

/** What `createDemoUpstream` needs. */
export interface DemoOptions {
  clock: Clock
  random: Random
  /** Milliseconds before each word of a stream. */
  pace?: number
}

const contextTokens = 128_000
/** Bytes of JSON that the demo reads at most. */
const mostJson = 4 * 1024 * 1024

/** A drop-in replacement for `createHttpUpstream` that answers from a script. */
export function createDemoUpstream({ clock, random, pace = 20 }: DemoOptions): DemoUpstream {
  /** Seconds since the epoch. */
  const now = () => Math.floor(clock.now() / 1000)

  async function open(asked: DemoRequest, signal: AbortSignalLike): Promise<DemoAnswer> {
    signal.throwIfAborted()
    const { body: sent } = asked
    const form = forms[pathOf(asked)]
    const isJson = typeof sent === 'object' && sent.type === 'application/json'
    if (form && typeof sent === 'object' && !isJson) return tell(await form(await readForm(sent), now()), signal)
    if (isJson && sent.length > mostJson) return refuse(tooLong, signal)
    const request = isJson ? { ...asked, body: await new Response(sent.open()).text() } : asked
    const body = parsed(request)
    if (!isObject(body)) return refuse(body === undefined ? unknownPath : badJson, signal)
    const operation = operations[pathOf(request)]
    if (operation !== undefined) return tell(await operation(body, now()), signal)
    const fault = chatFault(body)
    if (fault !== undefined) return refuse(fault, signal)
    const prompt = readChat(body)
    if (prompt.commands.delay > 0) await clock.sleep(prompt.commands.delay * 1000, signal)
    const ordered = refusalFor(prompt)
    return ordered === undefined ? answer(body, prompt, signal) : refuse(ordered, signal)
  }

  function answer(body: Fields, prompt: DemoPrompt, signal: AbortSignalLike): DemoAnswer {
    const callIds = new Map<string, string>()
    const chat: ChatAnswer = {
      prompt,
      reply: replyTo(prompt),
      n: Number(body.n ?? 1),
      stamp: {
        id: `chatcmpl-${random.hex(12)}`,
        created: now(),
        callId(choice, call) {
          const known = callIds.get(`${choice} ${call}`) ?? `call_${random.base62(24)}`
          callIds.set(`${choice} ${call}`, known)
          return known
        },
      },
    }
    const usageAsked = isObject(body.stream_options) && body.stream_options.include_usage === true
    const streamed = body.stream === true
    const pieces = streamed ? writeStream(chat, usageAsked) : whole(writeWhole(chat))
    const type = streamed ? 'text/event-stream; charset=utf-8' : 'application/json'
    return played(200, { 'content-type': type }, prompt.commands.cut ? cut(pieces) : pieces, signal)
  }

  function tell(result: Result, signal: AbortSignalLike): DemoAnswer {
    if ('refusal' in result) return refuse(result.refusal, signal)
    if ('pieces' in result) return played(200, { 'content-type': result.type }, result.pieces, signal)
    return played(200, { 'content-type': 'application/json' }, whole(JSON.stringify(result.answer)), signal)
  }

  function refuse(refusal: Refusal, signal: AbortSignalLike): DemoAnswer {
    const headers = { 'content-type': 'application/json', ...(refusal.status === 429 && { 'retry-after': '1' }) }
    return played(refusal.status, headers, whole(refusalBody(refusal)), signal)
  }

  /** Streams the pieces, paced; `break` breaks the answer off. */
  function played(status: number, headers: Record<string, string>, pieces: Iterable<Piece | 'break'>, signal: AbortSignalLike): DemoAnswer {
    const cancelled = new AbortController()
    const stop = abortedWithAny(signal, cancelled.signal)
    const encoder = new TextEncoder()
    const left = pieces[Symbol.iterator]()
    let broken = false
    return {
      status,
      headers: new Headers(headers),
      async read() {
        stop.throwIfAborted()
        const piece = broken ? 'break' : left.next().value
        if (piece === undefined) return undefined
        broken = piece === 'break'
        if (piece === 'break') throw new GatewayError('upstream_error', 'The upstream ended the connection before its answer was complete.')
        if (piece.paced) await clock.sleep(pace, stop)
        return typeof piece.text === 'string' ? encoder.encode(piece.text) : piece.text
      },
      cancel: () => cancelled.abort(new GatewayError('client_closed_request', 'The answer was cancelled.')),
    }
  }

  return { open }
}

/** JSON operations other than generation, by path. */
const operations: Readonly<Record<string, (body: Fields, created: number) => Result | Promise<Result>>> = {
  '/v1/embeddings': embed,
  '/v1/audio/speech': speak,
  '/v1/images/generations': generateImages,
  '/v1/images/edits': editImages,
  '/v1/rerank': rerank,
  '/v1/moderations': moderate,
}

/** Operations with a form body, by path. */
const forms: Readonly<Record<string, (form: DemoForm, created: number) => Result | Promise<Result>>> = {
  '/v1/audio/transcriptions': transcribe,
  '/v1/audio/translations': transcribe,
  '/v1/images/edits': editImagesOfForm,
  '/v1/images/variations': varyImages,
}

const unknownPath: Refusal = { status: 404, message: 'The demo does not serve this address.', code: 'not_found' }
const badJson: Refusal = { status: 400, message: 'The body must be a JSON object.', code: null }

const pathOf = ({ url }: DemoRequest): string => new URL(url).pathname

/** The parsed body: undefined for an unsupported path or method, null when it is not JSON. */
function parsed(request: DemoRequest): unknown {
  const path = pathOf(request)
  if (request.method !== 'POST' || !(path === '/v1/chat/completions' || path in operations)) return undefined
  try {
    return typeof request.body === 'string' ? (JSON.parse(request.body) ?? null) : null
  } catch {
    return null
  }
}

function refusalFor(prompt: DemoPrompt): Refusal | undefined {
  const { error } = prompt.commands
  if (error !== undefined)
    return { status: error, message: 'This error was requested in the prompt.', code: error === 429 ? 'rate_limit_exceeded' : null }
  return prompt.inputTokens <= contextTokens ? undefined : tooLong
}

const tooLong: Refusal = {
  status: 400,
  message: 'The conversation exceeds the context window of this model.',
  param: 'messages',
  code: 'context_length_exceeded',
}

const whole = (text: string): Piece[] => [{ text, paced: false }]

/** The first half of the pieces (or of the text, if there is only one), then the break. */
function cut(given: Iterable<Piece>): (Piece | 'break')[] {
  const pieces = [...given]
  const [only, ...more] = pieces
  if (only !== undefined && more.length === 0) return [{ ...only, text: only.text.slice(0, only.text.length / 2) }, 'break']
  return [...pieces.slice(0, Math.ceil(pieces.length / 2)), 'break']
}
