/**
 * The job that watches a call: it reads the usage from a WebSocket next to the call, holds money ahead, charges it as a session with a row
 * of its own, and hangs up when the balance or a budget is used up, or the key expires. A process that takes over a call writes a further
 * row. A response is only charged by a process that held the job alone when the response ended, so that nothing is charged twice.
 */
import type { Caller } from '#accounts/caller'
import type { Calls } from '#calls/calls'
import type { KeptCall } from '#canonical/operation/kept-call'
import type { RealtimeMeter } from '#canonical/operation/realtime'
import type { Usage } from '#canonical/usage'
import type { JobKind, RunningJob } from '#jobs/jobs'
import { readBreach } from '#protocols/realtime'
import { clientClosed } from '#relay/exchange/ended'
import type { SessionCost } from '#relay/spend/session-cost'
import type { Candidate } from '#routing/order'
import { modelNotFound } from '#routing/plan'
import { newRequestId } from '#runtime/clock'
import type { FrameSocket } from '#runtime/contract/sockets'
import { asGatewayError, type ErrorCode, GatewayError } from '#shared/errors'
import { candidateAt } from './beside.ts'
import type { Begun, Booking, Held, RealtimeParts } from './booking.ts'
import { hangUp } from './call-request.ts'
import type { RealtimeAsk } from './contract.ts'
import type { SessionEnding } from './session.ts'
import { openSideband, type Sideband } from './sideband.ts'

export interface WatchParts {
  parts: RealtimeParts
  booking: Booking
  calls: Pick<Calls, 'find' | 'end'>
  /** The caller for this key and client address, now; undefined: not allowed. */
  callerOf(keyId: string, address: string): Caller | undefined
}

/** A session whose money is already held. */
export interface Handed {
  begun: Begun
  held: Held
}

export interface WatchedCalls {
  job: JobKind
  /** Passes this to the job of the call, which starts in this process. */
  hand(id: string, handed: Handed): void
  /** Takes back what no job has taken. */
  takeBack(id: string): Handed | undefined
  /** Nano-dollars that a call has cost so far; undefined if this process does not watch it. */
  spent(id: string): bigint | undefined
}

const sink: FrameSocket = { send: () => true, buffered: () => 0, pause() {}, resume() {}, close() {} }

/** The HTTP status of the answer that opened the call. */
const created = 201
/** Milliseconds between checks that this process alone holds the job. */
const lookMs = 200

/** Transient errors are no reason to hang up: the job is retried. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['books_unavailable', 'journal_full', 'overloaded'])

const keyGone = () => new GatewayError('invalid_api_key', 'The key of this call is no longer valid.')

/** Only counts usage that was read while no other process could hold the job. */
function proven(cost: SessionCost, job: RunningJob): SessionCost & { prove(): void } {
  const waiting: Usage[] = []
  const prove = () => {
    if (job.isSure()) for (const usage of waiting.splice(0)) cost.add(usage)
  }
  return {
    ...cost,
    prove,
    add(usage) {
      waiting.push(usage)
      prove()
    },
  }
}

