/** Events of an upstream that leave together, and who judges how many may. */
import type { Frame, FrameVerdict } from '#canonical/codec'
import type { GatewayError } from '#shared/errors'
import type { Run } from '#shared/sse'

type Asked = Promise<GatewayError | undefined> | undefined

/** What some of the upstream's events came to. Those that leave as they came, side by side in one chunk, leave as one piece of it. */
export class Batch {
  /** What the cost is judged by of those that no toll was asked for: bytes of text, or of the whole event where that is not known. */
  size = 0
  /** What the toll said of the others; undefined: they may pass. */
  asked: Asked
  /** The terminator's bytes, kept apart: they leave only after settlement. */
  terminator: Uint8Array | undefined
  /** The answer is complete; nothing follows. */
  last = false
  meaningful = false
  error: GatewayError | undefined
  /** The error is that the upstream stopped too early, not one that it reported. */
  cut = false
  /** What leaves: pieces, and behind them events that may still grow into a longer piece. */
  #pieces: Uint8Array[] | undefined
  #run: Run | undefined

  /** Adds what became of an event; false when it ends the stream. */
  add(verdict: FrameVerdict, { raw, chunk, start = 0 }: Partial<Frame>): boolean {
    const { out } = verdict
    this.meaningful ||= verdict.meaningful && !verdict.error
    if (verdict.error) this.error = verdict.error
    else if (verdict.last) {
      this.last = true
      this.terminator = out
      return false
    }
    if (out === raw && out && chunk) this.addRun({ chunk, start, end: start + out.length })
    else if (out) this.addPiece(out)
    return !verdict.error
  }

  /** Adds what events became. */
  addPiece(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#ended().push(bytes)
  }

  /** Adds events that leave as they came. */
  addRun(run: Run): void {
    if (this.#run?.chunk === run.chunk && this.#run.end === run.start) {
      this.#run.end = run.end
      return
    }
    if (this.#run) this.#ended()
    this.#run = run
  }

  /** Bytes that leave so far. */
  get length(): number {
    const inRun = this.#run ? this.#run.end - this.#run.start : 0
    return this.#pieces ? this.#pieces.reduce((sum, piece) => sum + piece.length, inRun) : inRun
  }

  /** All that leaves, as one piece; undefined when nothing does. */
  joined(): Uint8Array | undefined {
    if (this.#pieces === undefined) return this.#run && bytesOf(this.#run)
    const pieces = this.#ended()
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }

  /** Its pieces, none of which can grow any more. */
  #ended(): Uint8Array[] {
    this.#pieces ??= []
    if (this.#run) this.#pieces.push(bytesOf(this.#run))
    this.#run = undefined
    return this.#pieces
  }
}

const bytesOf = ({ chunk, start, end }: Run): Uint8Array => (start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end))

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
