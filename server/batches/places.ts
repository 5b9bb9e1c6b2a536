/** Limits concurrent batch requests, in total and per user; first come, first served. */

/** Places of one process. */
export interface Places {
  /** Resolves when a place is free; call the result, once, to release it. */
  take(user: string): Promise<() => void>
}

/** `most` in total, `each` for one user. */
export function createPlaces(most: number, each: number): Places {
  const taken = new Map<string, number>()
  let all = 0
  const waiting: { user: string; go(): void }[] = []
  const fits = (user: string) => all < most && (taken.get(user) ?? 0) < each

  function occupy(user: string): void {
    all += 1
    taken.set(user, (taken.get(user) ?? 0) + 1)
  }

  function leave(user: string): void {
    all -= 1
    const left = (taken.get(user) ?? 1) - 1
    if (left > 0) taken.set(user, left)
    else taken.delete(user)
    const next = waiting.findIndex((one) => fits(one.user))
    if (next >= 0) waiting.splice(next, 1)[0]?.go()
  }

  return {
    async take(user) {
      if (fits(user)) occupy(user)
      else {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push({
          user,
          go() {
            occupy(user)
            resolve()
          },
        })
        await promise
      }
      let isLeft = false
      return () => {
        if (!isLeft) leave(user)
        isLeft = true
      }
    },
  }
}
