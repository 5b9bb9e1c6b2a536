/**
 * Parts of a page that come after it: dialogs, sheets, panels. They are loaded when they are first shown, or before that, once the page has
 * been there for a while and the browser is idle, so that they open when the network is gone.
 */
import { type Component, lazy } from 'solid-js'

/** Milliseconds after which what may be wanted is fetched. */
const afterMs = 3_000
/** Milliseconds until a part that could not be fetched is asked for again. */
const againMs = 2_000

/** A component that `load` fetches. Where that fails it is tried again until it is there; nothing is shown meanwhile. */
export function later<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> & { preload(): Promise<unknown> } {
  const part = lazy<Component<Props>>(async () => ({ default: await untilThere(load) }))
  if (typeof window !== 'undefined') setTimeout(() => whenIdle(() => void part.preload(), 10_000), afterMs)
  return part
}

/** The result of `load`, as soon as it does not reject. */
export async function untilThere<Part>(load: () => Promise<Part>, wait = pause): Promise<Part> {
  for (;;) {
    try {
      return await load()
    } catch {
      await wait()
    }
  }
}

/** Resolves when there is a network again, or after a moment. */
const pause = (): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer)
      removeEventListener('online', go)
      resolve()
    }
    const timer = setTimeout(go, againMs)
    addEventListener('online', go)
  })

/** Calls `work` when the browser has nothing better to do, after `mostMs` at the latest. The returned function takes it back. */
export function whenIdle(work: () => void, mostMs: number): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 50)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: mostMs })
  return () => cancelIdleCallback(asked)
}
