/**
 * Accounting of sessions, however they are connected: limits, hold, charge and usage row. One usage row per session; its cost is the sum of
 * the costs of its responses.
 */

import type { NewLog } from '#billing/ledger/books'
import { cost, isWholeFor } from '#billing/pricing/cost'
import type { Price } from '#billing/pricing/price'
import type { Ticket } from '#billing/ratelimit/limits'
import type { RealtimeMeter } from '#canonical/operation/realtime'
import { realtimeCodecs } from '#protocols/realtime'
import type { RelayParts } from '#relay/contract/ask'
import type { LargeBodies } from '#relay/contract/large-body'
import type { AttemptLog } from '#relay/contract/steps'
import { createAttemptLog } from '#relay/pipeline/attempt'
import { accountsOf, limitsOf } from '#relay/spend/hold'
import { createSessionCost, type SessionCost } from '#relay/spend/session-cost'
import { interrupted } from '#relay/spend/settle'
import { createTopUp } from '#relay/spend/top-up'
import { upstreamPriceOf } from '#relay/spend/upstream-price'
import { logOverflowedBook, usageRow } from '#relay/spend/usage-row'
import type { Candidate } from '#routing/order'
import { modelNotFound } from '#routing/plan'
import { asGatewayError, type GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { SocketUpstream } from '#upstream/socket'
import type { RealtimeAsk } from './contract.ts'
import type { Line } from './dial.ts'
import { longestSeconds, meterFor } from './limits.ts'
import { plannedFor } from './planned.ts'
import { createSession, type Session, type SessionEnding, type SessionParts } from './session.ts'

export interface RealtimeParts extends RelayParts {
  /** Reads large frames. */
  large: Pick<LargeBodies, 'frame'>
  /** The network. */
  sockets: SocketUpstream
  /** The scripted model behind the same interface. */
  demoSockets: SocketUpstream
}

/** A requested session. */
export interface Begun {
  ask: RealtimeAsk
  at: Date
  tick: number
  attempts: AttemptLog
  price: Price | undefined
  held: boolean
  ticket: Ticket | undefined
}

/** A session whose money is held. */
export interface Held {
  candidates: readonly Candidate[]
  price: Price
  meter: RealtimeMeter
  /** Nano-dollars that are held. */
  first: bigint
}

export interface Outcome {
  end: End
  status: number
  error: GatewayError | undefined
  served?: Candidate
  sessionCost?: SessionCost
}

/** Overrides for one kind of session. */
export interface OwnOfSession extends Partial<Pick<SessionParts, 'setup' | 'toClient' | 'sent' | 'readmit' | 'watches'>> {
  /** Wraps the cost of the session. */
  paid?(sessionCost: SessionCost): SessionCost
  /** Called when the session has ended, before it is settled; returns the ending to record. */
  ended?(ending: SessionEnding): SessionEnding | Promise<SessionEnding>
  /** Called after settlement. */
  settled?(ending: SessionEnding): void
}

export interface Booking {
  begin(ask: RealtimeAsk): Begun
  /** Takes a slot of every limit of the caller. Rejects with `rate_limit_exceeded`. */
  enter(begun: Begun): Promise<void>
  /** The same, and holds money for the candidates that `among` selects. `first`: the session's first frame. Rejects with GatewayError. */
  hold(begun: Begun, among: (planned: readonly Candidate[]) => readonly Candidate[], first?: string): Promise<Held>
  /** Creates a session on a connection to an upstream. */
  session(begun: Begun, held: Held, line: Line, own?: OwnOfSession): Session
  /** Writes the row of a session that has ended. */
  close(begun: Begun, outcome: Outcome): Promise<void>
  /** The same for a failed session; returns the error for its caller. */
  fail(begun: Begun, thrown: unknown): Promise<GatewayError>
}

export function createBooking(parts: RealtimeParts): Booking {
  const { clock, books } = parts

  function rowOf(begun: Begun, { end, status, error, served, sessionCost }: Outcome): NewLog {
    const { ask, at, attempts, price } = begun
    const facts = {
      ask: { ...ask, operation: 'realtime', dialect: ask.style } as const,
      head: { model: ask.model, stream: true },
      price,
      at,
      served,
      losses: [],
      attempts: attempts.rows(),
      firstTokenMs: undefined,
      totalMs: clock.monotonic() - begun.tick,
    }
    const session = sessionCost && { lines: sessionCost.lines(), upstreamCost: sessionCost.upstreamSpent() }
    return usageRow(facts, {
      end,
      status,
      error,
      usage: sessionCost?.usage(),
      cost: sessionCost?.spent() ?? 0n,
      ...(session && { session }),
    })
  }

  async function close(begun: Begun, outcome: Outcome): Promise<void> {
    const { error, served, sessionCost } = outcome
    if (served) begun.attempts.close(error, 0)
    const row = rowOf(begun, outcome)
    logOverflowedBook(parts.log, row)
    if (!begun.held) await books.record(row)
    else await (sessionCost?.usage() ? books.settle(row) : books.release(row))
    if (served) begun.ask.capture?.answerOver(error?.code)
    begun.ask.capture?.settled(outcome.end)
    begun.ticket?.done(sessionCost?.tokens() ?? 0)
    parts.open.count -= 1
    parts.open.streams -= 1
  }

  async function enter(begun: Begun): Promise<void> {
    const { caller, goesOn } = begun.ask
    const taken = (async () => parts.limiter.take(limitsOf(caller), 0))()
    begun.ticket = await (goesOn ? taken.catch(() => undefined) : taken)
  }

  async function hold(begun: Begun, among: (planned: readonly Candidate[]) => readonly Candidate[], first?: string): Promise<Held> {
    const { ask } = begun
    const { caller, model, requestId } = ask
    const price = parts.prices.get(model)
    if (!isWholeFor(price, 'realtime')) throw modelNotFound()
    begun.price = price
    const use = ask.variant && ('transcribe' as const)
    const asked = { group: caller.group.name, model, models: caller.models, ...(use && { use }) }
    const planned = among(plannedFor(parts, ask.style, asked))
    const candidates = parts.health.plentyFirst(parts.health.fit(planned))
    await enter(begun)
    const meter = meterFor(ask, candidates, price, () =>
      parts.log.warn({ requestId }, 'implausible usage reported by the upstream; tokens were counted locally'),
    )
    const { refusal } = first === undefined ? {} : meter.asked(first)
    if (refusal) throw refusal
    const amount = cost(meter.next(), price.rates, caller.group.ratio)
    await books.hold(requestId, accountsOf(caller, begun.at.getTime()), amount)
    begun.held = true
    return { candidates, price, meter, first: amount }
  }

  function session(begun: Begun, { price, meter, first }: Held, line: Line, own: OwnOfSession = {}): Session {
    const { ask } = begun
    const { caller, requestId } = ask
    const { paid, ended, settled, ...special } = own
    const codec = realtimeCodecs[ask.style]
    const served = line.candidate
    const ofAnswers = createSessionCost(price.rates, caller.group.ratio, upstreamPriceOf(served)?.rates)
    const sessionCost = paid?.(ofAnswers) ?? ofAnswers
    return createSession({
      ...{ codec, clock, meter, sessionCost, line },
      readLarge: (frame) => parts.large.frame(frame, caller.key?.id ?? caller.user.id, ask.style),
      codecContext: { now: clock.now, id: (prefix) => prefix + parts.random.base62(24) },
      largest: () => cost(meter.next(), price.rates, caller.group.ratio),
      topUp: createTopUp({ held: first, step: first, grow: async (extra) => books.grow(requestId, extra) }),
      longest: (served.channel.timeouts.total ?? longestSeconds) * 1000,
      readmit: ask.readmit,
      setup: undefined,
      ...(ask.variant && { sent: (frame: string) => codec.withTranscriber?.(frame, served.model.upstream) ?? frame }),
      ...special,
      note: () => books.progress(rowOf(begun, { end: 'cut', status: 101, error: interrupted, served, sessionCost })),
      async settle(ending) {
        const how = ended ? await ended(ending) : ending
        if (how.error?.code === 'upstream_error') parts.health.failed(served, how.error)
        await close(begun, { ...how, served, sessionCost })
        settled?.(how)
      },
    })
  }

  return {
    begin(ask) {
      parts.open.count += 1
      parts.open.streams += 1
      return {
        ask,
        at: new Date(clock.now()),
        tick: clock.monotonic(),
        attempts: createAttemptLog(parts.beginTrace?.(ask.requestId, ask.client)),
        price: undefined,
        held: false,
        ticket: undefined,
      }
    },
    enter,
    hold,
    session,
    close,
    async fail(begun, thrown) {
      const error = asGatewayError(thrown)
      await close(begun, { end: error.code === 'client_closed_request' ? 'aborted' : 'error', status: error.status, error })
      return error
    },
  }
}
