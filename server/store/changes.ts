/** Who listens to which table, and how a refresh that failed is tried again. The same for both engines. */
import type { Clock, Timer } from '#runtime/clock'
import type { Changes, MirroredTable } from './store.ts'

type Refresh = (id: string | undefined) => Promise<void>

export interface ChangeHub extends Changes {
  /** Another instance changed a row. */
  heard(table: string, id: string): void
  /** Anything may have changed: reads everything again. */
  missed(): void
  close(): void
}

export interface ChangeSource {
  clock: Clock
  /** Tells the other instances. */
  announce?(table: MirroredTable, id: string): Promise<void>
  /** How often everything is read again although nothing was heard; absent where this is the only process. */
  pollMs?: number
  log(message: string): void
}

const retryMs = 1_000

export function createChanges(source: ChangeSource): ChangeHub {
  const listeners = new Map<string, Refresh[]>()
  let timer: Timer | undefined
  let closed = false

  function plan(ms: number | undefined): void {
    timer?.cancel()
    timer = ms === undefined || closed ? undefined : source.clock.after(ms, () => void refreshAll())
  }

  /** Never rejects. What could not be read stays as it was known, and everything is read again soon. */
  async function refresh(table: string, id: string | undefined): Promise<boolean> {
    const results = await Promise.allSettled((listeners.get(table) ?? []).map((each) => each(id)))
    if (results.every(({ status }) => status === 'fulfilled')) return true
    if (!closed) source.log(`the table ${table} could not be read again; what was known stays until it can`)
    plan(retryMs)
    return false
  }

  async function refreshAll(): Promise<void> {
    plan(undefined)
    const done = await Promise.all([...listeners.keys()].map((table) => refresh(table, undefined)))
    if (done.every(Boolean)) plan(source.pollMs)
  }

  plan(source.pollMs)
  return {
    async publish(table, id) {
      const announced = source
        .announce?.(table, id)
        .catch(() => source.log('a change could not be announced; other instances find it by their poll'))
      await Promise.all([refresh(table, id), announced])
    },
    subscribe(table, listener) {
      listeners.set(table, [...(listeners.get(table) ?? []), listener])
    },
    heard: (table, id) => void refresh(table, id),
    missed: () => void refreshAll(),
    close() {
      closed = true
      plan(undefined)
    },
  }
}
