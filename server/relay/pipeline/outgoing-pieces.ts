/** What of a stream leaves as it came, joined: events that lie side by side in one chunk go out as one piece. */
import type { Frame } from '#canonical/codec'
import type { Run } from '#shared/sse'

/** Collects what leaves; neighbours of one chunk leave as one piece. */
export class Outgoing {
  readonly #pieces: Uint8Array[] = []
  #run: Run | undefined

  /** Adds what an event became, if anything. */
  add(bytes: Uint8Array, { raw, chunk, start = 0 }: Partial<Frame>): void {
    if (bytes === raw && chunk !== undefined) {
      this.addRun({ chunk, start, end: start + bytes.length })
      return
    }
    if (bytes.length === 0) return
    this.#end()
    this.#pieces.push(bytes)
  }

  /** Adds events that leave as they came. */
  addRun(run: Run): void {
    if (this.#run?.chunk === run.chunk && this.#run.end === run.start) {
      this.#run.end = run.end
      return
    }
    this.#end()
    this.#run = run
  }

  /** All pieces so far. */
  pieces(): Uint8Array[] {
    this.#end()
    return this.#pieces
  }

  #end(): void {
    if (this.#run) this.#pieces.push(this.#run.chunk.subarray(this.#run.start, this.#run.end))
    this.#run = undefined
  }
}
