/** How many accounts a call asks for: as many as fit into a time that requests arriving during the call can wait. */

/** The size of the calls of one loop. */
export interface CallSize {
  /** About how many accounts the next call should ask for. */
  readonly most: number
  /** A call for `asked` accounts took `ms` milliseconds. */
  took(asked: number, ms: number): void
}

/** Milliseconds. Smaller calls would end sooner but serve fewer: each has a fixed cost. */
const longMs = 100
const [fewest, usual, largest] = [64, 128, 512]

/** Starts in the middle; doubled and halved by the time that calls take. */
export function createCallSize(): CallSize {
  const self = {
    most: usual,
    took(asked: number, ms: number): void {
      // Only a large call shows how long large ones take.
      if (2 * asked < self.most) return
      if (ms > longMs) self.most = Math.max(fewest, self.most / 2)
      else if (2 * ms < longMs) self.most = Math.min(largest, 2 * self.most)
    },
  }
  return self
}
