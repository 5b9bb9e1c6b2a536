/**
 * Lazily loaded parts of a page: dialogs, sheets, panels. They are loaded when they are first shown, or earlier, once the page has
 * been open for a while and the browser is idle, so that they also open offline.
 */
import { type Component, lazy } from 'solid-js'

/** Milliseconds until parts are preloaded. */
const afterMs = 3_000
/** Milliseconds until a failed load is retried. */
const againMs = 2_000

/** A component loaded by `load`. A failed load is retried until it succeeds; nothing is shown meanwhile. */
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

/** Calls `work` when the browser is idle, after `mostMs` at the latest. The returned function cancels it. */
export function whenIdle(work: () => void, mostMs: number): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 50)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: mostMs })
  return () => cancelIdleCallback(asked)
}
