/** Whether long work yields: the number of turns of the event loop meanwhile. */

/** Turns of the event loop during this work; `had` is called at each. */
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
