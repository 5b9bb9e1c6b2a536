/** Runs one piece of work at a time, with callers in turn: a busy caller waits for its own work and does not delay others. */

/** A queue for each caller. */
export interface Turns {
  /** Runs the work when it is the caller's turn; resolves and rejects as the work does. */
  take<Value>(caller: string, work: () => Promise<Value>): Promise<Value>
}

export function createTurns(): Turns {
  /** In the order of their turns; after its turn a caller goes to the end. */
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let isBusy = false

  async function serve(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let next = nextOf(waiting); next; next = nextOf(waiting)) await next()
    isBusy = false
  }

  return {
    take(caller, work) {
      return new Promise((resolve, reject) => {
        const queue = waiting.get(caller) ?? []
        queue.push(() => work().then(resolve, reject))
        waiting.set(caller, queue)
        void serve()
      })
    },
  }
}

function nextOf(waiting: Map<string, (() => Promise<void>)[]>): (() => Promise<void>) | undefined {
  for (const [caller, queue] of waiting) {
    const next = queue.shift()
    waiting.delete(caller)
    if (queue.length > 0) waiting.set(caller, queue)
    return next
  }
  return undefined
}
