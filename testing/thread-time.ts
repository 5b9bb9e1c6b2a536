/** How much processor time a piece of work needs: a bound on it holds on a busy machine, too, where one on the clock does not. */

/** Milliseconds that this thread computes for `work`: the least of three runs, since the collector comes when it likes. */
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
