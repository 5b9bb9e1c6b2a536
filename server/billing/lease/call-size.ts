/** How many accounts a call asks for: as many as fit into a time that whoever comes during the call can wait for. */

/** The size of the calls of one loop. */
export interface CallSize {
  /** About how many accounts the next call should ask for. */
  readonly most: number
  /** A call that asked for so many took so many milliseconds. */
  took(asked: number, ms: number): void
}

/** Milliseconds. Small calls would be over sooner, and serve fewer: each has costs of its own, however little it asks for. */
const longMs = 100
const [fewest, usual, largest] = [64, 128, 512]

/** Begins in the middle; doubled and halved by what calls take. */
export function createCallSize(): CallSize {
  const self = {
    most: usual,
    took(asked: number, ms: number): void {
      // Only a call that was large says how long large ones take.
      if (2 * asked < self.most) return
      if (ms > longMs) self.most = Math.max(fewest, self.most / 2)
      else if (2 * ms < longMs) self.most = Math.min(largest, 2 * self.most)
    },
  }
  return self
}
