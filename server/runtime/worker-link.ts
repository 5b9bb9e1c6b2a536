/**
 * The main thread's side of a worker: messages and replies, matched by number. When a worker dies, its unanswered messages are rejected,
 * and the next message starts a new one.
 */
import type { Clock } from './clock.ts'

/** An error in a worker as plain data, because a structured clone would lose its fields. */
export interface Fault {
  message: string
  /** SQLSTATE, or the driver's own code. */
  code?: string
  constraint?: string
  /** The database did not answer, as opposed to refusing. */
  isUnanswered?: boolean
}

/** A message that asks for a call. */
export interface CallMessage {
  id: number
  kind: 'call'
  /** The URL of the module. */
  module: string
  name: string
  payload: unknown
  /** Timeout in milliseconds from the start of the call in the worker; absent: no limit. */
  withinMs?: number | undefined
}

/** An answer to the message with this number. */
export interface Reply {
  id: number
  value?: unknown
  fault?: Fault
}

/** An error with its SQLSTATE, like the PostgreSQL driver's. */
export class WorkerFault extends Error {
  readonly code: string | undefined
  readonly constraint: string | undefined
  readonly isUnanswered: boolean
  constructor({ message, code, constraint, isUnanswered = false }: Fault) {
    super(message)
    this.code = code
    this.constraint = constraint
    this.isUnanswered = isUnanswered
  }
}

/** SQLSTATE of a connection failure: the worker is gone. */
export const goneState = '08006'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** A message without its number. */
type Unnumbered<Message> = Message extends unknown ? Omit<Message, 'id'> : never

export interface WorkerLinkOptions<Message> {
  script: URL
  /** The first message to every worker; it must be answered before the others are sent. */
  first: Unnumbered<Message>
  /** What is unavailable when the worker is gone; for error messages. */
  what: string
  clock: Clock
}

/** Minimum milliseconds between two starts. */
const startsApartMs = 1_000

/** A worker and its replacements. */
export class WorkerLink<Message extends { id: number }> {
  readonly #options: WorkerLinkOptions<Message>
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #opened: Promise<unknown> | undefined
  #startedAt = Number.NEGATIVE_INFINITY
  #sent = 0
  #closed = false
  /** Counts the workers. The work in progress of a dead worker is lost. */
  generation = 0

  constructor(options: WorkerLinkOptions<Message>) {
    this.#options = options
  }

  /** Starts the worker, if there is none, and resolves when it has answered the first message. */
  open(): Promise<unknown> {
    if (this.#opened) return this.#opened
    const { clock, first } = this.#options
    if (this.#closed || clock.monotonic() - this.#startedAt < startsApartMs) return Promise.reject(this.#gone())
    this.#startedAt = clock.monotonic()
    const worker = new Worker(this.#options.script, { type: 'module' })
    this.#worker = worker
    this.generation += 1
    worker.onmessage = (event: MessageEvent<Reply>) => this.#settle(event.data)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#died(worker)
    }
    worker.addEventListener('close', () => this.#died(worker))
    this.#opened = this.#send(first, []).catch((thrown: unknown) => {
      this.#died(worker)
      throw thrown
    })
    return this.#opened
  }

  /** Sends a message to the current worker; rejects with a `WorkerFault`. `transfer`: buffers to transfer. */
  async ask(message: Unnumbered<Message>, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    await this.open()
    return this.#send(message, transfer)
  }

  /** Terminates the worker, which frees its memory; the next message starts another. Unanswered messages are rejected. */
  rest(): void {
    if (this.#worker) this.#died(this.#worker)
  }

  /** Terminates the worker after it has answered `last`; no further messages can be sent. */
  async close(last: Unnumbered<Message>): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    if (!worker) return
    await this.#send(last, [])
    this.#died(worker)
  }

  #send(message: Unnumbered<Message>, transfer: readonly ArrayBuffer[]): Promise<unknown> {
    const worker = this.#worker
    if (!worker) return Promise.reject(this.#gone())
    return new Promise((resolve, reject) => {
      const id = ++this.#sent
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ ...message, id }, [...transfer])
    })
  }

  #settle({ id, value, fault }: Reply): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (fault) waiting?.reject(new WorkerFault(fault))
    else waiting?.resolve(value)
  }

  #died(worker: Worker): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    this.#opened = undefined
    worker.terminate()
    for (const { reject } of this.#waiting.values()) reject(this.#gone())
    this.#waiting.clear()
  }

  #gone(): WorkerFault {
    return new WorkerFault({ message: `${this.#options.what} has stopped`, code: goneState, isUnanswered: true })
  }
}
