/**
 * A stream up to its first meaningful event: read, watched and held back, so that another channel can still be tried. The
 * same pump serves the rest of the stream.
 */
import type { FrameVerdict } from '#canonical/codec'
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import type { PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import type { Passage, Way } from './way.ts'

/** Bytes of meaningless frames that are held at most; then the stream is taken as begun. */
const heldBytes = 1024 * 1024

/** What one piece of the upstream's bytes came to. */
export interface Batch {
  out: Uint8Array[]
  /** Bytes that the upstream sent. */
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
  /** Reads the next piece and what it means. Rejects when the body breaks. */
  pump(): Promise<Batch>
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

function refuseWrongType(way: Way, type: string): void {
  const fits = way.streamsAs?.(type) ?? !noStream.test(type)
  if (!fits) throw new GatewayError('upstream_error', 'The upstream did not answer with a stream.')
}

/** Throws GatewayError when the stream fails before it means anything; the answer is cancelled then. */
export async function open(way: Way, answer: UpstreamAnswer, timer: PhaseTimer, clock: Clock): Promise<Opening> {
  try {
    return await begin(way, answer, timer, clock)
  } catch (thrown) {
    answer.cancel()
    throw thrown
  }
}

async function begin(way: Way, answer: UpstreamAnswer, timer: PhaseTimer, clock: Clock): Promise<Opening> {
  const type = answer.headers.get('content-type') ?? ''
  refuseWrongType(way, type)
  const passage = way.passage(type)
  const splitter = way.splitter(type)
  async function pump(): Promise<Batch> {
    const piece = await answer.read()
    const batch: Batch = {
      out: [],
      size: piece?.byteLength ?? 0,
      terminator: undefined,
      last: false,
      meaningful: false,
      error: undefined,
      cut: false,
    }
    for (const frame of piece === undefined ? splitter.end() : splitter.push(piece)) {
      // An event that was cut before it said anything would reach the client as one that is broken.
      if (frame.unfinished && !frame.data) continue
      if (!take(batch, passage.push(frame))) return batch
    }
    if (piece === undefined) {
      take(batch, passage.close())
      batch.cut = batch.error !== undefined
    }
    return batch
  }

  const held: Uint8Array[] = []
  let size = 0
  for (;;) {
    const batch = await pump()
    if (batch.error && !batch.meaningful) throw batch.error
    held.push(...batch.out)
    for (const bytes of batch.out) size += bytes.byteLength
    if (batch.meaningful || size > heldBytes) {
      timer.begin()
      const contentType = way.contentType?.(type) ?? 'text/event-stream; charset=utf-8'
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
