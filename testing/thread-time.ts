/** The processor time of a piece of work: a limit on it also holds on a busy machine, unlike one on wall-clock time. */

/** Milliseconds that this thread computes for `work`: the minimum of three runs, since garbage collection is unpredictable. */
export function threadMs(work: () => unknown): number {
  return Math.min(...[1, 2, 3].map(() => onceMs(work)))
}

function onceMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** Milliseconds that this thread has computed so far. */
export function threadNow(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
