/** One piece of work at a time, callers in turns: who asks for much waits for their own work, not others for it. */

/** A queue for each caller. */
export interface Turns {
  /** Runs the work when it is the caller's turn; resolves and rejects as the work does. */
  take<Value>(caller: string, work: () => Promise<Value>): Promise<Value>
}

/** Nobody waits. */
export function createTurns(): Turns {
  /** In the order of their turns; a caller who had one goes to the end. */
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
