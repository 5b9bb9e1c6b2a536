/** What the window is like now, as signals. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

/** Whether a media query holds; follows the window. */
export function createMediaQuery(query: string): Accessor<boolean> {
  const list = matchMedia(query)
  const [matches, setMatches] = createSignal(list.matches)
  const follow = () => setMatches(list.matches)
  list.addEventListener('change', follow)
  onCleanup(() => list.removeEventListener('change', follow))
  return matches
}

/** Whether the browser believes that it has a network. */
export function createOnline(): Accessor<boolean> {
  const [online, setOnline] = createSignal(navigator.onLine)
  const follow = () => setOnline(navigator.onLine)
  addEventListener('online', follow)
  addEventListener('offline', follow)
  onCleanup(() => {
    removeEventListener('online', follow)
    removeEventListener('offline', follow)
  })
  return online
}
