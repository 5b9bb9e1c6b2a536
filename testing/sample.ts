/**
 * What is wide is sampled in `npm test` and runs whole in `npm run test:deep`. PARLEY_SEED chooses the sample; a run prints
 * it, so that what failed can be repeated.
 */
import { seeded } from './seeded.ts'

/** Whether this run leaves nothing out. */
export const isDeep = process.env.PARLEY_DEEP !== undefined

/** The seed of this run. */
export const runSeed = Number(process.env.PARLEY_SEED ?? 1)

/** So many of `whole`, each other choice as likely, in their order there; all of them in a deep run. */
export function sampled<T>(whole: readonly T[], count: number, { deep = isDeep, seed = runSeed } = {}): T[] {
  if (deep) return [...whole]
  const random = seeded(seed)
  // Selection sampling: each is taken with the chance that fills what is missing.
  let missing = Math.min(count, whole.length)
  return whole.filter((_, at) => {
    const taken = random.below(whole.length - at) < missing
    if (taken) missing--
    return taken
  })
}

/** The seeds from 1 to `all`, or so many of them. */
export const sampledSeeds = (all: number, count: number): number[] =>
  sampled(
    Array.from({ length: all }, (_, at) => at + 1),
    count,
  )
