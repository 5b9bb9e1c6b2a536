/** State of the browser window, as signals. */
import { type Accessor, createSignal, onCleanup } from 'solid-js'

/** Whether a media query matches; follows the window until the owner is disposed. */
export function createMediaQuery(query: string): Accessor<boolean> {
  const list = matchMedia(query)
  const [matches, setMatches] = createSignal(list.matches)
  const follow = () => setMatches(list.matches)
  list.addEventListener('change', follow)
  onCleanup(() => list.removeEventListener('change', follow))
  return matches
}

/**
 * Whether there is a way to the server; followed until the owner is disposed. A browser reports no network on a machine that has none, too,
 * where a server on the same machine still answers: `reach`, which rejects without an answer, has the last word.
 */
export function createOnline(reach: () => Promise<unknown>): Accessor<boolean> {
  const [online, setOnline] = createSignal(true)
  const follow = () => {
    if (navigator.onLine) return setOnline(true)
    reach().then(
      () => setOnline(true),
      () => setOnline(navigator.onLine),
    )
  }
  follow()
  addEventListener('online', follow)
  addEventListener('offline', follow)
  onCleanup(() => {
    removeEventListener('online', follow)
    removeEventListener('offline', follow)
  })
  return online
}

/**
 * Remembers what has the focus now; in a menu, the button that opened it. The answer gives the focus back, unless something else has
 * taken it meanwhile; to the content of the page, if it is gone.
 */
export function rememberOpener(): () => void {
  const active = document.activeElement
  const opener = active?.closest('[role="menu"]') ? document.querySelector('[aria-haspopup][aria-expanded="true"]') : active
  return () => {
    const isFree = () => document.activeElement === null || document.activeElement === document.body
    if (isFree() && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    // A menu that closes gives the focus to its button by itself, a moment later.
    setTimeout(() => isFree() && document.querySelector<HTMLElement>('#content[tabindex]')?.focus({ preventScroll: true }))
  }
}
