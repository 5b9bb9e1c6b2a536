/**
 * The main thread's side of a worker: one message out, one answer back, by number. A worker that dies rejects all that it had not
 * answered, and is started again by the next message.
 */
import type { Clock } from './clock.ts'

/** What went wrong in a worker, as plain data: a structured clone would lose the fields of an error. */
export interface Fault {
  message: string
  /** SQLSTATE, or the driver's own code. */
  code?: string
  constraint?: string
  /** The database did not answer, as opposed to having refused. */
  isUnanswered?: boolean
}

/** A message that asks for a call. */
export interface CallMessage {
  id: number
  kind: 'call'
  /** The address of the module. */
  module: string
  name: string
  payload: unknown
  /** Milliseconds from the beginning of the call in the worker; absent: without a limit. */
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

/** The links' connection failure: their worker is gone. */
export const goneState = '08006'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** A message, but for its number. */
type Unnumbered<Message> = Message extends unknown ? Omit<Message, 'id'> : never

/** What a link is made from. */
export interface WorkerLinkOptions<Message> {
  script: URL
  /** The first message to every worker; it must be answered before the others are sent. */
  first: Unnumbered<Message>
  /** What is gone when the worker is; for messages. */
  what: string
  clock: Clock
}

/** Milliseconds from one start to the next. */
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
  /** Counts the workers. What one of them was in the middle of is lost with it. */
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

  /** Sends a message to the present worker; rejects with a `WorkerFault`. `transfer`: buffers that are handed over. */
  async ask(message: Unnumbered<Message>, transfer: readonly ArrayBuffer[] = []): Promise<unknown> {
    await this.open()
    return this.#send(message, transfer)
  }

  /** Ends the worker, which gives its memory back; the next message starts another. What it had not answered is rejected. */
  rest(): void {
    if (this.#worker) this.#died(this.#worker)
  }

  /** Ends the worker, which answers `last` before; nothing can be asked afterwards. */
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
