/** Calls `work` when the browser has nothing better to do, after `mostMs` at the latest. The returned function takes it back. */
export function whenIdle(work: () => void, mostMs: number): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 50)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(work, { timeout: mostMs })
  return () => cancelIdleCallback(asked)
}
