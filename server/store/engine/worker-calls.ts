/**
 * The worker's side of `database-worker.ts`: loads modules by URL and runs their functions beside the connections. A
 * call's time is measured here, so that a busy main thread never looks like an unreachable database.
 */
import { systemClock as clock } from '#runtime/clock'
import type { CallMessage, Fault, Reply } from '#runtime/worker-link'
import { GatewayError } from '#shared/errors'
import { sqlState } from './sql-state.ts'
import type { Store } from './store.ts'

/** What a module gets: the database, and nothing of the main thread. */
export type WorkPlace = Pick<Store, 'db' | 'engine'>

/** The functions of a module, by name. Their arguments and results must be structured-cloneable. */
export type Work = Readonly<Record<string, (payload: never) => Promise<unknown>>>

/** What a module for the worker exports. */
export interface WorkerModule {
  work(place: WorkPlace): Work
}

/** A running call. */
export interface RunningCall {
  /** Never rejects. */
  reply: Promise<Reply>
  /** Resolves when no part of it runs any more. Never rejects. */
  over: Promise<unknown>
}

/** A function that runs calls on this database. */
export function createCalls(place: WorkPlace): (message: CallMessage) => RunningCall {
  const modules = new Map<string, Promise<Work>>()

  async function load(address: string): Promise<Work> {
    const module: WorkerModule = await import(address)
    return module.work(place)
  }

  async function perform({ module, name, payload }: CallMessage): Promise<unknown> {
    const known = modules.get(module) ?? load(module)
    modules.set(module, known)
    const run = (await known)[name]
    if (!run) throw new Error(`there is no ${name} in the module for the worker`)
    return run(payload as never)
  }

  return (message) => {
    const { id, withinMs } = message
    const done = perform(message).then(
      (value): Reply => ({ id, value }),
      (thrown: unknown): Reply => ({ id, fault: faultOf(thrown) }),
    )
    return { over: done, reply: withinMs === undefined ? done : within(withinMs, id, done) }
  }
}

function within(ms: number, id: number, done: Promise<Reply>): Promise<Reply> {
  const answered = new AbortController()
  const fault: Fault = { message: `no answer within ${ms} ms`, isUnanswered: true }
  const silence = clock.sleep(ms, answered.signal).then(
    () => ({ id, fault }),
    () => done,
  )
  return Promise.race([done, silence]).finally(() => answered.abort())
}

/** Anything thrown by a query, as plain data. */
export function faultOf(thrown: unknown): Fault {
  const isUnanswered = thrown instanceof GatewayError && thrown.code === 'books_unavailable'
  const cause = (isUnanswered && thrown.cause) || thrown
  const { message, constraint } = cause as { message?: unknown; constraint?: unknown }
  const code = sqlState(cause) ?? (cause as { code?: unknown }).code
  return {
    message: String(message),
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(isUnanswered && { isUnanswered }),
  }
}
