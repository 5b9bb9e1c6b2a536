/** What the simulated network does to calls to the database. */
import type { Seeded } from '#testing/seeded'

/** What happens to one call. */
export type Fate = 'answered' | 'lost' | 'answer lost' | 'late'

/** Decides what happens to each call. All times are milliseconds. */
export interface Network {
  /** The delay in one direction. */
  delay(): number
  fate(call: string): Fate
  /** The delay of a late call: longer than its caller's timeout. */
  late(): number
  /** The time until a lost connection is noticed. */
  silence(): number
  /** Ends all faults. */
  endFaults(): void
  /** Number of calls by fate. */
  readonly fates: ReadonlyMap<Fate, number>
}

/** How often calls fail, and how. */
export interface NetworkFaults {
  /** The share of calls that fail. */
  bad: number
  /** The share for calls that match, to target the harmful ones. */
  prone?: { share: number; which: RegExp }
  /** The longest delay in one direction, in milliseconds. */
  slowMs: number
  /** The longest time in milliseconds by which a late call arrives after its caller gave up. */
  lateMs?: number
  /** The possible faults. */
  faults: readonly [Fate, ...Fate[]]
}

/** Creates a network with these faults. */
export function createNetwork(random: Seeded, { bad, prone, slowMs, lateMs = 2_500, faults }: NetworkFaults): Network {
  const fates = new Map<Fate, number>()
  let isFaultless = false
  return {
    delay: () => random.fraction() * slowMs,
    fate(call) {
      const share = prone?.which.test(call) ? prone.share : bad
      const fate = !isFaultless && random.fraction() < share ? random.pick(faults) : 'answered'
      fates.set(fate, (fates.get(fate) ?? 0) + 1)
      return fate
    },
    late: () => 1_950 + random.fraction() * lateMs,
    silence: () => random.fraction() * 3_000,
    endFaults() {
      isFaultless = true
    },
    fates,
  }
}
