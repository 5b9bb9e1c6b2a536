/** Reads one answer from the bytes of a connection, however they are split: its head, then its body piece by piece. */
import { type AnswerHead, mostHeadBytes, readAnswerHead } from './answer-head.ts'
import { ChunkedBody } from './chunked-body.ts'
import { HttpFault, malformed } from './http-fault.ts'

/** Maximum number of informational answers (100, 103) before the real one. */
const mostInformational = 32

const headEnd = Buffer.from('\r\n\r\n')

/** An answer being read. */
export class AnswerReader {
  /** Known once it has arrived. */
  head: AnswerHead | undefined
  /** Whether the whole answer was read. */
  isOver = false
  /** An error in the body after the part that was returned; `take` must not be called again. */
  fault: unknown
  /** Whether bytes followed that do not belong to this answer. */
  hasSurplus = false
  /** The beginning of an incomplete head. */
  #partial: Buffer | undefined
  #informational = 0
  /** Remaining bytes of a body with a length. */
  #left = 0
  #chunked: ChunkedBody | undefined

  /**
   * Takes received bytes and their ownership. Returns the part of them that belongs to the body, if any. Throws HttpFault for an invalid
   * head; for the body see `fault`.
   */
  take(bytes: Buffer): Uint8Array | undefined {
    let at = 0
    let all = bytes
    while (this.head === undefined) {
      const held = this.#partial
      if (held !== undefined) {
        all = Buffer.concat([held, all])
        this.#partial = undefined
      }
      const end = all.indexOf(headEnd, Math.max(at, (held?.length ?? 0) - 3))
      if ((end < 0 ? all.length : end) - at > mostHeadBytes) throw new HttpFault('HTTP_TOO_LARGE', 'The head of the answer is too large.')
      if (end < 0) {
        this.#refuseOtherProtocols(all, at)
        this.#partial = at === 0 ? all : all.subarray(at)
        return undefined
      }
      this.#takeHead(readAnswerHead(all.toString('latin1', at, end + 2)))
      at = end + 4
    }
    return this.#takeBody(all, at)
  }

  /** The connection ended in good order. Throws HttpFault when the answer was not complete. */
  end(): void {
    if (this.isOver) return
    if (this.head?.framing !== 'close') throw new HttpFault('HTTP_INCOMPLETE', 'The connection ended before the answer did.')
    this.isOver = true
  }

  /** Refuses other protocols at once, whether or not they ever send an empty line. */
  #refuseOtherProtocols(bytes: Buffer, at: number): void {
    const beginning = bytes.toString('latin1', at, at + 5)
    if (!'HTTP/'.startsWith(beginning)) throw malformed('The answer is not HTTP.')
  }

  #takeHead(head: AnswerHead): void {
    if (head.status === 101) throw new HttpFault('HTTP_UNASKED_UPGRADE', 'The answer changes to a protocol that was not requested.')
    if (head.status < 200) {
      this.#informational += 1
      if (this.#informational > mostInformational) throw new HttpFault('HTTP_TOO_LARGE', 'Too many informational answers.')
      return
    }
    this.head = head
    this.#left = head.length
    if (head.framing === 'chunked') this.#chunked = new ChunkedBody()
  }

  #takeBody(bytes: Buffer, at: number): Uint8Array | undefined {
    let piece: Uint8Array | undefined
    let end = bytes.length
    if (this.#chunked !== undefined) {
      piece = this.#chunked.take(bytes, at)
      end = this.#chunked.end
      this.fault = this.#chunked.fault
      this.isOver = this.#chunked.isOver
    } else {
      if (this.head?.framing !== 'close') end = Math.min(end, at + this.#left)
      this.#left -= end - at
      this.isOver = this.head?.framing !== 'close' && this.#left === 0
      if (end > at) piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end)
    }
    this.hasSurplus = end < bytes.length
    return piece
  }
}
