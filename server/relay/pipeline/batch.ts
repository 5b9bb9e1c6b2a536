/** Upstream events that are written together, and the budget that limits how many may be. */
import type { Frame, FrameVerdict } from '#canonical/codec'
import type { GatewayError } from '#shared/errors'
import type { Run } from '#shared/sse'

type Asked = Promise<GatewayError | undefined> | undefined

/** The output for some upstream events. Adjacent events of one chunk that are forwarded unchanged become one piece of it. */
export class Batch {
  /** Size of the events that the toll has not counted yet: bytes of text, or of the whole event if that is unknown. */
  size = 0
  /** The toll's verdict on the others; undefined: they may pass. */
  asked: Asked
  /** The terminator's bytes, kept apart: they are sent only after settlement. */
  terminator: Uint8Array | undefined
  /** The answer is complete; nothing follows. */
  last = false
  meaningful = false
  error: GatewayError | undefined
  /** The upstream stopped too early, rather than reporting an error. */
  cut = false
  /** The output: pieces, followed by adjacent events that may still grow into a longer piece. */
  #pieces: Uint8Array[] | undefined
  #run: Run | undefined
  /** Where the terminator is, if it is forwarded unchanged. */
  #end: Run | undefined

  /** Adds the result of an event; false when it ends the stream. */
  add(verdict: FrameVerdict, { raw, chunk, start = 0 }: Partial<Frame>): boolean {
    const { out } = verdict
    this.meaningful ||= verdict.meaningful && !verdict.error
    if (verdict.error) this.error = verdict.error
    else if (verdict.last) {
      this.last = true
      this.terminator = out
      if (out === raw && out && chunk) this.#end = { chunk, start, end: start + out.length }
      return false
    }
    if (out === raw && out && chunk) this.addRun({ chunk, start, end: start + out.length })
    else if (out) this.addPiece(out)
    return !verdict.error
  }

  /** Adds the output of events. */
  addPiece(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#ended().push(bytes)
  }

  /** Adds events that are forwarded unchanged. */
  addRun(run: Run): void {
    if (this.#run?.chunk === run.chunk && this.#run.end === run.start) {
      this.#run.end = run.end
      return
    }
    if (this.#run) this.#ended()
    this.#run = run
  }

  /** Bytes of output so far. */
  get length(): number {
    const inRun = this.#run ? this.#run.end - this.#run.start : 0
    return this.#pieces ? this.#pieces.reduce((sum, piece) => sum + piece.length, inRun) : inRun
  }

  /** All output as one piece; undefined when there is none. */
  joined(): Uint8Array | undefined {
    if (this.#pieces === undefined) return this.#run && bytesOf(this.#run)
    const pieces = this.#ended()
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
  }

  /** The same, followed by the terminator. */
  whole(): Uint8Array | undefined {
    if (this.#end) this.addRun(this.#end)
    else if (this.terminator) this.addPiece(this.terminator)
    return this.joined()
  }

  /** The final pieces. */
  #ended(): Uint8Array[] {
    this.#pieces ??= []
    if (this.#run) this.#pieces.push(bytesOf(this.#run))
    this.#run = undefined
    return this.#pieces
  }
}

const bytesOf = ({ chunk, start, end }: Run): Uint8Array => (start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end))

/** Decides by size how many events may pass. */
export interface Toll {
  /** Bytes that may pass before `passed` must be called. */
  room(): number
  /** Adds this many bytes. Undefined: go on; otherwise wait for the reason to stop, if any. */
  passed(bytes: number): Asked
}

/** Bytes: a larger event without text is a picture or audio. */
const textlessBytes = 1024

/** The size of an event for the toll: its text, or all of it when it is large and has none. */
export const sizeOf = (bytes: number, text: number): number => (text === 0 && bytes > textlessBytes ? bytes : text)
