/**
 * How much was taken in the last minute, in sub-windows of five seconds: what was taken is given back as a sub-window leaves,
 * so that no minute, wherever it begins, holds more than the limit. Pure: the time is handed in, in milliseconds that never
 * go back.
 */
const slotMs = 5_000
/** A minute and the sub-window that is only partly inside it. */
const slots = 13

export interface Window {
  /** Taken in the last minute. */
  sum(now: number): number
  /** Adds to the present sub-window; what is negative gives back, never below nothing. */
  add(now: number, amount: number): void
  /** Milliseconds until at most `amount` is left of what was taken. */
  msUntil(now: number, amount: number): number
}

export function createWindow(): Window {
  const taken = new Map<number, number>()
  const slotOf = (now: number) => Math.floor(now / slotMs)

  function forget(now: number): void {
    const oldest = slotOf(now) - slots + 1
    for (const slot of taken.keys()) if (slot < oldest) taken.delete(slot)
  }
  function sum(now: number): number {
    forget(now)
    let all = 0
    for (const amount of taken.values()) all += amount
    return all
  }

  return {
    sum,
    add(now, amount) {
      const slot = slotOf(now)
      let left = amount
      if (left < 0) {
        // Given back where it still counts, newest first.
        for (const at of [...taken.keys()].sort((a, b) => b - a)) {
          const back = Math.min(taken.get(at) ?? 0, -left)
          taken.set(at, (taken.get(at) ?? 0) - back)
          left += back
          if (left === 0) return
        }
        return
      }
      taken.set(slot, (taken.get(slot) ?? 0) + left)
    },
    msUntil(now, amount) {
      let all = sum(now)
      for (const slot of [...taken.keys()].sort((a, b) => a - b)) {
        if (all <= amount) break
        all -= taken.get(slot) ?? 0
        if (all <= amount) return (slot + slots) * slotMs - now
      }
      return 0
    },
  }
}
