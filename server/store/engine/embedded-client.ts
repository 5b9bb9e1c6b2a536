/**
 * The main thread's side of the embedded engine: the client interface of Drizzle's PGlite driver, forwarded to the worker. There is
 * one connection. A transaction has it exclusively; other queries wait for its end.
 */

import { type Clock, systemClock } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { goneState, WorkerFault, WorkerLink } from '#runtime/worker-link'
import type { EmbeddedMessage, EmbeddedRows } from './embedded-worker.ts'

interface QueryOptions {
  rowMode?: 'array' | 'object'
}

/** `turn`: a transaction begins or ends with this. */
type RunArguments = [sql: string, params: readonly unknown[], options: QueryOptions, turn?: 'begins' | 'ends']

interface Handle {
  query(sql: string, params?: readonly unknown[], options?: QueryOptions): Promise<EmbeddedRows>
}

/** The client; `open` comes first. */
export class EmbeddedClient implements Handle {
  readonly #clock: Clock
  #link: WorkerLink<EmbeddedMessage> | undefined
  /** Resolves when every transaction queued so far has ended. */
  #turns: Promise<void> = Promise.resolve()

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Opens the database. Must be called first. */
  async open(folder: string): Promise<void> {
    const script = serverScript('store/engine/embedded-worker')
    this.#link = new WorkerLink({ script, first: { kind: 'open', folder }, what: 'the embedded database', clock: this.#clock })
    await this.#link.open()
  }

  /** The worker, for calls. */
  get link(): WorkerLink<EmbeddedMessage> {
    if (!this.#link) throw new Error('the embedded database is not open')
    return this.#link
  }

  async query(sql: string, params: readonly unknown[] = [], options: QueryOptions = {}): Promise<EmbeddedRows> {
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
    await this.#link?.close({ kind: 'close' })
  }

  async #exclusively<T>(work: (tx: Handle) => Promise<T>): Promise<T> {
    let open = true
    await this.#run('begin', [], {}, 'begins')
    const { generation } = this.link
    const run = async (...query: RunArguments) => {
      // The transaction was lost with its worker: another one must not run the rest of it.
      if (this.link.generation !== generation) throw new WorkerFault({ message: 'the transaction was lost', code: goneState })
      return this.#run(...query)
    }
    const tx: Handle = {
      query: async (sql, params = [], options = {}) => {
        if (!open) throw new Error('a transaction was used after its end')
        return run(sql, params, options)
      },
    }
    try {
      const result = await work(tx)
      open = false
      await run('commit', [], {}, 'ends')
      return result
    } catch (thrown) {
      open = false
      // A failing rollback adds no information: the worker is gone, or the commit has already rolled back.
      await run('rollback', [], {}, 'ends').catch(() => {})
      throw thrown
    }
  }

  async #run(...[sql, params, { rowMode = 'object' }, turn]: RunArguments): Promise<EmbeddedRows> {
    // Only replies to queries have this form.
    return (await this.link.ask({ kind: 'query', sql, params, rowMode, ...(turn && { turn }) })) as EmbeddedRows
  }
}
