/**
 * Calls over WebRTC and SIP: opened and accepted at an upstream, recorded with their owner, channel and key, and passed to the job that
 * watches them (`watched-call.ts`). The media of a call does not pass through Parley; its usage is read from a WebSocket next to it.
 */
import type { Calls } from '#calls/calls'
import type { CallFacts, KeptCall } from '#canonical/operation/kept-call'
import { type CallSession, callIdIn, writeCallSession, writeSetup } from '#protocols/realtime'
import { type Make, tryCandidates } from '#relay/pipeline/attempt'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { type CallAction, holdsCalls } from '#vendors/calls'
import { writeMultipart } from '#wire/multipart'
import { candidateAt } from './beside.ts'
import type { Begun, Booking, RealtimeParts } from './booking.ts'
import { askOfCall, type CallAnswer, type CallRequest, callLimits, hangUp } from './call-request.ts'
import type { RealtimeAsk } from './contract.ts'
import type { WatchedCalls } from './watched-call.ts'

/** A requested call. */
export interface CallAsk {
  ask: RealtimeAsk
  session: Omit<CallSession, 'model'>
  /** The client's address. */
  address: string
}

/** The endpoints of calls. Each rejects with GatewayError, after its row is written. */
export interface CallEndpoints {
  /** Opens a call for the client's session description (SDP); resolves to the upstream's, with the id of the call. */
  open(asked: CallAsk, sdp: string): Promise<{ id: string; sdp: string }>
  /** Accepts an incoming call at an upstream's account. */
  accept(asked: CallAsk, id: string): Promise<void>
  /** Performs an action on a call; `body`: JSON text. */
  act(ask: RealtimeAsk, id: string, action: CallAction, body: string | undefined): Promise<void>
  /** Ends a call of any owner. Rejects with GatewayError. */
  end(id: string): Promise<void>
  /** The caller's call of this id. Rejects with `not_found`. */
  own(ask: Pick<RealtimeAsk, 'caller'>, id: string): Promise<KeptCall>
}

export interface CallEndpointParts {
  parts: RealtimeParts
  booking: Booking
  calls: Calls
  watched: Pick<WatchedCalls, 'hand' | 'takeBack'>
}

const noCall = () => new GatewayError('not_found', 'There is no call with this id.', { param: 'call_id' })
const noHolder = () =>
  new GatewayError(
    'unsupported_here',
    'No channel of this model supports calls: a channel of the vendor `openai`, `azure-openai`, `openai-compatible` or `parley` is needed. Open the WebSocket at /v1/realtime.',
    { param: 'model' },
  )

/** The candidates whose upstreams support calls. Throws `unsupported_here` when there is none. */
function holdersAmong(candidates: readonly Candidate[]): readonly Candidate[] {
  const found = candidates.filter(({ channel }) => holdsCalls(channel.vendor.id))
  if (found.length === 0) throw noHolder()
  return found
}

/**
 * The candidates whose account only one tenant uses: callers may name calls there that Parley did not record. Throws `not_found` when there
 * is none.
 */
function foreignAmong(candidates: readonly Candidate[]): readonly Candidate[] {
  const found = candidates.filter(({ channel }) => holdsCalls(channel.vendor.id) && channel.foreignState === 'allow')
  if (found.length === 0) throw noCall()
  return found
}

