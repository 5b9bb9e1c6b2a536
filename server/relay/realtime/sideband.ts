/**
 * The WebSocket next to a call over which Parley learns its usage. It is reconnected when it breaks, until the upstream no longer knows the
 * call.
 */
import type { CallFacts } from '#canonical/operation/kept-call'
import { realtimeCodecs } from '#protocols/realtime'
import { createAttemptLog } from '#relay/pipeline/attempt'
import type { Candidate } from '#routing/order'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { FrameListener, FrameSocket } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import { sidebandUrl } from '#vendors/calls'
import type { RealtimeParts } from './booking.ts'
import { dialAny, type Line } from './dial.ts'

export interface Sideband extends Line {
  /** The call is over: the upstream no longer knows it. */
  isOver(): boolean
}

export interface SidebandOf {
  parts: RealtimeParts
  candidate: Candidate
  call: Pick<CallFacts, 'model' | 'upstreamId'> & { createdAt: Date }
  /** Aborted when this process gives up the call. */
  signal: AbortSignalLike
}

/**
 * Milliseconds during which an upstream may not know a call yet because its client has not joined, and for which an unreachable one is
 * retried.
 */
const freshMs = 30_000
const patienceMs = 15_000
const pauses = { first: 250, most: 2000 }
/** A connection that keeps closing is given up after this many dials within this many milliseconds. */
const mostDials = 5
const dialsMs = 10_000

const unknownThere = new Set([400, 404, 410])
const ended = 1000
const broken = 1006

const over = new GatewayError('not_found', 'The upstream no longer knows this call.')

/** One connection. Rejects with `over` when the upstream does not know the call. */
async function dialled({ parts, candidate, call, signal }: SidebandOf): Promise<Line> {
  const attempts = createAttemptLog()
  try {
    return await dialAny({
      ...{ parts, candidates: [candidate], codec: realtimeCodecs.openai, variant: 'call', attempts, signal },
      ...{ model: call.model, headers: {}, capture: undefined },
      address: (url) => sidebandUrl(url, call.upstreamId),
    })
  } catch (thrown) {
    throw unknownThere.has(attempts.rows().at(-1)?.status ?? 0) ? over : thrown
  }
}

/** Dials until there is a connection, or the upstream does not know the call: then it rejects with `over`. */
async function reached(of: SidebandOf, patience: { until: number; fresh: number }): Promise<Line> {
  const { clock } = of.parts
  for (let pause = pauses.first; ; pause = Math.min(pause * 2, pauses.most)) {
    try {
      return await dialled(of)
    } catch (thrown) {
      of.signal.throwIfAborted()
      const now = clock.now()
      if (now >= (thrown === over ? patience.fresh : patience.until)) throw thrown
    }
    await clock.sleep(pause, of.signal)
  }
}

function lasting(of: SidebandOf, first: Line): Sideband {
  const { clock } = of.parts
  let line = first
  let listener: FrameListener | undefined
  let isClosed = false
  let isOver = false
  let dials: number[] = []

  const forwarding: FrameListener = {
    message: (frame) => listener?.message(frame),
    drained: () => listener?.drained(),
    closed(code, reason) {
      if (isClosed) listener?.closed(code, reason)
      else void again()
    },
  }

  async function again(): Promise<void> {
    const now = clock.monotonic()
    dials = [...dials.filter((at) => now - at < dialsMs), now]
    try {
      if (dials.length > mostDials) throw new Error('the connection keeps closing')
      line = await reached(of, { until: clock.now() + patienceMs, fresh: 0 })
      if (isClosed) return line.socket.close(ended, '')
      line.listen(forwarding)
      line.socket.resume()
    } catch (thrown) {
      isOver = thrown === over
      listener?.closed(isOver ? ended : broken, '')
    }
  }

  const socket: FrameSocket = {
    send: (frame) => line.socket.send(frame),
    buffered: () => line.socket.buffered(),
    pause: () => line.socket.pause(),
    resume: () => line.socket.resume(),
    close(code, reason) {
      isClosed = true
      line.socket.close(code, reason)
    },
  }
  return {
    candidate: first.candidate,
    socket,
    isOver: () => isOver,
    listen(to) {
      listener = to
      line.listen(forwarding)
    },
  }
}

/**
 * Connects. Undefined when the upstream does not know the call; rejects with GatewayError when it cannot be reached, and with the signal's
 * reason.
 */
export async function openSideband(of: SidebandOf): Promise<Sideband | undefined> {
  const fresh = of.call.createdAt.getTime() + freshMs
  try {
    return lasting(of, await reached(of, { until: Math.max(fresh, of.parts.clock.now() + patienceMs), fresh }))
  } catch (thrown) {
    if (thrown === over) return undefined
    throw thrown
  }
}
