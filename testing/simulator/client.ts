/** A simulated client: asks, reads at its own pace, stays or leaves, and judges what it was told. */

import type { Caller } from '#accounts/caller'
import type { Ask } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import { outgoingBody } from '#runtime/outgoing-body'
import { asGatewayError, type GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import { embeds, isSide, type Spoken, shortened } from './answer-text.ts'
import { type Heard, hearStream, hearWhole } from './heard.ts'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'

/** Everything about a client that the dice choose. */
export interface Plan {
  number: number
  spoken: Spoken
  stream: boolean
  /** Undefined: it takes an answer of any length. */
  maxOutput: number | undefined
  /** Texts to embed, or pictures to make. */
  inputs: number
  /** Unfinished pictures to be shown. */
  sketches: number
  /** Models that it names to stand in for its own; undefined = none, the configured ones count. */
  models: readonly string[] | undefined
  usageAsked: boolean
  /** Milliseconds. */
  startsAt: number
  /** After it began; undefined = it stays. */
  leavesAfter: number | undefined
  /** Before it reads, and between two pieces. */
  paceMs: number
  /** The conversation is kept, which takes a while. */
  keeps: boolean
}

/** Google's contract has no place for it. */
const namesStandIns = (spoken: Spoken) => spoken !== 'gemini' && !isSide(spoken)

/** `talkative`: most clients take answers of any length. `singly`: no client wants several pictures. */
export function drawPlan(random: Seeded, number: number, { talkative, singly }: { talkative: boolean; singly: boolean }): Plan {
  const spoken = oneIn(random, 6)
    ? random.pick<Spoken>(['embeddings', 'embedContent', 'images', 'images'])
    : random.pick<Spoken>(['chat', 'messages', 'responses', 'gemini'])
  const stream = !oneIn(random, 3) && !embeds(spoken)
  return {
    number,
    spoken,
    stream,
    maxOutput: talkative && !oneIn(random, 3) ? undefined : 100 + random.below(4) * 100,
    inputs: spoken === 'images' && (stream || singly) ? 1 : 1 + random.below(3),
    sketches: spoken === 'images' && stream ? random.below(4) : 0,
    models:
      oneIn(random, 6) && namesStandIns(spoken) ? random.pick<readonly string[]>([[], ['n'], ['o', 'n'], ['n', 'm', 'n']]) : undefined,
    usageAsked: oneIn(random, 2),
    startsAt: random.pick([0, 0, 250, 1000, 5000, 7000, 12_000, 30_000, 31_000, 45_000, 60_250, 61_000, 66_000, 66_000]),
    leavesAfter: oneIn(random, 3) ? random.pick([0, 250, 500, 1000, 5000, 16_000, 70_000]) : undefined,
    paceMs: random.pick([0, 0, 0, 250, 1000, 20_000]),
    keeps: oneIn(random, 5),
  }
}

export interface Told {
  refused?: GatewayError
  heard?: Heard
  /** The connection was broken off. */
  broke?: boolean
}

export interface Client {
  readonly plan: Plan
  readonly requestId: string
  /** Undefined before it asks. */
  caller(): Caller | undefined
  /** It is not there any more. */
  gone(): boolean
  /** Its key was revoked: what it asked for ends now, and it is told so. */
  end(): void
  /** Nothing may be done for it any more. */
  ended(): boolean
  /** Undefined while it waits. */
  told(): Told | undefined
  /** What it has heard so far. */
  heard(): string
  run(relay: Relay, caller: Caller): Promise<void>
}

const textFor = (number: number, place = 0) => `ask-${number} and some words, set ${place}, that make it long enough to be estimated`

/** Where the contract asks for a limit and the client has none. */
const anyLength = 30_000

function bodyOf({ number, spoken, stream, maxOutput, inputs, sketches, models, usageAsked }: Plan): object {
  const text = textFor(number)
  const texts = Array.from({ length: inputs }, (_, place) => textFor(number, place))
  const named = { model: 'm', ...(models && { models }), ...(stream && { stream }) }
  const messages = [{ role: 'user', content: text }]
  switch (spoken) {
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
    // Only upstreams speak the last one.
    case 'images':
    case 'drawing':
      return { ...named, prompt: text, n: inputs, quality: 'low', size: '1024x1024', ...(stream && { partial_images: sketches }) }
  }
}

/** Which door it knocks at. */
function doorOf({ spoken, stream }: Plan): Pick<Ask, 'operation' | 'dialect' | 'path' | 'variant'> {
  if (spoken === 'embeddings') return { operation: 'embed', dialect: 'openai' }
  if (spoken === 'images' || spoken === 'drawing') return { operation: 'image', dialect: 'openai' }
  if (spoken === 'embedContent') return { operation: 'embed', dialect: 'gemini', variant: 'batch', path: 'm:batchEmbedContents' }
  if (spoken !== 'gemini') return { operation: 'generate', dialect: spoken }
  return { operation: 'generate', dialect: spoken, path: stream ? 'm:streamGenerateContent' : 'm:generateContent' }
}

export function createClient(plan: Plan, { clock, random, journal, heartbeatMs }: ClientParts): Client {
  const requestId = `request ${plan.number}`
  const controller = new AbortController()
  let told: Told | undefined
  let asking: Caller | undefined
  let gone = false
  let ended = false
  let text = ''
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined

  function leave(): void {
    if (told) return
    gone = true
    journal.note(`${requestId} leaves`)
    const hangUp = [() => controller.abort(), () => void body?.cancel()]
    for (const cut of oneIn(random, 2) ? hangUp : hangUp.reverse()) cut()
  }

  async function read(): Promise<Told> {
    const decoder = new TextDecoder()
    for (;;) {
      if (plan.paceMs > 0) await clock.sleep(plan.paceMs)
      const piece = await body?.read().catch(() => 'broken' as const)
      if (piece === 'broken') return { heard: hearStream(plan.spoken, text), broke: true }
      if (piece?.value) text += decoder.decode(piece.value, { stream: true })
      if (!piece || piece.done) return { heard: hearStream(plan.spoken, text) }
    }
  }

  async function ask(relay: Relay, caller: Caller): Promise<Told> {
    const asked: Ask = {
      requestId,
      caller,
      ...doorOf(plan),
      body: Promise.resolve({ content: JSON.stringify(bodyOf(plan)) }),
      headers: new Headers(),
      strict: false,
      signal: controller.signal,
      ...(plan.keeps && { answered: () => clock.sleep(random.pick([0, 250, 1000])) }),
    }
    const reply = await relay(asked)
    if (typeof reply.body === 'string') {
      text = reply.body
      return { heard: hearWhole(plan.spoken, reply.body) }
    }
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
      if (told || gone) return
      journal.note(`${requestId} may not go on`)
      ended = true
    },
    ended: () => gone || ended,
    told: () => told,
    heard: () => text,
    async run(relay, caller) {
      asking = caller
      journal.note(`${requestId} asks: ${JSON.stringify(plan)}`)
      const leaving = plan.leavesAfter === undefined ? undefined : clock.after(plan.leavesAfter, leave)
      try {
        told = await ask(relay, caller)
      } catch (thrown) {
        told = { refused: asGatewayError(thrown) }
      }
      leaving?.cancel()
      journal.note(`${requestId} was told: ${told.refused?.code ?? shortened(JSON.stringify(told.heard))}`)
    },
  }
}

export interface ClientParts {
  clock: StepClock
  random: Seeded
  journal: Journal
  heartbeatMs: number
}
