/**
 * One realtime session between a client and an upstream: frames pass verbatim both ways, a slow reader slows down the sender, and
 * every response is charged when it ends. The hold grows in advance; when the balance is used up, or the key or the user is revoked,
 * the session ends with an event that says why. It is settled before the client's connection is closed.
 */
import type { CodecContext } from '#canonical/codec'
import type { RealtimeCodec, RealtimeFrame, RealtimeMeter } from '#canonical/operation/realtime'
import { clientClosed } from '#relay/exchange/ended'
import type { SessionCost } from '#relay/spend/session-cost'
import type { TopUp } from '#relay/spend/top-up'
import type { Clock, Timer } from '#runtime/clock'
import type { ClientListener, FrameListener, FrameSocket, SocketFrame } from '#runtime/contract/sockets'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { Line } from './dial.ts'

export interface SessionEnding {
  end: End
  /** 101, or 499 when the client disconnected during a response. */
  status: number
  error: GatewayError | undefined
}

export interface SessionParts {
  clock: Clock
  codec: RealtimeCodec
  codecContext: CodecContext
  meter: RealtimeMeter
  topUp: TopUp
  sessionCost: SessionCost
  /** Cost of the largest possible next response, in nano-dollars. */
  largest(): bigint
  line: Line
  /** Longest duration, in milliseconds. */
  longest: number
  /** An event that is sent before the client's first one. */
  setup: string | undefined
  /** Rewrites a frame of the client for the upstream. */
  sent?(frame: string): string
  /** Rewrites a frame of the upstream for the client; undefined: unchanged. */
  toClient?(frame: string): string | undefined
  /** Throws GatewayError when the caller may not continue. */
  readmit(): void
  /** The client talks to the upstream directly, not over this connection: the hold grows with the upstream's events. */
  watches?: boolean
  /** Reads a frame that is too large to be read here. Rejects with GatewayError where it must not be forwarded. */
  readLarge(frame: SocketFrame): Promise<RealtimeFrame>
  /** Writes the progress to the journal. */
  note(): void
  /** Settles the session. Never rejects. */
  settle(ending: SessionEnding): Promise<void>
}

export interface Session extends ClientListener {
  /** Call when the client could not be upgraded. */
  abandon(): void
  /** Ends it as soon as no response is running. */
  drain(): void
  /** Ends it now; resolves when it is settled. */
  cut(): Promise<void>
}

/** Bytes buffered for a slow reader above which the sender is paused, and below which it resumes. */
const highWater = 1024 * 1024
const lowWater = 256 * 1024
/** Bytes from which a frame is read by the worker, and the milliseconds that its sender waits: many times as long as the work. */
const largeFrame = 256 * 1024
const restOf = (bytes: number) => (bytes / highWater) * 100
/** Milliseconds between checks of the caller's permission. */
const lookMs = 1_000

/** WebSocket close codes (RFC 6455 and its registry). */
const goingAway = 1001
const broken = 1006
const policy = 1008
const restart = 1012
const tryLater = 1013
const badGateway = 1014

/** An upstream may read a binary frame as text. */
const textOf = (frame: SocketFrame): string => (typeof frame === 'string' ? frame : new TextDecoder().decode(frame))

const complete: SessionEnding = { end: 'complete', status: 101, error: undefined }
const restarting = 'Parley is restarting.'
const shuttingDown = () => new GatewayError('overloaded', 'Parley is shutting down.')
const tooLong = () =>
  new GatewayError('upstream_timeout', 'The session reached its maximum length. What was used was charged; open a new session to go on.')
const lost = () => new GatewayError('upstream_error', 'The connection to the upstream was lost.')
const noMoney = () => new GatewayError('insufficient_quota', 'The balance does not cover another response. What was answered is charged.')

