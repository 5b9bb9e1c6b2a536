/**
 * The one way of the shared limits to the database: one call at a time, that gives back and takes for everybody. At once when
 * somebody waits, otherwise ten times a second while there is anything to tell.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { GatewayError } from '#shared/errors'
import type { RateAnswer, RateAsk, RateCall } from '#store/rates'
import { isWithin, type Moment } from './stock.ts'
import { within } from './within.ts'

/** Who asks, and what the answers mean for him. */
export interface RateDesk {
  asks(now: Moment): RateAsk[]
  /** How many milliseconds later to ask again for those who wait; undefined when nobody does. */
  answered(asks: readonly RateAsk[], answers: ReadonlyMap<string, RateAnswer>, sent: Moment): number | undefined
  /** The outcome of a call is not known. */
  unanswered(asks: readonly RateAsk[]): void
  /** Whether there may soon be something to tell. */
  isRestless(): boolean
  /** Whether anything is held that others must not take. */
  isBusy(): boolean
}

export interface LimitsLaneOptions {
  sync(call: RateCall): Promise<ReadonlyMap<string, RateAnswer>>
  clock: Clock
  log: Log
  holder: string
  /** After how many milliseconds without a word the others take the places of an instance. */
  writeOffMs: number
}

export interface LimitsLane {
  /** Calls as soon as it can. */
  kick(): void
  /** Calls with the next tick, if there is anything to tell. */
  soon(): void
  now(): Moment
  /** Whether the others still leave this instance its places. */
  isValid(now: Moment): boolean
  /** One more call, if there is anything to tell, and then none. */
  finish(): Promise<void>
}

// Milliseconds.
const callMs = 2_000
const tickMs = 100
const againMs = 100

export function createLimitsLane({ sync, clock, log, holder, writeOffMs }: LimitsLaneOptions, desk: RateDesk): LimitsLane {
  const now = (): Moment => ({ tick: clock.monotonic(), wall: clock.now() })
  // Whoever has places must be heard of, lest they are given to others.
  const beatMs = writeOffMs / 6
  let seq = 0
  let heard: Moment = { tick: Number.NEGATIVE_INFINITY, wall: 0 }
  let answering = true
  let since = clock.monotonic()
  let kicked = false
  let ended = false
  let running: Promise<void> | undefined
  let timer: Timer | undefined
  let due = 0

  function kick(): void {
    kicked = true
    // A database that does not answer is asked again by the timer only, however many come meanwhile.
    if (running || ended || (timer && !answering)) return
    start()
  }

  function start(): void {
    timer?.cancel()
    timer = undefined
    running = run()
  }

  async function run(): Promise<void> {
    let pause: number | undefined
    do {
      kicked = false
      // Whatever else happens in this turn goes along.
      await Promise.resolve()
      pause = await once()
    } while (!ended && answering && (kicked || pause === 0))
    running = undefined
    if (pause !== undefined) plan(pause)
    else if (desk.isRestless() || kicked) plan(tickMs)
    else if (desk.isBusy()) plan(beatMs)
  }

  function plan(ms: number): void {
    if (ended) return
    timer?.cancel()
    due = clock.monotonic() + ms
    timer = clock.after(ms, start)
  }

  /** One call, if there is anything to say. Answers how long to wait before the next. */
  async function once(): Promise<number | undefined> {
    const sent = now()
    const asks = desk.asks(sent)
    if (asks.length === 0 && !(desk.isBusy() && sent.tick - heard.tick >= beatMs)) return undefined
    seq += 1
    const trusting = answering && sent.tick - since >= writeOffMs
    try {
      const answers = await within(clock, callMs, sync({ holder, seq, asks, writeOffMs, trusting }))
      if (!answering) back()
      heard = sent
      return desk.answered(asks, answers, sent)
    } catch (thrown) {
      if (answering) log.warn({ err: thrown instanceof GatewayError ? (thrown.cause ?? thrown) : thrown }, 'the limits cannot be shared')
      answering = false
      desk.unanswered(asks)
      return againMs
    }
  }

  function back(): void {
    log.info({}, 'the limits are shared again')
    answering = true
    since = clock.monotonic()
  }

  return {
    kick,
    soon() {
      if (!running && (!timer || due > clock.monotonic() + tickMs)) plan(tickMs)
    },
    now,
    isValid: (moment) => isWithin(writeOffMs * 0.99, heard, moment),
    async finish() {
      ended = true
      timer?.cancel()
      await running
      if (answering) await once()
    },
  }
}
