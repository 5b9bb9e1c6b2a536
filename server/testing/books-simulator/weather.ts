/** What the network does to calls of the database. */
import type { Seeded } from '../seeded.ts'

export type Fate = 'answered' | 'lost' | 'answer lost' | 'late'

/** Times are milliseconds. */
export interface Weather {
  /** Of one way. */
  delay(): number
  fate(call: string): Fate
  /** How much later a call arrives that is late: longer than anybody waits for it. */
  late(): number
  /** How long it takes until a lost connection is found to be lost. */
  silence(): number
  /** From now on nothing is lost. */
  clear(): void
  /** How many calls came to what end. */
  readonly fates: ReadonlyMap<Fate, number>
}

export interface Climate {
  /** Share of the calls that go wrong. */
  bad: number
  /** Of those among them that this says: a network that knows what hurts. */
  prone?: { share: number; which: RegExp }
  /** The longest way. */
  slowMs: number
  /** By how much calls that are late come after the moment they are given up, at most. */
  lateMs?: number
  /** What goes wrong. */
  faults: readonly [Fate, ...Fate[]]
}

export function createWeather(dice: Seeded, { bad, prone, slowMs, lateMs = 2_500, faults }: Climate): Weather {
  const fates = new Map<Fate, number>()
  let isClear = false
  return {
    delay: () => dice.roll() * slowMs,
    fate(call) {
      const share = prone?.which.test(call) ? prone.share : bad
      const fate = !isClear && dice.roll() < share ? dice.pick(faults) : 'answered'
      fates.set(fate, (fates.get(fate) ?? 0) + 1)
      return fate
    },
    late: () => 1_950 + dice.roll() * lateMs,
    silence: () => dice.roll() * 3_000,
    clear() {
      isClear = true
    },
    fates,
  }
}