export function createCallEndpoints({ parts, booking, calls, watched }: CallEndpointParts): CallEndpoints {
  /** Asks the candidates until one succeeds. Not aborted when the client disconnects: that would leave a call behind. */
  function asked(begun: Begun, candidates: readonly Candidate[], requestFor: (candidate: Candidate) => CallRequest) {
    const make =
      (candidate: Candidate): Make<CallAnswer> =>
      async ({ row, timer }) => {
        try {
          const answer = await askOfCall(parts, candidate, requestFor(candidate), timer)
          row.status = answer.status
          return answer
        } finally {
          timer.stop()
        }
      }
    const { attempts, ask } = begun
    const signal = new AbortController().signal
    return tryCandidates({
      ...{ parts, candidates, model: ask.model, attempts, signal, limits: callLimits },
      prepare: async (candidate) => make(candidate),
    })
  }

  /** Records the call, whose job then owns the hold. */
  async function noted(begun: Begun, held: Awaited<ReturnType<Booking['hold']>>, candidate: Candidate, id: string, facts: CallFacts) {
    const { ask } = begun
    watched.hand(id, { begun, held: { ...held, candidates: [candidate] } })
    try {
      const row = { id, tenant: ask.caller.user.id, keyId: ask.caller.key?.id ?? '', requestId: ask.requestId, facts }
      if (!(await calls.begin(row))) throw new GatewayError('invalid_request', 'This call has been accepted already.')
    } catch (thrown) {
      if (!watched.takeBack(id)) throw thrown
      await hangUp(parts, candidate, facts.upstreamId).catch((err: unknown) =>
        parts.log.warn({ requestId: ask.requestId, err }, 'a call was opened but could be neither recorded nor hung up'),
      )
      throw await booking.fail(begun, thrown)
    }
    // A process that is shutting down starts no job: another one takes the call over.
    if (watched.takeBack(id)) await booking.close(begun, { end: 'complete', status: 201, error: undefined, served: candidate })
  }

  const factsOf = ({ ask, session, address }: CallAsk, { channel, key }: Candidate, upstreamId: string): CallFacts => ({
    ...{ model: ask.model, channel: channel.id, key: key?.id ?? null, upstreamId, address },
    ...(session.transcribes && { transcribes: true }),
  })

  const setupOf = ({ session }: CallAsk) => writeSetup(JSON.stringify(session.settings))

  function offer({ session }: CallAsk, sdp: string, { model }: Candidate): CallRequest {
    const form = [
      { name: 'sdp', value: sdp },
      { name: 'session', value: writeCallSession(session, model.upstream) },
    ]
    return { body: writeMultipart(form, `parley-${parts.random.base62(24)}`), accept: 'application/sdp' }
  }

  async function foreign({ caller }: RealtimeAsk): Promise<readonly Candidate[]> {
    const open = [...parts.channels.all()].filter(
      ({ enabled, groups, models }) =>
        enabled && groups.has(caller.group.name) && (caller.models === null || [...models.keys()].some((name) => caller.models?.has(name))),
    )
    const named = open.flatMap((channel) => channel.keys.filter(({ enabled }) => enabled).map((key) => ({ channel, key: key.id })))
    return foreignAmong(named.map(({ channel, key }) => candidateAt(parts, { channel: channel.id, key }, '')))
  }

  async function whoHas(ask: RealtimeAsk, id: string, action: CallAction): Promise<{ candidates: readonly Candidate[]; id: string }> {
    const call = await calls.find(id)
    if (call && call.tenant !== ask.caller.user.id) throw noCall()
    if (call) return { candidates: [candidateAt(parts, call, call.model)], id: call.upstreamId }
    // An incoming call that was not accepted here has no owner yet.
    if (action === 'refer') throw noCall()
    return { candidates: await foreign(ask), id }
  }

  return {
    async open(call, sdp) {
      const begun = booking.begin(call.ask)
      let held: Awaited<ReturnType<Booking['hold']>>
      let opened: Awaited<ReturnType<typeof asked>>
      let upstreamId: string | undefined
      try {
        held = await booking.hold(begun, holdersAmong, setupOf(call))
        opened = await asked(begun, held.candidates, (candidate) => offer(call, sdp, candidate))
        upstreamId = callIdIn(opened.value.headers.get('location'))
        if (upstreamId === undefined) throw new GatewayError('upstream_error', 'The upstream opened a call without returning its id.')
      } catch (thrown) {
        throw await booking.fail(begun, thrown)
      }
      const id = calls.newId()
      await noted(begun, held, opened.candidate, id, factsOf(call, opened.candidate, upstreamId))
      return { id, sdp: opened.value.text }
    },
    async accept(call, id) {
      const begun = booking.begin(call.ask)
      let held: Awaited<ReturnType<Booking['hold']>>
      let accepted: Awaited<ReturnType<typeof asked>>
      try {
        if (await calls.find(id)) throw noCall()
        held = await booking.hold(begun, (planned) => foreignAmong(holdersAmong(planned)), setupOf(call))
        accepted = await asked(begun, held.candidates, ({ model }) => ({
          ...{ at: { id, action: 'accept' }, accept: '*/*' },
          body: writeCallSession(call.session, model.upstream),
        }))
      } catch (thrown) {
        throw await booking.fail(begun, thrown)
      }
      await noted(begun, held, accepted.candidate, id, factsOf(call, accepted.candidate, id))
    },
    async act(ask, id, action, body) {
      const begun = booking.begin(ask)
      try {
        await booking.enter(begun)
        const { candidates, id: upstreamId } = await whoHas(ask, id, action)
        const request: CallRequest = { at: { id: upstreamId, action }, accept: '*/*', ...(body !== undefined && { body }) }
        const { candidate, value } = await asked(begun, candidates, () => request)
        await booking.close(begun, { end: 'complete', status: value.status, error: undefined, served: candidate })
      } catch (thrown) {
        throw await booking.fail(begun, thrown)
      }
    },
    async end(id) {
      const call = await calls.find(id)
      if (!call || call.endedAt) throw noCall()
      await hangUp(parts, candidateAt(parts, call, call.model), call.upstreamId)
    },
    async own({ caller }, id) {
      const call = await calls.find(id)
      if (!call || call.endedAt || call.tenant !== caller.user.id) throw noCall()
      return call
    },
  }
}