/** A session on an upstream connection that is already open; it starts when the client is attached. */
export function createSession(parts: SessionParts): Session {
  const { clock, codec, meter, topUp, sessionCost, line } = parts
  const { socket: upstream } = line
  let client: FrameSocket | undefined
  let stage: 'waiting' | 'open' | 'over' = 'waiting'
  let draining = false
  let clientPaused = false
  let upstreamPaused = true
  /** Client frames that wait until the hold covers them. */
  const waiting: SocketFrame[] = []
  let gate: Promise<void> | undefined
  /** A large frame is being read: those behind it wait. */
  let reading: Promise<void> | undefined
  let watch: Timer | undefined
  let resting: Timer | undefined
  let until = Number.POSITIVE_INFINITY

  const need = () => sessionCost.spent() + BigInt(Math.max(1, meter.running())) * parts.largest()

  async function finish(ending: SessionEnding, code: number, reason: string): Promise<void> {
    if (stage === 'over') return
    stage = 'over'
    watch?.cancel()
    resting?.cancel()
    upstream.close(goingAway, '')
    const rest = meter.unfinished()
    if (rest) sessionCost.add(rest)
    await topUp.quiet()
    await parts.settle(ending)
    client?.close(code, reason)
  }

  /** Sends the error as an event and ends the session. */
  function fail(error: GatewayError, code: number, end: End = 'error'): void {
    if (stage === 'over') return
    if (codec.writeError) client?.send(codec.writeError(error, parts.codecContext))
    void finish({ end, status: 101, error }, codec.closeCode?.(error) ?? code, error.message)
  }

  function look(): void {
    try {
      parts.readmit()
    } catch (thrown) {
      fail(asGatewayError(thrown), policy)
      return
    }
    if (clock.monotonic() > until) fail(tooLong(), goingAway, 'cut')
    else watch = clock.after(lookMs, look)
  }

  function pauseClient(): void {
    if (!clientPaused) client?.pause()
    clientPaused = true
  }

  function relaxClient(): void {
    if (!clientPaused || gate || resting || upstream.buffered() > lowWater) return
    clientPaused = false
    client?.resume()
  }

  function rest(bytes: number): void {
    pauseClient()
    resting?.cancel()
    resting = clock.after(restOf(bytes), () => {
      resting = undefined
      relaxClient()
    })
  }

  function forward(frame: SocketFrame): void {
    upstream.send(parts.sent ? parts.sent(textOf(frame)) : frame)
    if (upstream.buffered() > highWater) pauseClient()
  }

  /** Forwards the client's frames once the hold covers the responses that they may cause. */
  function pass(): void {
    if (gate) return
    const covered = topUp.cover(need())
    if (!covered) return void waiting.splice(0).forEach(forward)
    pauseClient()
    gate = opening(covered)
      .catch((thrown) => fail(asGatewayError(thrown), tryLater))
      .finally(() => {
        gate = undefined
        relaxClient()
      })
  }

  async function opening(first: Promise<boolean>): Promise<void> {
    for (let covered: Promise<boolean> | undefined = first; covered; covered = topUp.cover(need())) {
      if (!(await covered)) return fail(noMoney(), policy)
    }
    if (stage === 'open') waiting.splice(0).forEach(forward)
  }

  function take(frame: SocketFrame, read: string | RealtimeFrame): void {
    const { refusal, eventId } = meter.asked(read)
    if (refusal) refuse(refusal, eventId)
    else {
      waiting.push(frame)
      pass()
    }
  }

  function refuse(refusal: GatewayError, eventId?: unknown): void {
    if (codec.writeError) client?.send(codec.writeError(refusal, parts.codecContext, eventId))
    else fail(refusal, policy)
  }

  /** Never rejects. */
  async function takeLarge(frame: SocketFrame): Promise<void> {
    try {
      const read = frame.length > largeFrame ? await parts.readLarge(frame) : textOf(frame)
      if (stage === 'open') take(frame, read)
    } catch (thrown) {
      if (stage === 'open') refuse(asGatewayError(thrown))
    }
  }

  const fromUpstream: FrameListener = {
    message(frame) {
      if (stage !== 'open') return
      const text = typeof frame === 'string' || codec.isBinary ? textOf(frame) : undefined
      const usage = text === undefined ? undefined : meter.answered(text)
      if (usage) {
        sessionCost.add(usage)
        parts.note()
      }
      if (!client?.send((text !== undefined && parts.toClient?.(text)) || frame)) return leave(broken, '')
      if (client.buffered() > highWater) {
        upstreamPaused = true
        upstream.pause()
      }
      if (usage || parts.watches) pass()
      if (draining) end()
    },
    drained: relaxClient,
    closed(code, reason) {
      if (code === broken) return fail(lost(), badGateway, 'cut')
      const whole = meter.running() === 0
      void finish({ end: whole ? 'complete' : 'cut', status: 101, error: whole ? undefined : lost() }, code, reason)
    },
  }

  function leave(code: number, reason: string): void {
    const whole = meter.running() === 0 && code !== broken
    const ending: SessionEnding = whole ? complete : { end: 'aborted', status: 499, error: clientClosed() }
    upstream.close(code === broken ? goingAway : code, reason)
    void finish(ending, code, reason)
  }

  /** Ends the session if no response is running. */
  function end(): void {
    if (meter.running() === 0) void finish(complete, restart, restarting)
  }

  return {
    opened(socket) {
      if (stage === 'over') return socket.close(restart, restarting)
      client = socket
      stage = 'open'
      until = clock.monotonic() + parts.longest
      watch = clock.after(lookMs, look)
      line.listen(fromUpstream)
      upstreamPaused = false
      upstream.resume()
      if (parts.setup !== undefined) take(parts.setup, parts.setup)
      if (draining) end()
    },
    message(frame) {
      if (stage !== 'open') return
      if (frame.length > largeFrame) rest(frame.length)
      if (!reading && frame.length <= largeFrame) return take(frame, textOf(frame))
      const turn = (reading ?? Promise.resolve())
        .then(() => takeLarge(frame))
        .finally(() => {
          if (reading === turn) reading = undefined
        })
      reading = turn
    },
    drained() {
      if (!upstreamPaused || !client || client.buffered() > lowWater) return
      upstreamPaused = false
      upstream.resume()
    },
    closed(code, reason) {
      // Frames that the client sent before it disconnected are still forwarded.
      if (reading) void reading.then(() => this.closed(code, reason))
      else if (gate) void gate.then(() => leave(code, reason))
      else leave(code, reason)
    },
    abandon: () => leave(broken, ''),
    drain() {
      draining = true
      if (stage === 'open') end()
    },
    cut: () =>
      meter.running() === 0
        ? finish(complete, restart, restarting)
        : finish({ end: 'cut', status: 101, error: shuttingDown() }, goingAway, restarting),
  }
}
