/** What the simulated network does to calls to the database. */
import type { Seeded } from '#testing/seeded'

export type Fate = 'answered' | 'lost' | 'answer lost' | 'late'

/** Times are milliseconds. */
export interface Weather {
  /** One way. */
  delay(): number
  fate(call: string): Fate
  /** The delay of a late call: longer than anybody waits for it. */
  late(): number
  /** How long until a lost connection is noticed. */
  silence(): number
  /** From now on nothing is lost. */
  clear(): void
  /** How many calls had which fate. */
  readonly fates: ReadonlyMap<Fate, number>
}

export interface Climate {
  /** Share of the calls that go wrong. */
  bad: number
  /** The share for calls that match: a network that hits where it hurts. */
  prone?: { share: number; which: RegExp }
  /** The longest delay of one way, in milliseconds. */
  slowMs: number
  /** The most milliseconds by which a late call arrives after it was given up. */
  lateMs?: number
  /** The possible faults. */
  faults: readonly [Fate, ...Fate[]]
}

/** Weather drawn from this climate. */
export function createWeather(random: Seeded, { bad, prone, slowMs, lateMs = 2_500, faults }: Climate): Weather {
  const fates = new Map<Fate, number>()
  let isClear = false
  return {
    delay: () => random.fraction() * slowMs,
    fate(call) {
      const share = prone?.which.test(call) ? prone.share : bad
      const fate = !isClear && random.fraction() < share ? random.pick(faults) : 'answered'
      fates.set(fate, (fates.get(fate) ?? 0) + 1)
      return fate
    },
    late: () => 1_950 + random.fraction() * lateMs,
    silence: () => random.fraction() * 3_000,
    clear() {
      isClear = true
    },
    fates,
  }
}
