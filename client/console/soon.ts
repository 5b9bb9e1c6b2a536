/** Reading again after changes, not more often than a page needs. */
import { onCleanup } from 'solid-js'

/**
 * Calls `react` after each call of the result, at once or so that `leastMs` milliseconds lie between two; many calls meanwhile are one.
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
