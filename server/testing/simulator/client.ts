/** A simulated client: asks, reads at its own pace, stays or leaves, and judges what it was told. */
import type { Caller } from '#accounts/caller'
import type { Ask } from '#relay/ask'
import type { Relay } from '#relay/relay'
import { outgoingBody } from '#runtime/body'
import { asGatewayError, type GatewayError } from '#shared/errors'
import type { Seeded } from '../seeded.ts'
import type { Spoken } from './answer-text.ts'
import { type Heard, hearStream, hearWhole } from './heard.ts'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'
import type { StepClock } from './step-clock.ts'

/** Everything about a client that the dice choose. */
export interface Plan {
  number: number
  spoken: Spoken
  stream: boolean
  maxOutput: number
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

export function drawPlan(dice: Seeded, number: number): Plan {
  return {
    number,
    spoken: dice.pick(['chat', 'messages']),
    stream: !oneIn(dice, 3),
    maxOutput: 100 + dice.below(4) * 100,
    usageAsked: oneIn(dice, 2),
    startsAt: dice.pick([0, 0, 250, 1000, 5000, 6000, 12_000, 30_000, 31_000, 45_000, 60_250, 61_000, 66_000]),
    leavesAfter: oneIn(dice, 3) ? dice.pick([0, 250, 500, 1000, 5000, 16_000, 70_000]) : undefined,
    paceMs: dice.pick([0, 0, 0, 250, 1000, 20_000]),
    keeps: oneIn(dice, 5),
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

const bodyOf = ({ number, spoken, stream, maxOutput, usageAsked }: Plan): string =>
  JSON.stringify({
    model: 'm',
    max_tokens: maxOutput,
    messages: [{ role: 'user', content: `ask-${number} and some words that make it long enough to be estimated` }],
    ...(stream && { stream }),
    ...(stream && spoken === 'chat' && usageAsked && { stream_options: { include_usage: true } }),
  })

export function createClient(plan: Plan, { clock, dice, journal, heartbeatMs }: ClientParts): Client {
  const requestId = `request ${plan.number}`
  const controller = new AbortController()
  let told: Told | undefined
  let gone = false
  let ended = false
  let text = ''
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined

  function leave(): void {
    if (told) return
    gone = true
    journal.note(`${requestId} leaves`)
    const hangUp = [() => controller.abort(), () => void body?.cancel()]
    for (const cut of oneIn(dice, 2) ? hangUp : hangUp.reverse()) cut()
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
      operation: 'generate',
      dialect: plan.spoken,
      body: async () => bodyOf(plan),
      header: () => null,
      strict: false,
      signal: controller.signal,
      ...(plan.keeps && { answered: () => clock.sleep(dice.pick([0, 250, 1000])) }),
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
      journal.note(`${requestId} asks: ${JSON.stringify(plan)}`)
      const leaving = plan.leavesAfter === undefined ? undefined : clock.after(plan.leavesAfter, leave)
      try {
        told = await ask(relay, caller)
      } catch (thrown) {
        told = { refused: asGatewayError(thrown) }
      }
      leaving?.cancel()
      journal.note(`${requestId} was told: ${told.refused?.code ?? JSON.stringify(told.heard)}`)
    },
  }
}

export interface ClientParts {
  clock: StepClock
  dice: Seeded
  journal: Journal
  heartbeatMs: number
}
