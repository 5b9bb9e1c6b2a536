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
 * Whether the server can be reached; tracked until the owner is disposed. A browser also reports being offline on a machine without a
 * network whose local server still answers: `reach`, which rejects without a response, decides.
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
 * Remembers what has the focus now; in a menu, the button that opened it. The returned function restores the focus, unless something else
 * has taken it meanwhile; if the element is gone, it focuses the content of the page.
 */
export function rememberOpener(): () => void {
  const active = document.activeElement
  const opener = active?.closest('[role="menu"]') ? document.querySelector('[aria-haspopup][aria-expanded="true"]') : active
  return () => {
    const isFree = () => document.activeElement === null || document.activeElement === document.body
    if (isFree() && opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    // A closing menu returns the focus to its button by itself, a moment later.
    setTimeout(() => isFree() && document.querySelector<HTMLElement>('#content[tabindex]')?.focus({ preventScroll: true }))
  }
}
