/**
 * A sliding minute in sub-windows of five seconds: how much was taken in it. A sub-window counts until all of it is older than a
 * minute, so no minute, wherever it begins, holds more than the limit. Pure: the time is passed in, in milliseconds that never go back.
 */
const slotMs = 5_000

/** Amounts taken in a sliding minute. */
export interface MinuteWindow {
  /** Sum of the last minute. */
  sum(now: number): number
  /** Adds to the current sub-window. */
  add(now: number, amount: number): void
  /** Subtracts from the sub-window of `at`; does nothing when that no longer counts. */
  giveBack(at: number, amount: number): void
  /** Milliseconds until at most `amount` of what was taken still counts. */
  msUntil(now: number, amount: number): number
  /** Replaces everything: `ring` holds what was taken in the sub-window `slot`, in the one before, and so on. */
  load(slot: number, ring: readonly number[]): void
}

/** An empty window. `slots`: for how many sub-windows an amount counts: a minute, plus the one that is only partly inside it. */
export function createMinuteWindow(slots = 13): MinuteWindow {
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
      taken.set(slot, (taken.get(slot) ?? 0) + amount)
    },
    giveBack(at, amount) {
      const slot = slotOf(at)
      const there = taken.get(slot)
      if (there !== undefined) taken.set(slot, there - amount)
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
    load(slot, ring) {
      taken.clear()
      for (const [back, amount] of ring.entries()) if (amount !== 0) taken.set(slot - back, amount)
    },
  }
}
