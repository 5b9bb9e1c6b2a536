/** Throttled reloads after changes. */
import { onCleanup } from 'solid-js'

/**
 * Returns a function that calls `react` at once, or `leastMs` milliseconds after the last time; calls in between are merged into one.
 * Ends with the calling component.
 */
export function createSoon(leastMs: number, react: () => void): () => void {
  let last = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  onCleanup(() => clearTimeout(timer))
  return () => {
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        last = performance.now()
        react()
      },
      last + leastMs - performance.now(),
    )
  }
}
