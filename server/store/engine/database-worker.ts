/**
 * Work beside the database: functions that run on a thread with its own connections, so that neither the driver nor composing and
 * parsing costs the thread that carries streams anything. Start reading at `DatabaseWorker`.
 */
import type { Clock, Timer } from '#runtime/clock'
import { type CallMessage, WorkerFault, type WorkerLink } from '#runtime/worker-link'
import { GatewayError } from '#shared/errors'

/** One call. */
export interface WorkerCall {
  /** The address of a module that exports `work`: see `WorkerModule`. */
  module: URL
  /** The function to call. */
  name: string
  payload: unknown
  /** Buffers of the payload that are transferred: they are empty here afterwards. */
  transfer?: readonly ArrayBuffer[]
  /** How many milliseconds the database may take, by the worker's clock; absent: any. */
  withinMs?: number | undefined
}

/** The thread that has connections for the accounts. */
export interface DatabaseWorker {
  /**
   * Runs the function; resolves to its result. Calls begin in order. Rejects with `books_unavailable` when the database does not
   * answer in time, or the worker is silent or has died, which restarts it; otherwise with the function's error and its SQLSTATE.
   */
  call(call: WorkerCall): Promise<unknown>
}

/** How long a worker may be silent beyond the time limit of a call, in one-second ticks of this thread: its own pauses do not count. */
const silentTicks = 15
const tickMs = 1_000

interface Pending {
  ticksLeft: number
  give(error: Error): void
}

/** Calls over this link. */
export function createDatabaseWorker(clock: Clock, link: Pick<WorkerLink<CallMessage>, 'ask'>): DatabaseWorker {
  const pending = new Set<Pending>()
  let timer: Timer | undefined

  function tick(): void {
    timer = pending.size > 0 ? clock.after(tickMs, tick) : undefined
    for (const each of pending) {
      each.ticksLeft -= 1
      if (each.ticksLeft <= 0) each.give(new WorkerFault({ message: 'the worker of the database does not answer', isUnanswered: true }))
    }
  }

  /** The answer, unless the worker is silent for too long. */
  function inTime(answer: Promise<unknown>, withinMs: number): Promise<unknown> {
    const silence = Promise.withResolvers<never>()
    const mine: Pending = { ticksLeft: silentTicks + Math.ceil(withinMs / tickMs), give: silence.reject }
    pending.add(mine)
    timer ??= clock.after(tickMs, tick)
    return Promise.race([answer, silence.promise]).finally(() => {
      pending.delete(mine)
      if (pending.size > 0) return
      timer?.cancel()
      timer = undefined
    })
  }

  return {
    async call({ module, name, payload, transfer, withinMs }) {
      const answer = link.ask({ kind: 'call', module: module.href, name, payload, withinMs }, transfer)
      try {
        return await (withinMs === undefined ? answer : inTime(answer, withinMs))
      } catch (thrown) {
        if (!(thrown instanceof WorkerFault && thrown.isUnanswered)) throw thrown
        throw new GatewayError(
          'books_unavailable',
          'The accounts cannot be reached at the moment. Nothing was charged. Try again shortly.',
          {
            retryAfter: 1,
            cause: thrown,
          },
        )
      }
    },
  }
}
