/** Loads the turns component with the first message. Offline, messages are shown plain, and loading is retried. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

type Turns = typeof import('./turns.tsx').Turns

/** The component once loaded, and whether the last attempt failed. */
export interface TurnsLoader {
  component: Accessor<Turns | undefined>
  failed: Accessor<boolean>
  /** Loads it unless it is loaded or loading. */
  load(): void
}

/** A loader that retries when the network comes back, until the owner is disposed. */
export function createTurnsLoader(): TurnsLoader {
  const [component, setComponent] = createSignal<Turns | undefined>()
  const [failed, setFailed] = createSignal(false)
  let loading = false
  const load = () => {
    if (loading || component()) return
    loading = true
    import('./turns.tsx').then(
      (module) => {
        loading = false
        setFailed(false)
        setComponent(() => module.Turns)
      },
      () => {
        loading = false
        setFailed(true)
      },
    )
  }
  const again = () => failed() && load()
  addEventListener('online', again)
  onCleanup(() => removeEventListener('online', again))
  return { component, failed, load }
}
