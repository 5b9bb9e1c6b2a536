/** One connection to an upstream: what goes out in its order, what comes in to whoever waits for it, and its end exactly once. */
import type { RawSocket, SocketEvents } from './raw-socket.ts'
import { together } from './together.ts'

/** Who waits for what a connection receives. */
export interface ConnectionUser {
  received(bytes: Buffer): void
  /** The connection is closed: by the other side in good order without a fault. */
  ended(fault?: Error): void
}

/** Connections on which something arrived in this turn of the event loop. */
const arrivals = together()

/** A connection, used by one after the other. */
export class HttpConnection implements SocketEvents {
  /** What connections are told apart by: one serves only requests for the same. */
  readonly origin: string
  /** While nobody uses it: monotonic milliseconds until when it is kept. */
  keptUntil = 0
  readonly #socket: RawSocket
  /** Told when it is closed while nobody uses it. */
  readonly #lost: (connection: HttpConnection) => void
  #user: ConnectionUser | undefined
  #unsent: Uint8Array | undefined
  #isClosed = false
  #isPaused = false
  #sent: (() => void) | undefined
  /** What its user gets at the end of this turn, what came after that, and how the connection ends then. */
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

  /** Nothing has arrived that was not handed over. */
  get isQuiet(): boolean {
    return this.#arrived === undefined
  }

  /** Everything that was written has been taken by the kernel. */
  get isSent(): boolean {
    return this.#unsent === undefined
  }

  /** Gives everything received from now on to this user. */
  use(user: ConnectionUser): void {
    this.#user = user
    this.#socket.ref()
  }

  /** Nobody uses it any more; while it waits it does not keep the process running. What is received now closes it. */
  leave(): void {
    this.#user = undefined
    this.resume()
    this.#socket.unref()
  }

  /**
   * Sends bytes after those before them; false when it is closed and none of these were sent. A text is sent as UTF-8; `length` is then
   * how many bytes that are.
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

  /** Closes it at once; its user hears nothing more. */
  close(): void {
    this.#user = undefined
    this.#terminate()
  }

  received(bytes: Buffer): void {
    if (this.#isClosed) return
    // Bytes that nobody asked for would be the next answer.
    if (this.#user === undefined) this.#terminate()
    else if (this.#arrived !== undefined) {
      this.#arrivedLater ??= []
      this.#arrivedLater.push(bytes)
    } else {
      this.#arrived = bytes
      arrivals.add(this)
    }
  }

  /** Gives its user what has arrived. */
  begin(): void {
    while (this.#arrived !== undefined && this.#user !== undefined) {
      const bytes = this.#arrived
      this.#arrived = this.#arrivedLater?.shift()
      this.#user.received(bytes)
    }
    this.#arrived = undefined
    this.#arrivedLater = undefined
    if (this.#end !== undefined) this.#tellEnd(this.#end.fault)
  }

  writable(): void {
    if (this.#unsent === undefined || this.#isClosed) return
    const taken = this.#socket.write(this.#unsent)
    // Closed: its end is told separately.
    if (taken < 0) return
    this.#unsent = taken < this.#unsent.length ? this.#unsent.subarray(taken) : undefined
    if (this.#unsent === undefined) this.#tellSent()
  }

  ended(fault?: Error): void {
    if (this.isQuiet) this.#tellEnd(fault)
    else this.#end ??= { fault }
  }

  #tellEnd(fault: Error | undefined): void {
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
    this.#tellSent()
  }

  #tellSent(): void {
    const told = this.#sent
    this.#sent = undefined
    told?.()
  }
}

const bytesOf = (bytes: string | Uint8Array): Uint8Array => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
