/**
 * One request and its answer over one connection. Received data is delivered before a fault is reported; a reader that stops reading
 * applies backpressure; and the connection is reused only when both were complete.
 */
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { AnswerHeaders, HttpAnswer } from '#runtime/contract/http-client'
import { wholeBody } from '#runtime/contract/whole-body'
import { AnswerReader } from '#runtime/http1/answer-reader'
import type { ConnectionUser, HttpConnection } from './http-connection.ts'

/** Unread bytes of the body at which receiving is paused. */
const mostWaiting = 128 * 1024

const noHeaders: AnswerHeaders = new Headers()

/** An error with a `code`. */
export const coded = (code: string, what: string) => Object.assign(new Error(what), { code })

/** Takes the connection back afterwards. `keptSeconds`: for how long the other side keeps it, if it says. */
export type Release = (connection: HttpConnection, keptSeconds: number | undefined) => void

/** An answer, and the receiver of its bytes. */
export class HttpExchange implements HttpAnswer, ConnectionUser, EventListenerObject {
  /** Resolves with this exchange when the head has arrived; rejects if none does. */
  readonly answered: Promise<HttpAnswer>
  readonly #connection: HttpConnection
  readonly #signal: AbortSignalLike
  /** Undefined: the connection is used only once. */
  readonly #release: Release | undefined
  readonly #reader = new AnswerReader()
  readonly #pieces: Uint8Array[] = []
  #waitingBytes = 0
  #isUploading = false
  #closeBody: (() => void) | undefined
  #isOver = false
  #fault: unknown
  #resolveHead!: (answer: HttpAnswer) => void
  #rejectHead!: (fault: unknown) => void
  #resolvePiece: ((piece: Uint8Array | undefined) => void) | undefined
  #rejectPiece: ((fault: unknown) => void) | undefined

  /** Takes over the connection. */
  constructor(connection: HttpConnection, signal: AbortSignalLike, release: Release | undefined) {
    this.answered = new Promise((resolve, reject) => {
      this.#resolveHead = resolve
      this.#rejectHead = reject
    })
    this.#connection = connection
    this.#signal = signal
    this.#release = release
    connection.use(this)
    signal.addEventListener('abort', this)
  }

  get status(): number {
    return this.#reader.head?.status ?? 0
  }

  get headers(): AnswerHeaders {
    return this.#reader.head?.headers ?? noHeaders
  }

  /** Whether nothing more is received or sent. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The request's body is sent from now on; `closeBody` is called if it is no longer needed. */
  uploading(closeBody: () => void): void {
    this.#isUploading = true
    this.#closeBody = closeBody
  }

  /** The whole request body was passed to the connection. */
  uploaded(): void {
    this.#isUploading = false
    this.#closeBody = undefined
  }

  read(): Promise<Uint8Array | undefined> {
    // Nothing is queued if each piece is read as it arrives; then the list is not touched.
    const piece = this.#waitingBytes > 0 ? this.#pieces.shift() : undefined
    if (piece !== undefined) {
      this.#waitingBytes -= piece.length
      if (this.#waitingBytes === 0 && !this.#isOver) this.#connection.resume()
      return Promise.resolve(piece)
    }
    if (this.#fault !== undefined) return Promise.reject(this.#fault)
    if (this.#isOver) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      this.#resolvePiece = resolve
      this.#rejectPiece = reject
    })
  }

  readAll(): Promise<Uint8Array> {
    const [piece] = this.#pieces
    // A small answer often arrives together with its head.
    if (this.#isOver && this.#fault === undefined && piece !== undefined && this.#pieces.length === 1) {
      this.#pieces.length = 0
      return Promise.resolve(piece)
    }
    return wholeBody(() => this.read())
  }

  cancel(): void {
    // Readers that have read everything also cancel: creating an error for each would be expensive.
    if (this.#isOver && this.#pieces.length === 0) return
    this.#drop(coded('ABORT_ERR', 'The answer was cancelled.'))
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.#drop(this.#signal.reason)
  }

  received(bytes: Buffer): void {
    const reader = this.#reader
    const hadHead = reader.head !== undefined
    let piece: Uint8Array | undefined
    try {
      piece = reader.take(bytes)
    } catch (fault) {
      this.fail(fault)
      return
    }
    if (!hadHead && reader.head !== undefined) this.#resolveHead(this)
    if (piece !== undefined) this.#deliver(piece)
    if (reader.fault !== undefined) this.fail(reader.fault)
    else if (reader.isOver) this.#complete()
    else if (this.#waitingBytes > mostWaiting) this.#connection.pause()
  }

  ended(fault?: Error): void {
    try {
      if (fault !== undefined) throw fault
      this.#reader.end()
      this.#complete()
    } catch (incomplete) {
      this.fail(incomplete)
    }
  }

  /** Ends it before it was complete: received data can still be read, followed by the fault. */
  fail(fault: unknown): void {
    if (this.#isOver) return
    this.#fault = fault
    this.#finish()
    this.#connection.close()
    this.#rejectHead(fault)
    this.#rejectPiece?.(fault)
  }

  /** Ends it for a reader that no longer needs it. */
  #drop(fault: unknown): void {
    this.#pieces.length = 0
    this.#waitingBytes = 0
    if (this.#isOver) this.#fault ??= fault
    this.fail(fault)
  }

  #deliver(piece: Uint8Array): void {
    const resolve = this.#resolvePiece
    if (resolve === undefined) {
      this.#pieces.push(piece)
      this.#waitingBytes += piece.length
      return
    }
    this.#resolvePiece = undefined
    this.#rejectPiece = undefined
    resolve(piece)
  }

  #complete(): void {
    const { head, hasSurplus } = this.#reader
    const connection = this.#connection
    this.#finish()
    const isClean = !hasSurplus && connection.isQuiet && !this.#isUploading && connection.isSent
    const mayServeAgain = head?.persistent === true && isClean && connection.isOpen
    if (this.#release !== undefined && mayServeAgain) {
      connection.leave()
      this.#release(connection, head.keptSeconds)
    } else connection.close()
    this.#resolvePiece?.(undefined)
  }

  #finish(): void {
    this.#isOver = true
    this.#signal.removeEventListener('abort', this)
    this.#closeBody?.()
  }
}
