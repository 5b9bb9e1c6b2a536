/** What is held before anything is sent: the largest cost over all models and candidates that may be tried. */
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import { cost } from '#metering/cost'
import { largestCost } from '#metering/estimate'
import type { Price } from '#metering/price'
import type { Candidate } from '#routing/order'

interface Served {
  price: Pick<Price, 'rates'>
  candidates: readonly Candidate[]
}

/** Nano-dollars. `most` is the largest usage where the door knows it; `ratio` in millionths. */
export function amountToHold(opened: { head: Head; most?: Usage }, servings: readonly Served[], ratio: bigint): bigint {
  // A model that nobody can be asked for now costs nothing.
  const amounts = servings.filter(({ candidates }) => candidates.length > 0).map((serving) => amountFor(opened, serving, ratio))
  return amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
}

function amountFor({ head, most }: { head: Head; most?: Usage }, { price: { rates }, candidates }: Served, ratio: bigint): bigint {
  if (most) return cost(most, rates, ratio)
  const limits = candidates.map((candidate) => candidate.model.capabilities.maxOutputTokens)
  const modelMaxOutput = limits.some((limit) => limit === undefined) ? undefined : Math.max(...limits.map((limit) => limit ?? 0))
  return largestCost({ inputBytes: head.inputBytes, n: head.n, maxOutput: head.maxOutput, modelMaxOutput }, rates, ratio)
}
