/** A simulated client: sends one request, reads at its own pace, stays or disconnects, and records what it received. */

import type { Caller } from '#accounts/caller'
import type { Ask } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import { outgoingBody } from '#runtime/outgoing-body'
import { asGatewayError, type GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import { isSideOperation, makesEmbeddings, shortened, type WireName } from './answer-text.ts'
import { parseStream, parseWhole, type ReceivedAnswer } from './received-answer.ts'
import type { RunLog } from './run-log.ts'
import { oneIn } from './script.ts'

/** Everything about a client that is drawn at random. */
export interface Plan {
  number: number
  wire: WireName
  stream: boolean
  /** Undefined: no output limit. */
  maxOutput: number | undefined
  /** Number of texts to embed, or of images to generate. */
  inputs: number
  /** Number of partial images requested. */
  partialImages: number
  /** Fallback models named in the request; undefined = none, the configured ones apply. */
  models: readonly string[] | undefined
  usageAsked: boolean
  /** Milliseconds. */
  startsAt: number
  /** Milliseconds after the start at which it disconnects; undefined = it stays. */
  leavesAfter: number | undefined
  /** Milliseconds before the first read and between two reads. */
  paceMs: number
  /** The conversation is stored, which takes a while. */
  keeps: boolean
}

/** Gemini, embeddings and images have no field for fallback models. */
const namesStandIns = (wire: WireName) => wire !== 'gemini' && !isSideOperation(wire)

/** Draws a client. `talkative`: most clients set no output limit. `oneImageOnly`: no client asks for several images. */
export function drawPlan(random: Seeded, number: number, { talkative, oneImageOnly }: { talkative: boolean; oneImageOnly: boolean }): Plan {
  const wire = oneIn(random, 6)
    ? random.pick<WireName>(['embeddings', 'embedContent', 'images', 'images'])
    : random.pick<WireName>(['chat', 'messages', 'responses', 'gemini'])
  const stream = !oneIn(random, 3) && !makesEmbeddings(wire)
  return {
    number,
    wire,
    stream,
    maxOutput: talkative && !oneIn(random, 3) ? undefined : 100 + random.below(4) * 100,
    inputs: wire === 'images' && (stream || oneImageOnly) ? 1 : 1 + random.below(3),
    partialImages: wire === 'images' && stream ? random.below(4) : 0,
    models: oneIn(random, 6) && namesStandIns(wire) ? random.pick<readonly string[]>([[], ['n'], ['o', 'n'], ['n', 'm', 'n']]) : undefined,
    usageAsked: oneIn(random, 2),
    startsAt: random.pick([0, 0, 250, 1000, 5000, 7000, 12_000, 30_000, 31_000, 45_000, 60_250, 61_000, 66_000, 66_000]),
    leavesAfter: oneIn(random, 3) ? random.pick([0, 250, 500, 1000, 5000, 16_000, 70_000]) : undefined,
    paceMs: random.pick([0, 0, 0, 250, 1000, 20_000]),
    keeps: oneIn(random, 5),
  }
}

/** What a client received in the end. */
export interface ClientResult {
  refused?: GatewayError
  answer?: ReceivedAnswer
  /** The connection was reset. */
  broke?: boolean
}

/** A simulated client and what it has seen so far. */
export interface Client {
  readonly plan: Plan
  readonly requestId: string
  /** Undefined before it sends its request. */
  caller(): Caller | undefined
  /** It has disconnected. */
  gone(): boolean
  /** Its key was revoked: its request ends now with an error. */
  end(): void
  /** No further work may be done for it. */
  ended(): boolean
  /** Undefined while its request is open. */
  result(): ClientResult | undefined
  /** The text received so far. */
  text(): string
  run(relay: Relay, caller: Caller): Promise<void>
}

const textFor = (number: number, place = 0) => `ask-${number} and some words, set ${place}, that make it long enough to be estimated`

/** For formats that require a limit when the client sets none. */
const anyLength = 30_000

function bodyOf({ number, wire, stream, maxOutput, inputs, partialImages, models, usageAsked }: Plan): object {
  const text = textFor(number)
  const texts = Array.from({ length: inputs }, (_, place) => textFor(number, place))
  const named = { model: 'm', ...(models && { models }), ...(stream && { stream }) }
  const messages = [{ role: 'user', content: text }]
  switch (wire) {
    case 'chat':
      return { ...named, max_tokens: maxOutput, messages, ...(stream && usageAsked && { stream_options: { include_usage: true } }) }
    case 'messages':
      return { ...named, max_tokens: maxOutput ?? anyLength, messages }
    case 'responses':
      return { ...named, max_output_tokens: maxOutput, input: text, store: false }
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text }] }], generationConfig: { maxOutputTokens: maxOutput } }
    case 'embeddings':
      return { model: 'm', input: texts }
    case 'embedContent':
      return { requests: texts.map((one) => ({ model: 'models/m', content: { parts: [{ text: one }] } })) }
    // Clients never send the last format.
    case 'images':
    case 'geminiImages':
      return { ...named, prompt: text, n: inputs, quality: 'low', size: '1024x1024', ...(stream && { partial_images: partialImages }) }
  }
}

