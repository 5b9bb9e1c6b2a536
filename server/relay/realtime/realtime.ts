/**
 * Realtime: a session is one request in eight steps, with a connection instead of an answer. Plan, hold and upstream connection are made
 * before the client is upgraded, so that every refusal has an HTTP status; the rest is in `session.ts`, and the accounting in `booking.ts`.
 */

import { isWholeFor } from '#billing/pricing/cost'
import { realtimeCodecs } from '#protocols/realtime'
import type { Candidate } from '#routing/order'
import { modelNotFound } from '#routing/plan'
import { GatewayError } from '#shared/errors'
import { sidebandUrl } from '#vendors/calls'
import { candidateAt, heldBeside } from './beside.ts'
import type { Begun, Booking, Held, OwnOfSession, RealtimeParts } from './booking.ts'
import type { KeptSession, Realtime, RealtimeAsk } from './contract.ts'
import { dialAny, type Line } from './dial.ts'
import { frameRewriter, modelAt } from './frame-rewriter.ts'
import { notedSession } from './noted-session.ts'
import { plannedFor } from './planned.ts'
import type { Session } from './session.ts'

/** The candidates whose account has the session. Throws `not_found` when there is none left. */
function keepersOf(candidates: readonly Candidate[], { channel, key }: KeptSession): readonly Candidate[] {
  const found = candidates.filter((one) => one.channel.id === channel && (one.key?.id ?? null) === key)
  if (found.length === 0) throw new GatewayError('not_found', 'There is no session with this handle.')
  return found
}

/** Opens realtime sessions and keeps track of them. */
export function createRealtime(parts: RealtimeParts, booking: Booking): Realtime {
  const sessions = new Set<Session>()
  let draining = false

  /** A session next to a call, at the account that has it. */
  async function beside(begun: Begun, call: NonNullable<RealtimeAsk['beside']>): Promise<Session> {
    const { ask, attempts } = begun
    const { model, headers, capture, signal } = ask
    await booking.enter(begun)
    const held = heldBeside(ask, candidateAt(parts, call, model))
    const line = await dialAny({
      ...{ parts, candidates: held.candidates, codec: realtimeCodecs.openai, variant: 'call', model, attempts, headers, capture, signal },
      address: (url) => sidebandUrl(url, call.upstreamId),
    })
    return kept(begun, held, line)
  }

  async function begin(begun: Begun): Promise<Session> {
    const { ask, attempts } = begun
    if (ask.beside) return beside(begun, ask.beside)
    const { begins, handles, model, headers, capture, signal } = ask
    const codec = realtimeCodecs[ask.style]
    const held = await booking.hold(begun, (planned) => (handles?.from ? keepersOf(planned, handles.from) : planned), begins)
    const line = await dialAny({
      ...{ parts, candidates: held.candidates, codec, variant: ask.variant, model, attempts, headers, capture, signal },
      ...(begins !== undefined && {
        begins: (candidate) => codec.writeSetup?.(begins, modelAt(candidate), handles?.from?.handle) ?? begins,
      }),
    })
    return kept(begun, held, line, {
      ...(handles && { toClient: frameRewriter(codec, handles, line.candidate, ask.service ?? 'api') }),
      setup: ask.setup ?? (ask.variant && codec.transcriptionSetup?.(model)),
    })
  }

  function kept(begun: Begun, held: Held, line: Line, own: OwnOfSession = {}): Session {
    const { capture } = begun.ask
    const session: Session = booking.session(begun, held, line, { ...own, settled: () => void sessions.delete(session) })
    sessions.add(session)
    if (draining) session.drain()
    return capture ? notedSession(session, capture) : session
  }

  async function realtime(ask: RealtimeAsk): Promise<Session> {
    const begun = booking.begin(ask)
    try {
      return await begin(begun)
    } catch (thrown) {
      throw await booking.fail(begun, thrown)
    }
  }

  return Object.assign(realtime, {
    demand({ group, models }: RealtimeAsk['caller'], style: RealtimeAsk['style'], model: string) {
      plannedFor(parts, style, { group: group.name, model, models })
      if (!isWholeFor(parts.prices.get(model), 'realtime')) throw modelNotFound()
    },
    drain() {
      draining = true
      for (const session of [...sessions]) session.drain()
    },
    async cut() {
      await Promise.all([...sessions].map((session) => session.cut()))
    },
  })
}
