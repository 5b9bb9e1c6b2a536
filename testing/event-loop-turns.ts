/** Whether long work lets others in: how often the event loop has its turn meanwhile. */

/** Turns of the event loop while this is done; `had` is called at each. */
export async function turnsDuring(work: () => Promise<unknown>, had: () => void = () => {}): Promise<number> {
  let turns = 0
  const count = () => {
    turns++
    had()
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  try {
    await work()
  } finally {
    clearImmediate(next)
  }
  return turns
}