/** The endpoint that it calls. */
function endpointOf({ wire, stream }: Plan): Pick<Ask, 'operation' | 'dialect' | 'path' | 'variant'> {
  if (wire === 'embeddings') return { operation: 'embed', dialect: 'openai' }
  if (wire === 'images' || wire === 'geminiImages') return { operation: 'image', dialect: 'openai' }
  if (wire === 'embedContent') return { operation: 'embed', dialect: 'gemini', variant: 'batch', path: 'm:batchEmbedContents' }
  if (wire !== 'gemini') return { operation: 'generate', dialect: wire }
  return { operation: 'generate', dialect: wire, path: stream ? 'm:streamGenerateContent' : 'm:generateContent' }
}

/** Creates a client that follows this plan. */
export function createClient(plan: Plan, { clock, random, log, heartbeatMs }: ClientParts): Client {
  const requestId = `request ${plan.number}`
  const controller = new AbortController()
  let result: ClientResult | undefined
  let asking: Caller | undefined
  let gone = false
  let ended = false
  let text = ''
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined

  function leave(): void {
    if (result) return
    gone = true
    log.note(`${requestId} leaves`)
    const hangUp = [() => controller.abort(), () => void body?.cancel()]
    for (const cut of oneIn(random, 2) ? hangUp : hangUp.reverse()) cut()
  }

  async function read(): Promise<ClientResult> {
    const decoder = new TextDecoder()
    for (;;) {
      if (plan.paceMs > 0) await clock.sleep(plan.paceMs)
      const piece = await body?.read().catch(() => 'broken' as const)
      if (piece === 'broken') return { answer: parseStream(plan.wire, text), broke: true }
      if (piece?.value) text += decoder.decode(piece.value, { stream: true })
      if (!piece || piece.done) return { answer: parseStream(plan.wire, text) }
    }
  }

  async function ask(relay: Relay, caller: Caller): Promise<ClientResult> {
    const asked: Ask = {
      requestId,
      caller,
      ...endpointOf(plan),
      bytes: 0,
      body: async () => ({ content: JSON.stringify(bodyOf(plan)) }),
      headers: new Headers(),
      strict: false,
      signal: controller.signal,
      ...(plan.keeps && { answered: () => clock.sleep(random.pick([0, 250, 1000])) }),
    }
    const reply = await relay(asked)
    if (typeof reply.body === 'string') {
      text = reply.body
      return { answer: parseWhole(plan.wire, reply.body) }
    }
    if (!('next' in reply.body)) throw new Error('no answer of a schedule is large')
    const heartbeat = reply.heartbeat && { bytes: reply.heartbeat, everyMs: heartbeatMs }
    body = outgoingBody(reply.body, clock, heartbeat).getReader()
    if (gone) void body.cancel()
    return read()
  }

  return {
    plan,
    requestId,
    caller: () => asking,
    gone: () => gone,
    end() {
      if (result || gone) return
      log.note(`${requestId} is revoked`)
      ended = true
    },
    ended: () => gone || ended,
    result: () => result,
    text: () => text,
    async run(relay, caller) {
      asking = caller
      log.note(`${requestId} asks: ${JSON.stringify(plan)}`)
      const leaving = plan.leavesAfter === undefined ? undefined : clock.after(plan.leavesAfter, leave)
      try {
        result = await ask(relay, caller)
      } catch (thrown) {
        result = { refused: asGatewayError(thrown) }
      }
      leaving?.cancel()
      log.note(`${requestId} received: ${result.refused?.code ?? shortened(JSON.stringify(result.answer))}`)
    },
  }
}

/** What a client needs from the simulation. */
export interface ClientParts {
  clock: StepClock
  random: Seeded
  log: RunLog
  heartbeatMs: number
}
