/** Subscriptions to table changes, with retries of failed refreshes. The same for both engines. */
import type { Clock, Timer } from '#runtime/clock'
import type { Changes, MirroredTable, Signals, SignalTopic } from './store.ts'

type Refresh = (id: string | undefined) => Promise<void>

/** Dispatches changes and signals to their listeners. */
export interface ChangeHub extends Changes {
  readonly signals: Signals
  /** Handles a change or signal from another instance. */
  received(topic: string, text: string): void
  /** Changes may have been missed: refreshes everything. */
  missed(): void
  close(): void
}

/** What `createChanges` needs. */
export interface ChangeSource {
  clock: Clock
  /** Notifies the other instances. */
  announce?(topic: MirroredTable | SignalTopic, text: string): Promise<void>
  /** Refresh interval without any notification, in milliseconds; absent where this is the only process. */
  pollMs?: number
  log(message: string): void
}

const retryMs = 1_000
/** Sent instead of an id: many rows of the table. */
const everything = ''

/** A hub without listeners. */
export function createChanges(source: ChangeSource): ChangeHub {
  const listeners = new Map<string, Refresh[]>()
  const signalListeners = new Map<string, (text: string) => void>()
  let timer: Timer | undefined
  /** Number of refreshes that failed so far. */
  let failed = 0
  let closed = false

  function plan(ms: number | undefined): void {
    timer?.cancel()
    timer = ms === undefined || closed ? undefined : source.clock.after(ms, () => void refreshAll())
  }

  /** Never rejects. After a failure listeners keep their rows, and everything is refreshed soon. */
  async function refresh(table: string, id: string | undefined): Promise<boolean> {
    const results = await Promise.allSettled((listeners.get(table) ?? []).map((each) => each(id)))
    if (results.every(({ status }) => status === 'fulfilled')) return true
    if (!closed) source.log(`table ${table} could not be refreshed; cached rows stay in use until the next attempt succeeds`)
    failed += 1
    plan(retryMs)
    return false
  }

  async function refreshAll(): Promise<void> {
    plan(undefined)
    const before = failed
    await Promise.all([...listeners.keys()].map((table) => refresh(table, undefined)))
    // A refresh that failed meanwhile has scheduled its own retry.
    if (failed === before) plan(source.pollMs)
  }

  plan(source.pollMs)
  return {
    async publish(table, id) {
      const announced = source
        .announce?.(table, id ?? everything)
        .catch(() => source.log('change could not be sent to other instances; they will pick it up by polling'))
      await Promise.all([refresh(table, id), announced])
    },
    subscribe(table, listener) {
      listeners.set(table, [...(listeners.get(table) ?? []), listener])
    },
    signals: {
      send: (topic, text) => void source.announce?.(topic, text).catch(() => undefined),
      onSignal: (topic, listener) => void signalListeners.set(topic, listener),
    },
    received(topic, text) {
      const listener = signalListeners.get(topic)
      if (listener) listener(text)
      else void refresh(topic, text === everything ? undefined : text)
    },
    missed: () => void refreshAll(),
    close() {
      closed = true
      plan(undefined)
    },
  }
}
