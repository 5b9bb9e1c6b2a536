/**
 * A stream up to its first meaningful event: read, watched and held back, so that another channel can still be tried. The
 * same pump serves the rest of the stream.
 */
import type { Frame, FrameVerdict } from '#canonical/codec'
import type { Exchange, Passage } from '#relay/contract/exchange'
import { cutterOf } from '#relay/exchange/splitters'
import type { Clock } from '#runtime/clock'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import { Outgoing } from './outgoing-pieces.ts'

/** Bytes of meaningless frames that are held at most; then the stream is taken as begun. */
const heldBytes = 1024 * 1024

/** What some of the upstream's events came to. */
export interface Batch {
  out: Uint8Array[]
  /** What the cost is judged by of those that no toll was asked for: bytes of text, or of the whole event where that is not known. */
  size: number
  /** What the toll said of the others; undefined: they may pass. */
  asked: Asked
  /** The terminator's bytes, kept apart: they leave only after settlement. */
  terminator: Uint8Array | undefined
  /** The answer is complete; nothing follows. */
  last: boolean
  meaningful: boolean
  error: GatewayError | undefined
  /** The error is that the upstream stopped too early, not one that it reported. */
  cut: boolean
}

type Asked = Promise<GatewayError | undefined> | undefined

/** Judges by their size how many events may pass. */
export interface Toll {
  /** Bytes that may pass before it must be asked. */
  room(): number
  /** So many have come. Undefined: go on; otherwise wait until it is known why not, if so. */
  passed(bytes: number): Asked
}

export interface Opening {
  answer: UpstreamAnswer
  timer: PhaseTimer
  passage: Passage
  /** What the client's stream is called. */
  contentType: string
  /**
   * The next events and what they mean: those that came together, until the toll makes them wait; without one only the first. Rejects
   * when the body breaks before the answer has said that it is finished.
   */
  pump(toll: Toll | undefined): Promise<Batch>
  /** What was held back until the first meaningful event, that event included. */
  first: Batch
  /** Monotonic milliseconds at the first meaningful event. */
  firstAt: number
}

/** Bytes: a larger event without any text is a picture or sound. */
const textlessBytes = 1024

/** What an event counts as: its text; all of it when it is large and has none. */
const sizeOf = (bytes: number, text: number): number => (text === 0 && bytes > textlessBytes ? bytes : text)

const newBatch = (): Batch => ({
  out: [],
  size: 0,
  asked: undefined,
  terminator: undefined,
  last: false,
  meaningful: false,
  error: undefined,
  cut: false,
})

/** Adds a verdict to the batch, and its bytes to `out`; false when it ends the stream. */
function take(batch: Batch, out: Outgoing, verdict: FrameVerdict, frame: Partial<Frame>): boolean {
  batch.meaningful ||= verdict.meaningful && !verdict.error
  if (verdict.error) batch.error = verdict.error
  else if (verdict.last) {
    batch.last = true
    batch.terminator = verdict.out
    return false
  }
  if (verdict.out) out.add(verdict.out, frame)
  return !verdict.error
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
  const cutter = cutterOf(exchange.splitter(type))
  /** The next event, where it was looked whether there is one. */
  let waiting: Frame | undefined
  /** What the end of the body left. */
  let rest: Frame[] = []
  let isOver = false
  /** Why the body broke off. */
  let broken: { thrown: unknown } | undefined
  /** Why no more events can be read of it. */
  let spoiled: { thrown: unknown } | undefined

  async function pump(toll: Toll | undefined): Promise<Batch> {
    if (!hasMore() && !isOver && !spoiled) await read()
    if (spoiled) throw spoiled.thrown
    const batch = newBatch()
    const out = new Outgoing()
    fill(batch, out, toll)
    batch.out = out.pieces()
    return batch
  }

  function next(): Frame | undefined {
    if (spoiled) return undefined
    try {
      return waiting ?? cutter.next() ?? rest.shift()
    } catch (thrown) {
      // What came before it was taken, and leaves first.
      spoiled = { thrown }
      return undefined
    } finally {
      waiting = undefined
    }
  }

  function hasMore(): boolean {
    waiting = next()
    return waiting !== undefined
  }

  function fill(batch: Batch, out: Outgoing, toll: Toll | undefined): void {
    let room = toll?.room() ?? 0
    for (;;) {
      if (toll === undefined || !takeAlike(batch, out, room - batch.size)) {
        const frame = next()
        if (frame === undefined) break
        if (!takeOne(batch, out, frame)) return
      }
      if (batch.size < room) continue
      if (!hasMore()) break
      if (toll === undefined) return
      batch.asked = toll.passed(batch.size)
      batch.size = 0
      if (batch.asked) return
      room = toll.room()
    }
    if (!isOver) return
    const end = passage.close()
    if (end.error && broken) throw broken.thrown
    take(batch, out, end, {})
    batch.cut = batch.error !== undefined
  }

  /** Takes the next event; false when it ends the stream. */
  function takeOne(batch: Batch, out: Outgoing, frame: Frame): boolean {
    // An event that was cut before it said anything would reach the client as one that is broken.
    if (frame.unfinished && !frame.data) return true
    const before = passage.heard?.()
    const verdict = passage.push(frame)
    batch.size += before === undefined ? frame.raw.length : sizeOf(frame.raw.length, (passage.heard?.() ?? 0) - before)
    return take(batch, out, verdict, frame)
  }

  /** Takes the next events together that are like one before, until they brought `most` bytes of text; false when there are none. */
  function takeAlike(batch: Batch, out: Outgoing, most: number): boolean {
    const { pass, heard } = passage
    if (waiting || !pass || !heard) return false
    const before = heard()
    let passed: ReturnType<typeof pass>
    const run = cutter.skip((text, from) => {
      passed = pass(text, from, most)
      return passed?.end ?? from
    })
    if (!run) return false
    batch.size += heard() - before
    batch.meaningful = true
    if (passed?.out) out.add(passed.out, {})
    else out.addRun(run)
    return true
  }

  async function read(): Promise<void> {
    const piece = await answer.read().catch(breakOff)
    isOver = piece === undefined
    if (piece !== undefined) cutter.feed(piece)
    else if (!broken) rest = cutter.end()
  }

  /** An answer whose finish had come is whole, whatever became of its connection; one that was ended from outside is not. */
  function breakOff(thrown: unknown): undefined {
    const { aborted, reason } = timer.signal
    if (!passage.saysItsEnd || (aborted && asGatewayError(reason).code !== 'upstream_timeout')) throw thrown
    broken = { thrown }
  }

  const held: Uint8Array[] = []
  let size = 0
  for (;;) {
    const batch = await pump(undefined)
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
