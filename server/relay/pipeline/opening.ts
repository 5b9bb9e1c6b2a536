/**
 * A stream up to its first meaningful event: read, watched and held back, so that another channel can still be tried. The
 * same pump serves the rest of the stream.
 */
import type { Frame, FrameVerdict } from '#canonical/codec'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'

/** Bytes of meaningless frames that are held at most; then the stream is taken as begun. */
const heldBytes = 1024 * 1024

/** What some of the upstream's events came to. */
export interface Batch {
  out: Uint8Array[]
  /** Their bytes, as the upstream sent them. */
  size: number
  /** The terminator's bytes, kept apart: they leave only after settlement. */
  terminator: Uint8Array | undefined
  /** The answer is complete; nothing follows. */
  last: boolean
  meaningful: boolean
  error: GatewayError | undefined
  /** The error is that the upstream stopped too early, not one that it reported. */
  cut: boolean
}

export interface Opening {
  answer: UpstreamAnswer
  timer: PhaseTimer
  passage: Passage
  /** What the client's stream is called. */
  contentType: string
  /** The next events and what they mean: those that came together, until they have so many bytes. Rejects when the body breaks. */
  pump(bytes: number): Promise<Batch>
  /** What was held back until the first meaningful event, that event included. */
  first: Batch
  /** Monotonic milliseconds at the first meaningful event. */
  firstAt: number
}

/** Adds a verdict to the batch; false when it ends the stream. */
function take(batch: Batch, verdict: FrameVerdict): boolean {
  batch.meaningful ||= verdict.meaningful && !verdict.error
  if (verdict.error) {
    if (verdict.out) batch.out.push(verdict.out)
    batch.error = verdict.error
    return false
  }
  if (verdict.last) {
    batch.last = true
    batch.terminator = verdict.out
    return false
  }
  if (verdict.out) batch.out.push(verdict.out)
  return true
}

const noStream = /json|html/i

function refuseWrongType(exchange: Exchange, type: string): void {
  const fits = exchange.streamsAs?.(type) ?? !noStream.test(type)
  if (!fits) throw new GatewayError('upstream_error', 'The upstream did not answer with a stream.')
}

/** Throws GatewayError when the stream fails before it means anything; the answer is cancelled then. */
export async function open(exchange: Exchange, answer: UpstreamAnswer, timer: PhaseTimer, clock: Clock): Promise<Opening> {
  try {
    return await begin(exchange, answer, timer, clock)
  } catch (thrown) {
    answer.cancel()
    throw thrown
  }
}

async function begin(exchange: Exchange, answer: UpstreamAnswer, timer: PhaseTimer, clock: Clock): Promise<Opening> {
  const type = answer.headers.get('content-type') ?? ''
  refuseWrongType(exchange, type)
  const passage = exchange.passage(type)
  const splitter = exchange.splitter(type)
  /** Events that have come and wait to be pumped. */
  let frames: Frame[] = []
  let next = 0
  let isOver = false

  async function pump(bytes: number): Promise<Batch> {
    if (next >= frames.length && !isOver) await read()
    const batch: Batch = { out: [], size: 0, terminator: undefined, last: false, meaningful: false, error: undefined, cut: false }
    for (let frame = frames[next]; frame; frame = frames[next]) {
      next += 1
      batch.size += frame.raw.byteLength
      // An event that was cut before it said anything would reach the client as one that is broken.
      if (frame.unfinished && !frame.data) continue
      if (!take(batch, passage.push(frame))) return batch
      if (batch.size >= bytes && next < frames.length) return batch
    }
    if (isOver) {
      take(batch, passage.close())
      batch.cut = batch.error !== undefined
    }
    return batch
  }

  async function read(): Promise<void> {
    const piece = await answer.read()
    isOver = piece === undefined
    frames = piece === undefined ? splitter.end() : splitter.push(piece)
    next = 0
  }

  const held: Uint8Array[] = []
  let size = 0
  for (;;) {
    const batch = await pump(0)
    if (batch.error && !batch.meaningful) throw batch.error
    held.push(...batch.out)
    for (const bytes of batch.out) size += bytes.byteLength
    if (batch.meaningful || size > heldBytes) {
      timer.begin()
      const contentType = exchange.contentType?.(type) ?? 'text/event-stream; charset=utf-8'
      return { answer, timer, passage, contentType, pump, first: { ...batch, out: held }, firstAt: clock.monotonic() }
    }
  }
}

/** Reads what is left after the terminator, so that the connection can serve again; gives up after a second. */
export function retire(answer: UpstreamAnswer, clock: Clock): void {
  const limit = clock.after(1000, () => answer.cancel())
  const rest = async () => {
    while ((await answer.read()) !== undefined);
  }
  void rest()
    .catch(() => undefined)
    .finally(() => limit.cancel())
}