export function createWatchedCalls({ parts, booking, calls, callerOf }: WatchParts): WatchedCalls {
  const { clock, log } = parts
  const handed = new Map<string, Handed>()
  const costs = new Map<string, SessionCost>()
  const isAt = (call: KeptCall) => (one: Candidate) => one.channel.id === call.channel && (one.key?.id ?? null) === call.key

  const readmission =
    ({ keyId, address, model }: KeptCall) =>
    (): Caller => {
      const caller = callerOf(keyId, address)
      if (!caller) throw keyGone()
      if (caller.models && !caller.models.has(model)) throw modelNotFound()
      return caller
    }

  /** Takes over a call from another process. Rejects with GatewayError, after its row is written. */
  async function takenOver(call: KeptCall): Promise<Handed> {
    const admit = readmission(call)
    const ask: RealtimeAsk = {
      ...{ requestId: newRequestId(parts), caller: admit(), model: call.model, style: 'openai', goesOn: true },
      ...(call.transcribes && { variant: 'transcription' }),
      ...{ readmit: () => void admit(), headers: {}, client: new Headers(), signal: new AbortController().signal },
    }
    const begun = booking.begin(ask)
    try {
      return { begun, held: await booking.hold(begun, (planned) => planned.filter(isAt(call))) }
    } catch (thrown) {
      throw await booking.fail(begun, thrown)
    }
  }

  /** Reads the events of the call until it is over, or this process gives it up. */
  async function meterEvents(job: RunningJob, call: KeptCall, { begun, held }: Handed, sideband: Sideband): Promise<void> {
    const over = Promise.withResolvers<void>()
    let breach: GatewayError | undefined
    let isGivenUp = false
    let cost: ReturnType<typeof proven> | undefined
    // An unfinished response is charged by the process that sees its end.
    const meter: RealtimeMeter = { ...held.meter, unfinished: () => (isGivenUp ? undefined : held.meter.unfinished()) }
    const upstreamModel = call.transcribes && sideband.candidate.model.upstream

    async function ended({ end, status, error }: SessionEnding): Promise<SessionEnding> {
      while (!isGivenUp && !job.isSure()) await clock.sleep(lookMs)
      cost?.prove()
      if (isGivenUp) return { end: 'complete', status: created, error: undefined }
      if (!sideband.isOver()) return { end, status: status === 101 ? created : status, error }
      // A client that hangs up during a response has disconnected.
      return end === 'complete' ? { end, status: created, error: undefined } : { end: 'aborted', status: 499, error: clientClosed() }
    }

    const session = booking.session(begun, { ...held, meter }, sideband, {
      watches: true,
      toClient(frame) {
        breach ??= readBreach(frame, upstreamModel || undefined)
        return undefined
      },
      readmit() {
        if (breach) throw breach
        begun.ask.readmit()
      },
      paid(ofAnswers) {
        cost = proven(ofAnswers, job)
        costs.set(call.id, cost)
        return cost
      },
      ended,
      settled: () => over.resolve(),
    })
    const giveUp = () => {
      isGivenUp = true
      void session.cut()
    }
    session.opened(sink)
    if (job.lost.aborted) giveUp()
    else job.lost.addEventListener('abort', giveUp, { once: true })
    await over.promise
    costs.delete(call.id)
  }

  /** Watches the call; false when this process gives it up, true when the call must end. Rejects when that is still unknown. */
  async function watched(job: RunningJob, call: KeptCall, candidate: Candidate, given: Handed | undefined): Promise<boolean> {
    let mine = given
    try {
      mine ??= await takenOver(call)
    } catch (thrown) {
      if (passing.has(asGatewayError(thrown).code)) throw thrown
      log.info({ call: call.id, err: thrown }, 'hanging up a call: nobody pays for it any more')
      return true
    }
    const { begun } = mine
    let sideband: Sideband | undefined
    try {
      sideband = await openSideband({ parts, candidate, call, signal: job.lost })
    } catch (thrown) {
      if (!job.lost.aborted) {
        await booking.fail(begun, thrown)
        return true
      }
    }
    if (!sideband || job.lost.aborted) {
      await booking.close(begun, { end: 'complete', status: created, error: undefined, served: candidate })
      sideband?.socket.close(1000, '')
      return !job.lost.aborted
    }
    await meterEvents(job, call, mine, sideband)
    return !job.lost.aborted
  }

  async function run(job: RunningJob): Promise<undefined> {
    // At once, before the next turn of the event loop: anything not taken by then is closed.
    const given = takeBack(job.id)
    const call = await calls.find(job.id)
    if (!call || call.endedAt) {
      if (given) await booking.close(given.begun, { end: 'complete', status: created, error: undefined })
      return
    }
    const candidate = candidateOr(call)
    if (candidate) {
      if (!(await watched(job, call, candidate, given))) return
      await hangUp(parts, candidate, call.upstreamId)
    } else if (given) await booking.close(given.begun, { end: 'error', status: 503, error: undefined })
    await calls.end(call.id)
  }

  function candidateOr(call: KeptCall): Candidate | undefined {
    try {
      return candidateAt(parts, call, call.model)
    } catch (thrown) {
      log.warn({ call: call.id, err: thrown }, 'a call is no longer watched: its channel is gone, and with it the key that could hang up')
      return undefined
    }
  }

  function takeBack(id: string): Handed | undefined {
    const found = handed.get(id)
    handed.delete(id)
    return found
  }

  return { job: { atOnce: 10_000, run }, hand: (id, what) => void handed.set(id, what), takeBack, spent: (id) => costs.get(id)?.spent() }
}
