/**
 * The main thread's side of the embedded engine: the client interface of Drizzle's PGlite driver, forwarded to the worker. There is
 * one connection. A transaction has it exclusively; other queries wait for its end.
 */
import type { Answer, Ask, Fault } from './embedded-worker.ts'

interface Rows {
  rows: unknown[]
  affectedRows: number
}
interface QueryOptions {
  rowMode?: 'array' | 'object'
}
type Waiting = { resolve(rows: Rows): void; reject(error: Error): void }

/** An error with its SQLSTATE, like the PostgreSQL driver's. */
export class EmbeddedError extends Error {
  readonly code: string | undefined
  readonly constraint: string | undefined
  constructor(fault: Fault) {
    super(fault.message)
    this.code = fault.code
    this.constraint = fault.constraint
  }
}

/** Reported as connection failure when the worker is gone. */
const gone: Fault = { message: 'the embedded database has stopped', code: '08006' }

interface Handle {
  query(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<Rows>
}

/** The client; `open` comes first. */
export class EmbeddedClient implements Handle {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  /** Resolves when every transaction queued so far has ended. */
  #turns: Promise<void> = Promise.resolve()
  #sent = 0
  #ended = false

  constructor() {
    this.#worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), { type: 'module' })
    this.#worker.onmessage = (event: MessageEvent<Answer>) => this.#settle(event.data)
    this.#worker.onerror = (event) => {
      event.preventDefault()
      this.#end()
    }
    this.#worker.addEventListener('close', () => this.#end())
  }

  /** Opens the database. Must be called first. */
  async open(folder: string): Promise<void> {
    await this.#ask((id) => ({ id, kind: 'open', folder }))
  }

  async query(sql: string, params: readonly unknown[] = [], options: QueryOptions = {}): Promise<Rows> {
    await this.#turns
    return this.#run(sql, params, options)
  }

  transaction<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
    const result = this.#turns.then(() => this.#exclusively(work))
    this.#turns = result.then(
      () => {},
      () => {},
    )
    return result
  }

  async close(): Promise<void> {
    await this.#turns
    if (this.#ended) return
    await this.#ask((id) => ({ id, kind: 'close' }))
    this.#end()
    this.#worker.terminate()
  }

  async #exclusively<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
    let open = true
    const tx: Handle = {
      query: async (sql, params = [], options = {}) => {
        if (!open) throw new Error('a transaction was used after its end')
        return this.#run(sql, params, options)
      },
    }
    await this.#run('begin', [], {})
    try {
      const result = await work(tx)
      open = false
      await this.#run('commit', [], {})
      return result
    } catch (thrown) {
      open = false
      // A failing rollback adds no information: the worker is gone, or the commit has already rolled back.
      await this.#run('rollback', [], {}).catch(() => {})
      throw thrown
    }
  }

  #run(sql: string, params: readonly unknown[], { rowMode = 'object' }: QueryOptions): Promise<Rows> {
    return this.#ask((id) => ({ id, kind: 'query', sql, params, rowMode }))
  }

  #ask(message: (id: number) => Ask): Promise<Rows> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new EmbeddedError(gone))
      const id = ++this.#sent
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage(message(id))
    })
  }

  #settle({ id, rows = [], affectedRows = 0, fault }: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (fault) waiting?.reject(new EmbeddedError(fault))
    else waiting?.resolve({ rows, affectedRows })
  }

  #end(): void {
    this.#ended = true
    for (const { reject } of this.#waiting.values()) reject(new EmbeddedError(gone))
    this.#waiting.clear()
  }
}
