/**
 * Wide tests run on a sample in `npm test` and completely in `npm run test:deep`. PARLEY_SEED chooses the sample; each run prints it, so
 * that a failure can be repeated.
 */
import { seeded } from './seeded.ts'

/** Whether this is a deep run, without sampling. */
export const isDeep = process.env.PARLEY_DEEP !== undefined

/** The seed of this run. */
export const runSeed = Number(process.env.PARLEY_SEED ?? 1)

/** A uniformly random sample of `count` elements of `whole`, in their order; all of them in a deep run. */
export function sampled<T>(whole: readonly T[], count: number, { deep = isDeep, seed = runSeed } = {}): T[] {
  if (deep) return [...whole]
  const random = seeded(seed)
  // Selection sampling: each is taken with probability missing / remaining.
  let missing = Math.min(count, whole.length)
  return whole.filter((_, at) => {
    const taken = random.below(whole.length - at) < missing
    if (taken) missing--
    return taken
  })
}

/** A sample of `count` of the seeds from 1 to `all`. */
export const sampledSeeds = (all: number, count: number): number[] =>
  sampled(
    Array.from({ length: all }, (_, at) => at + 1),
    count,
  )
