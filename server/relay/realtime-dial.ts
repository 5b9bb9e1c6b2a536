/**
 * Step 6 for a socket: try candidates until one stands and has begun its session. An upstream that accepts the connection only
 * to say an error on it has not begun: nothing of it reaches the client, and the next one is tried.
 */

import { realtimeCodec } from '#protocols/realtime'
import type { Candidate } from '#routing/order'
import { type Failure, nextAttempt, verdict } from '#routing/retry'
import type { FrameListener, FrameSocket, SocketFrame } from '#runtime/contract/sockets'
import type { AttemptRow } from '#shared/console/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { SocketUpstream } from '#upstream/socket'
import { phaseLimits, phaseTimer } from '#upstream/timeouts'
import { authHeaders, schemeOf } from '#vendors/auth'
import { withPlainWait } from '#vendors/limit-headers'
import type { RelayParts } from './ask.ts'
import { clientClosed } from './attempt.ts'
import { credentialOf } from './outgoing.ts'

/** Seconds that an upstream has for the connection. */
const dialSeconds = 15
/** Milliseconds that a standing connection is given to say its first word; some wait for the client's. */
const firstWordMs = 2_000

export interface Dialling {
  parts: RelayParts & { sockets: SocketUpstream; demoSockets: SocketUpstream }
  candidates: readonly Candidate[]
  /** Grows as attempts are made. */
  attempts: AttemptRow[]
  /** Further headers: what the client asked of the protocol. */
  headers: Record<string, string>
  /** Aborted when the client leaves. */
  signal: AbortSignal
}

/** A connection to an upstream, paused, until someone listens. */
export interface Line {
  candidate: Candidate
  socket: FrameSocket
  /** Hands over what came so far, and everything from now on. */
  listen(listener: FrameListener): void
}

const nothingLeft = () => new GatewayError('no_channel_available', 'No channel for this model is available right now.', { retryAfter: 5 })

type Heard = SocketFrame | { code: number; reason: string }

/** Keeps what comes until somebody listens. */
function answering() {
  const kept: Heard[] = []
  const firstWord = Promise.withResolvers<Heard>()
  let listener: FrameListener | undefined
  const hand = (to: FrameListener, heard: Heard) =>
    typeof heard === 'object' && 'code' in heard ? to.closed(heard.code, heard.reason) : to.message(heard)
  const take = (heard: Heard) => {
    firstWord.resolve(heard)
    if (listener) hand(listener, heard)
    else kept.push(heard)
  }
  return {
    firstWord: firstWord.promise,
    ears: {
      message: take,
      drained: () => listener?.drained(),
      closed: (code: number, reason: string) => take({ code, reason }),
    } satisfies FrameListener,
    listen(to: FrameListener) {
      listener = to
      for (const heard of kept.splice(0)) hand(to, heard)
    },
  }
}

function refusedBy(first: Heard | undefined): GatewayError | undefined {
  if (first === undefined) return undefined
  if (typeof first === 'string') return realtimeCodec.openingError(first)
  return 'code' in first ? new GatewayError('upstream_error', 'The upstream closed the connection before it began.') : undefined
}

interface Trying {
  candidate: Candidate
  row: AttemptRow
  /** The upstream has answered the upgrade: before that nothing shows when the connection stands. */
  connected(): void
  signal: AbortSignal
}

async function standing({ parts, headers }: Dialling, { candidate, row, connected, signal }: Trying): Promise<Line> {
  const { channel, key, model } = candidate
  const { vendor } = channel
  const target = { operation: 'realtime', dialect: 'chat', model: model.upstream, stream: true, options: channel.options } as const
  const request = await parts.signer.sign(
    {
      method: 'GET',
      url: vendor.endpoint(channel.baseUrl, target),
      headers: {
        'user-agent': `parley/${parts.version}`,
        ...headers,
        ...authHeaders(schemeOf(vendor, 'chat'), key?.secret),
        ...channel.headers,
      },
      body: undefined,
    },
    credentialOf(candidate),
    signal,
  )
  const { ears, firstWord, listen } = answering()
  const answer = await (vendor.scripted ? parts.demoSockets : parts.sockets).dial(request, ears, signal)
  connected()
  if ('status' in answer) {
    row.status = answer.status
    throw realtimeCodec.readError(answer.status, withPlainWait(answer.headers, parts.clock.now()), answer.body)
  }
  row.status = 101
  row.phase = 'first-event'
  try {
    const refusal = refusedBy(await Promise.race([firstWord, parts.clock.sleep(firstWordMs, signal).then(() => undefined)]))
    if (refusal) throw refusal
  } catch (thrown) {
    answer.close(1000, '')
    throw thrown
  }
  answer.pause()
  return { candidate, socket: answer, listen }
}

async function tryOne(dialling: Dialling, candidate: Candidate): Promise<Line> {
  const { clock } = dialling.parts
  const { channel, key } = candidate
  const startedAt = clock.monotonic()
  const row: AttemptRow = { channel: channel.name, key: key?.name ?? null, phase: 'connect', status: null, cause: null, ms: 0 }
  const timer = phaseTimer(clock, phaseLimits({ firstEvent: dialSeconds, ...channel.timeouts }))
  dialling.attempts.push(row)
  try {
    const signal = AbortSignal.any([dialling.signal, timer.signal])
    const line = await standing(dialling, { candidate, row, connected: timer.connected, signal })
    row.phase = 'stream'
    return line
  } catch (thrown) {
    const error = dialling.signal.aborted ? clientClosed() : asGatewayError(thrown)
    row.cause = error.code
    throw error
  } finally {
    timer.stop()
    row.ms = Math.round(clock.monotonic() - startedAt)
  }
}

/** Throws the error that the caller is to be told when nobody answered. */
export async function dialAny(dialling: Dialling): Promise<Line> {
  const { signal } = dialling
  const { clock, retry, dice, health } = dialling.parts
  const startedAt = clock.monotonic()
  const failures: Failure[] = []
  let { candidates } = dialling
  for (;;) {
    const next = nextAttempt(candidates, failures, clock.monotonic() - startedAt, retry, dice.roll)
    if (!next) throw verdict(failures) ?? nothingLeft()
    if (next.pauseMs > 0) await clock.sleep(next.pauseMs, signal).catch(() => undefined)
    if (signal.aborted) throw clientClosed()
    const { candidate } = next
    if (!health.admit(candidate)) {
      candidates = candidates.filter((other) => other !== candidate)
      continue
    }
    try {
      const line = await tryOne(dialling, candidate)
      health.succeeded(candidate)
      return line
    } catch (thrown) {
      const error = asGatewayError(thrown)
      health.failed(candidate, error)
      failures.push({ candidate, error })
    }
  }
}
