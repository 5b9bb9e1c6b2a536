/** Loads the turns with the first message. A page that lost its network shows them plain, and tries again. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

type Turns = typeof import('./turns.tsx').Turns

/** The component once it is here, and whether the last try to load it failed. */
export interface TurnsLoader {
  component: Accessor<Turns | undefined>
  failed: Accessor<boolean>
  /** Loads them unless they are here or on their way. */
  load(): void
}

/** A loader that tries again when the network comes back, until the owner is disposed. */
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
