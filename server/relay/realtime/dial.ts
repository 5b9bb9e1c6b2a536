/**
 * Step 6 for a socket: candidates are tried until one is connected and has started its session. If an upstream accepts the
 * connection only to send an error, nothing of it reaches the client, and the next candidate is tried.
 */

import type { Capture } from '#bodies/capture'
import { type NotedDial, notedDial } from '#bodies/session-capture'
import type { Variant } from '#canonical/operation/operation'
import type { RealtimeCodec } from '#canonical/operation/realtime'
import type { RelayParts } from '#relay/contract/ask'
import type { AttemptLog } from '#relay/contract/steps'
import { destinationOf, inTrace, signed } from '#relay/exchange/outgoing'
import { type Attempt, tryCandidates } from '#relay/pipeline/attempt'
import type { Candidate } from '#routing/order'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { FrameListener, FrameSocket, SocketFrame } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import type { SocketUpstream } from '#upstream/socket'
import { phaseLimits } from '#upstream/timeouts'
import type { UpstreamRequest } from '#upstream/upstream'
import { withPlainWait } from '#vendors/limit-headers'
import { notedSocket } from './noted-socket.ts'

/** Connect timeout in seconds. */
const dialSeconds = 15
/** Milliseconds to wait for the first frame of a connected upstream; some wait for the client's first. */
const firstFrameMs = 2_000
/** The close code of a connection that broke. */
const broken = 1006

export interface Dialling {
  parts: RelayParts & { sockets: SocketUpstream; demoSockets: SocketUpstream }
  candidates: readonly Candidate[]
  codec: RealtimeCodec
  variant?: Variant | undefined
  /** Derives the URL from the vendor's own. */
  address?: (url: string) => string
  /** The frame that begins the session, if the client has to send one first. */
  begins?: ((candidate: Candidate) => string) | undefined
  /** The model that the client named. */
  model: string
  attempts: AttemptLog
  /** Further headers, with protocol options of the client. */
  headers: Record<string, string>
  /** Records the frames, if the session may be stored. */
  capture: Capture | undefined
  /** Aborted when the client disconnects. */
  signal: AbortSignalLike
}

/** A connection to an upstream, paused until it gets a listener. */
export interface Line {
  candidate: Candidate
  socket: FrameSocket
  /** Delivers the frames received so far, and all later ones. */
  listen(listener: FrameListener): void
}

type Received = SocketFrame | { code: number; reason: string }

/** Buffers frames until there is a listener. */
function answering(noted: NotedDial | undefined) {
  const kept: Received[] = []
  const firstFrame = Promise.withResolvers<Received>()
  let listener: FrameListener | undefined
  const hand = (to: FrameListener, received: Received) =>
    typeof received === 'object' && 'code' in received ? to.closed(received.code, received.reason) : to.message(received)
  const take = (received: Received) => {
    firstFrame.resolve(received)
    if (listener) hand(listener, received)
    else kept.push(received)
  }
  return {
    firstFrame: firstFrame.promise,
    forwarding: {
      message(frame) {
        noted?.onFrame(frame)
        take(frame)
      },
      drained: () => listener?.drained(),
      closed(code, reason) {
        if (code === broken) noted?.broke(new GatewayError('upstream_error', 'The connection broke.'))
        take({ code, reason })
      },
    } satisfies FrameListener,
    listen(to: FrameListener) {
      listener = to
      for (const received of kept.splice(0)) hand(to, received)
    },
  }
}

const tooSoon = () => new GatewayError('upstream_error', 'The upstream closed the connection before it began.')

function refusedBy(first: Received | undefined, codec: RealtimeCodec): GatewayError | undefined {
  if (first === undefined) return undefined
  if (typeof first === 'string') return codec.openingError(first)
  if ('code' in first) return first.code === broken ? tooSoon() : (codec.readClosing?.(first.code, first.reason) ?? tooSoon())
  return undefined
}

async function standing(
  { parts, codec, variant, address, begins, headers, attempts, capture }: Dialling,
  { candidate, row, timer, signal }: Attempt,
): Promise<Line> {
  const { vendor } = candidate.channel
  const destination = destinationOf({ operation: 'realtime', stream: true, ...(variant && { variant }) }, candidate)
  const unsigned: UpstreamRequest = {
    ...destination,
    url: address?.(destination.url) ?? destination.url,
    method: 'GET',
    headers: { 'user-agent': `parley/${parts.version}`, ...headers, ...destination.headers },
    body: undefined,
  }
  const plain = await signed(parts.signer, unsigned, signal)
  const request = attempts.trace ? inTrace(plain, attempts.trace.headersOf(row)) : plain
  const { channel, model } = candidate
  const noted = capture && notedDial(capture, { channel: channel.name, model: model.upstream, dialect: 'realtime' }, request)
  const { forwarding, firstFrame, listen } = answering(noted)
  const dialled = (vendor.scripted ? parts.demoSockets : parts.sockets).dial(request, forwarding, signal)
  if (noted) dialled.catch(noted.broke)
  const answer = await dialled
  // There is no event for the connection itself, only for the completed upgrade.
  timer.connected()
  if ('status' in answer) {
    noted?.refused(answer)
    row.status = answer.status
    throw codec.readError(answer.status, withPlainWait(answer.headers, parts.clock.now()), answer.body)
  }
  row.status = 101
  row.phase = 'first-event'
  const opening = begins?.(candidate)
  if (opening !== undefined) {
    answer.send(opening)
    noted?.sent(opening)
  }
  try {
    const first = await Promise.race([firstFrame, parts.clock.sleep(firstFrameMs, signal).then(() => undefined)])
    const refusal = refusedBy(first, codec)
    if (refusal) throw refusal
  } catch (thrown) {
    answer.close(1000, '')
    throw thrown
  }
  answer.pause()
  return { candidate, socket: noted ? notedSocket(answer, noted.sent) : answer, listen }
}

/** Connects to the first candidate that works. Throws the error for the caller when none does. */
export async function dialAny(dialling: Dialling): Promise<Line> {
  const { parts, candidates, attempts, signal, model } = dialling
  const { value } = await tryCandidates<Line>({
    parts,
    candidates,
    model,
    attempts,
    signal,
    limits: ({ channel }) => phaseLimits(channel.timeouts, dialSeconds),
    prepare: async () => async (attempt) => {
      const line = await standing(dialling, attempt)
      attempt.timer.stop()
      return line
    },
  })
  return value
}
