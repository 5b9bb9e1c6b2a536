/** Who listens to which table, and how a refresh that failed is tried again. The same for both engines. */
import type { Clock, Timer } from '#runtime/clock'
import type { Changes, MirroredTable, Signals, SignalTopic } from './store.ts'

type Refresh = (id: string | undefined) => Promise<void>

export interface ChangeHub extends Changes {
  readonly signals: Signals
  /** Another instance changed a row, or sent a signal. */
  heard(topic: string, text: string): void
  /** Anything may have changed: reads everything again. */
  missed(): void
  close(): void
}

export interface ChangeSource {
  clock: Clock
  /** Tells the other instances. */
  announce?(topic: MirroredTable | SignalTopic, text: string): Promise<void>
  /** How often everything is read again although nothing was heard; absent where this is the only process. */
  pollMs?: number
  log(message: string): void
}

const retryMs = 1_000
/** In the place of an id: many rows of the table. */
const everything = ''

export function createChanges(source: ChangeSource): ChangeHub {
  const listeners = new Map<string, Refresh[]>()
  const ears = new Map<string, (text: string) => void>()
  let timer: Timer | undefined
  /** Refreshes that failed so far. */
  let failed = 0
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
    failed += 1
    plan(retryMs)
    return false
  }

  async function refreshAll(): Promise<void> {
    plan(undefined)
    const before = failed
    await Promise.all([...listeners.keys()].map((table) => refresh(table, undefined)))
    // What failed meanwhile, even for another reason, has its own plan.
    if (failed === before) plan(source.pollMs)
  }

  plan(source.pollMs)
  return {
    async publish(table, id) {
      const announced = source
        .announce?.(table, id ?? everything)
        .catch(() => source.log('a change could not be announced; other instances find it by their poll'))
      await Promise.all([refresh(table, id), announced])
    },
    subscribe(table, listener) {
      listeners.set(table, [...(listeners.get(table) ?? []), listener])
    },
    signals: {
      send: (topic, text) => void source.announce?.(topic, text).catch(() => undefined),
      hear: (topic, listener) => void ears.set(topic, listener),
    },
    heard(topic, text) {
      const ear = ears.get(topic)
      if (ear) ear(text)
      else void refresh(topic, text === everything ? undefined : text)
    },
    missed: () => void refreshAll(),
    close() {
      closed = true
      plan(undefined)
    },
  }
}
