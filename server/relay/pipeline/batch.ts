/** Events of an upstream that leave together, and who judges how many may. */
import type { Frame, FrameVerdict } from '#canonical/codec'
import type { GatewayError } from '#shared/errors'
import type { Outgoing } from './outgoing-pieces.ts'

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

/** Bytes: a larger event without any text is a picture or sound. */
const textlessBytes = 1024

/** What an event counts as: its text; all of it when it is large and has none. */
export const sizeOf = (bytes: number, text: number): number => (text === 0 && bytes > textlessBytes ? bytes : text)

/** Nothing yet. */
export const newBatch = (): Batch => ({
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
export function add(batch: Batch, out: Outgoing, verdict: FrameVerdict, frame: Partial<Frame>): boolean {
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
