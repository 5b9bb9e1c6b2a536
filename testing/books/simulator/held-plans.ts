/** Plans of wallets: several windows at once, one of which begins anew in the middle of a run. Drawn apart from all else of a seed. */
import type { HeldPlan } from '#shared/console/selling'
import { formatUsd } from '#shared/money'
import { seeded } from '#testing/seeded'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The plans of some of the wallets; `now`: milliseconds since 1970 at the beginning of the run, which lasts `activeMs`. */
export function drawHeldPlans(seed: number, wallets: readonly string[], now: number, activeMs: number): ReadonlyMap<string, HeldPlan> {
  const random = seeded(seed * 613 + 5)
  const planOf = (): HeldPlan => {
    const renews = now + (0.2 + random.fraction() / 2) * activeMs
    const amount = () => formatUsd(BigInt(40 + random.below(500)))
    // Some end while requests of theirs run.
    const until = random.below(4) === 0 ? now + (0.6 + random.fraction() / 4) * activeMs : now + 30 * dayMs
    return {
      ...{ id: 'plan', name: 'plan', group: null },
      windows: [
        { every: '1h', amount: amount() },
        { every: random.pick(['5h', '1d']), amount: amount() },
        { every: '1mo', amount: amount() },
      ],
      from: new Date(renews - hourMs * (1 + random.below(20))).toISOString(),
      until: new Date(until).toISOString(),
    }
  }
  return new Map(wallets.flatMap((wallet) => (random.below(2) === 0 ? [[wallet, planOf()] as const] : [])))
}
