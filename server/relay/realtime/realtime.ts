/**
 * Realtime: a session is one request in eight steps, with a connection instead of an answer. Plan, hold and upstream connection are
 * made before the client is upgraded, so that every refusal has an HTTP status; the rest is in `session.ts`. One usage row per
 * session; its cost is the sum of the costs of its responses.
 */

import type { NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import type { Price } from '#billing/pricing/price'
import { isWholeFor } from '#billing/pricing/whole'
import type { Ticket } from '#billing/ratelimit/limits'
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
import { tellOpenSecondBook, usageRow } from '#relay/spend/usage-row'
import type { Candidate } from '#routing/order'
import { modelNotFound, plan } from '#routing/plan'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { SocketUpstream } from '#upstream/socket'
import type { KeptSession, Realtime, RealtimeAsk } from './contract.ts'
import { dialAny, type Line } from './dial.ts'
import { longestSeconds, meterFor } from './limits.ts'
import { notedSession } from './noted-session.ts'
import { createSession, type Session } from './session.ts'
import { modelAt, toldBy } from './told.ts'

export interface RealtimeParts extends RelayParts {
  /** Reads large frames. */
  large: Pick<LargeBodies, 'frame'>
  /** The network. */
  sockets: SocketUpstream
  /** The scripted model behind the same interface. */
  demoSockets: SocketUpstream
}

interface Begun {
  ask: RealtimeAsk
  at: Date
  tick: number
  attempts: AttemptLog
  price: Price | undefined
  held: boolean
  ticket: Ticket | undefined
}

interface Outcome {
  end: End
  status: number
  error: GatewayError | undefined
  line?: Line
  sessionCost?: SessionCost
}

/** Those among the candidates in whose account the session is kept. Throws `not_found` when there is none any more. */
function keepersOf(candidates: readonly Candidate[], { channel, key }: KeptSession): readonly Candidate[] {
  const found = candidates.filter((one) => one.channel.id === channel && (one.key?.id ?? null) === key)
  if (found.length === 0) throw new GatewayError('not_found', 'There is no session with this handle any more.')
  return found
}

/** Opens realtime sessions and keeps track of them. */
export function createRealtime(parts: RealtimeParts): Realtime {
  const { clock, books } = parts
  const sessions = new Set<Session>()
  let draining = false

  function rowOf(begun: Begun, { end, status, error, line, sessionCost }: Outcome): NewLog {
    const { ask, at, attempts, price } = begun
    const facts = {
      ask: { ...ask, operation: 'realtime', dialect: ask.style } as const,
      head: { model: ask.model, stream: true },
      price,
      at,
      served: line?.candidate,
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
    const { error, line, sessionCost } = outcome
    if (line) begun.attempts.close(error, 0)
    const row = rowOf(begun, outcome)
    tellOpenSecondBook(parts.log, row)
    if (!begun.held) await books.record(row)
    else await (sessionCost?.usage() ? books.settle(row) : books.release(row))
    if (line) begun.ask.capture?.answerOver(error?.code)
    begun.ask.capture?.settled(outcome.end)
    begun.ticket?.done(sessionCost?.tokens() ?? 0)
    parts.open.count -= 1
    parts.open.streams -= 1
  }

  async function begin(begun: Begun): Promise<Session> {
    const { ask, attempts } = begun
    const { caller, model, requestId, begins, handles } = ask
    const codec = realtimeCodecs[ask.style]
    const price = parts.prices.get(model)
    if (!isWholeFor(price, 'realtime')) throw modelNotFound()
    begun.price = price
    const dialect = ask.style === 'gemini' ? 'gemini' : 'chat'
    const asked = {
      group: caller.group.name,
      model,
      models: caller.models,
      operation: 'realtime',
      dialect,
      ...(ask.variant && { use: 'transcribe' as const }),
    } as const
    const planned = plan(parts.channels, asked, parts.random.fraction)
    const candidates = parts.health.plentyFirst(parts.health.fit(handles?.from ? keepersOf(planned, handles.from) : planned))
    begun.ticket = await parts.limiter.take(limitsOf(caller), 0)
    const meter = meterFor(ask, candidates, price, () =>
      parts.log.warn({ requestId }, 'implausible usage reported by the upstream; tokens were counted locally'),
    )
    const { refusal } = begins === undefined ? {} : meter.asked(begins)
    if (refusal) throw refusal
    const largest = () => cost(meter.next(), price.rates, caller.group.ratio)
    const first = largest()
    await books.hold(requestId, accountsOf(caller, begun.at.getTime()), first)
    begun.held = true
    const { headers, capture, signal } = ask
    const line = await dialAny({
      ...{ parts, candidates, codec, variant: ask.variant, model, attempts, headers, capture, signal },
      ...(begins !== undefined && {
        begins: (candidate) => codec.writeSetup?.(begins, modelAt(candidate), handles?.from?.handle) ?? begins,
      }),
    })
    const sessionCost = createSessionCost(price.rates, caller.group.ratio, upstreamPriceOf(line.candidate)?.rates)
    const session = createSession({
      codec,
      readLarge: (frame) => parts.large.frame(frame, caller.key?.id ?? caller.user.id, ask.style),
      ...(handles && { told: toldBy(codec, handles, line.candidate, ask.service ?? 'api') }),
      clock,
      codecContext: { now: clock.now, id: (prefix) => prefix + parts.random.base62(24) },
      meter,
      sessionCost,
      largest,
      line,
      topUp: createTopUp({ held: first, step: first, grow: (extra) => books.grow(requestId, extra) }),
      longest: (line.candidate.channel.timeouts.total ?? longestSeconds) * 1000,
      readmit: ask.readmit,
      setup: ask.setup ?? (ask.variant && codec.transcriptionSetup?.(model)),
      ...(ask.variant && { sent: (frame: string) => codec.withTranscriber?.(frame, line.candidate.model.upstream) ?? frame }),
      note: () => books.progress(rowOf(begun, { end: 'cut', status: 101, error: interrupted(), line, sessionCost })),
      async settle(ending) {
        if (ending.error?.code === 'upstream_error') parts.health.failed(line.candidate, ending.error)
        await close(begun, { ...ending, line, sessionCost })
        sessions.delete(session)
      },
    })
    sessions.add(session)
    if (draining) session.drain()
    return ask.capture ? notedSession(session, ask.capture) : session
  }

  async function realtime(ask: RealtimeAsk): Promise<Session> {
    parts.open.count += 1
    parts.open.streams += 1
    const begun: Begun = {
      ask,
      at: new Date(clock.now()),
      tick: clock.monotonic(),
      attempts: createAttemptLog(parts.beginTrace?.(ask.requestId, ask.client)),
      price: undefined,
      held: false,
      ticket: undefined,
    }
    try {
      return await begin(begun)
    } catch (thrown) {
      const error = asGatewayError(thrown)
      const end = error.code === 'client_closed_request' ? 'aborted' : 'error'
      await close(begun, { end, status: error.status, error })
      throw error
    }
  }

  return Object.assign(realtime, {
    drain() {
      draining = true
      for (const session of [...sessions]) session.drain()
    },
    async cut() {
      await Promise.all([...sessions].map((session) => session.cut()))
    },
  })
}
