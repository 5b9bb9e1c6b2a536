/** One connection to an upstream: writes in order, passes received bytes to its current user, and reports its end exactly once. */
import type { RawSocket, SocketEvents } from './raw-socket.ts'
import { together } from './together.ts'

/** Receives the bytes of a connection. */
export interface ConnectionUser {
  received(bytes: Buffer): void
  /** The connection is closed; without a fault if the other side closed it in order. */
  ended(fault?: Error): void
}

/** Connections on which something arrived in this turn of the event loop. */
const arrivals = together()

/** A connection, used by one exchange at a time. */
export class HttpConnection implements SocketEvents {
  /** Its pool key: a connection only serves requests with the same one. */
  readonly origin: string
  /** While idle: monotonic milliseconds until which it is kept. */
  keptUntil = 0
  readonly #socket: RawSocket
  /** Called when it is closed while idle. */
  readonly #lost: (connection: HttpConnection) => void
  #user: ConnectionUser | undefined
  #unsent: Uint8Array | undefined
  #isClosed = false
  #isPaused = false
  #sent: (() => void) | undefined
  /** What its user gets at the end of this turn, what arrived after that, and how the connection then ends. */
  #arrived: Buffer | undefined
  #arrivedLater: Buffer[] | undefined
  #end: { fault: Error | undefined } | undefined

  constructor(origin: string, socket: RawSocket, lost: (connection: HttpConnection) => void) {
    this.origin = origin
    this.#socket = socket
    this.#lost = lost
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#end === undefined && this.#socket.readyState === 1
  }

  /** Whether everything that arrived was passed on. */
  get isQuiet(): boolean {
    return this.#arrived === undefined
  }

  /** Whether the kernel has taken everything that was written. */
  get isSent(): boolean {
    return this.#unsent === undefined
  }

  /** Passes everything received from now on to this user. */
  use(user: ConnectionUser): void {
    this.#user = user
    this.#socket.ref()
  }

  /** Makes it idle: it does not keep the process running, and received bytes close it. */
  leave(): void {
    this.#user = undefined
    this.resume()
    this.#socket.unref()
  }

  /**
   * Sends bytes after earlier ones; false when it is closed and none of these were sent. A string is sent as UTF-8; `length` is then its
   * length in bytes.
   */
  write(bytes: string | Uint8Array, length = bytes.length): boolean {
    if (this.#unsent !== undefined) {
      this.#unsent = Buffer.concat([this.#unsent, bytesOf(bytes)])
      return true
    }
    const taken = this.#socket.write(bytes)
    if (taken < 0) return false
    if (taken < length) this.#unsent = bytesOf(bytes).subarray(taken)
    return true
  }

  /** Resolves when everything is sent, or the connection is closed. */
  async sent(): Promise<void> {
    if (this.#unsent === undefined || this.#isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#sent = resolve
    await promise
  }

  pause(): void {
    if (this.#isPaused || this.#isClosed) return
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    if (!this.#isPaused || this.#isClosed) return
    this.#isPaused = false
    this.#socket.resume()
  }

  /** Closes it at once; its user gets no further calls. */
  close(): void {
    this.#user = undefined
    this.#terminate()
  }

  received(bytes: Buffer): void {
    if (this.#isClosed) return
    // Unsolicited bytes would be taken for the next answer.
    if (this.#user === undefined) this.#terminate()
    else if (this.#arrived !== undefined) {
      this.#arrivedLater ??= []
      this.#arrivedLater.push(bytes)
    } else {
      this.#arrived = bytes
      arrivals.add(this)
    }
  }

  /** Passes what has arrived to its user. */
  begin(): void {
    while (this.#arrived !== undefined && this.#user !== undefined) {
      const bytes = this.#arrived
      this.#arrived = this.#arrivedLater?.shift()
      this.#user.received(bytes)
    }
    this.#arrived = undefined
    this.#arrivedLater = undefined
    if (this.#end !== undefined) this.#reportEnd(this.#end.fault)
  }

  writable(): void {
    if (this.#unsent === undefined || this.#isClosed) return
    const taken = this.#socket.write(this.#unsent)
    // Closed: its end is reported separately.
    if (taken < 0) return
    this.#unsent = taken < this.#unsent.length ? this.#unsent.subarray(taken) : undefined
    if (this.#unsent === undefined) this.#reportSent()
  }

  ended(fault?: Error): void {
    if (this.isQuiet) this.#reportEnd(fault)
    else this.#end ??= { fault }
  }

  #reportEnd(fault: Error | undefined): void {
    if (this.#isClosed) return
    const user = this.#user
    this.#user = undefined
    this.#terminate()
    user?.ended(fault)
  }

  #terminate(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.terminate()
    this.#lost(this)
    this.#reportSent()
  }

  #reportSent(): void {
    const notify = this.#sent
    this.#sent = undefined
    notify?.()
  }
}

const bytesOf = (bytes: string | Uint8Array): Uint8Array => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
