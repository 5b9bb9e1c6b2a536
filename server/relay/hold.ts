/**
 * What is held before anything is sent: the largest cost over all models and candidates that may be tried; for a stream the
 * first slice of it, and how that grows once it is known who answers.
 */
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import { cost } from '#metering/cost'
import { type Estimate, firstCost, largestCost, outputLimit, sliceOutputTokens, usualSearches } from '#metering/estimate'
import type { Price } from '#metering/price'
import type { Candidate } from '#routing/order'

interface Served {
  price: Pick<Price, 'rates'>
  candidates: readonly Candidate[]
}

interface Asked {
  head: Head
  /** The largest usage, where the door knows it. */
  most?: Usage
}

/** How a hold grows, in nano-dollars. */
export interface Growth {
  /** Asked for at a time; nothing where the hold already covers all that may come. */
  step: bigint
  /** What the answer can cost at most; undefined = nobody knows. */
  most: bigint | undefined
  /** What 4,096 output tokens cost; nothing where the hold covers all. */
  slice: bigint
}

/** The most that a request may cost, in nano-dollars. `ratio` in millionths. */
export const amountToHold = (asked: Asked, servings: readonly Served[], ratio: bigint): bigint =>
  dearest(servings, (serving) => costBy(largestCost, asked, serving, ratio))

/** What a stream begins with. */
export const amountToBegin = (asked: Asked, servings: readonly Served[], ratio: bigint): bigint =>
  dearest(servings, (serving) => costBy(firstCost, asked, serving, ratio))

/** How the hold of a stream grows when it is answered by this model. */
export function growthOf(asked: Asked, serving: Served, ratio: bigint): Growth {
  if (asked.most) return { step: 0n, most: undefined, slice: 0n }
  const estimate = estimateOf(asked, serving)
  const first = firstCost(estimate, serving.price.rates, ratio)
  const isKnown = outputLimit(estimate) !== undefined
  const most = isKnown ? largestCost(estimate, serving.price.rates, ratio) : undefined
  const input = firstCost({ ...estimate, n: 0 }, serving.price.rates, ratio)
  const slice =
    firstCost({ ...estimate, n: 1, maxOutput: sliceOutputTokens, modelMaxOutput: undefined }, serving.price.rates, ratio) - input
  return { step: most === first ? 0n : first - input, most, slice }
}

function dearest(servings: readonly Served[], amountFor: (serving: Served) => bigint): bigint {
  // A model that nobody can be asked for now costs nothing.
  const amounts = servings.filter(({ candidates }) => candidates.length > 0).map(amountFor)
  return amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)
}

function costBy(amount: typeof largestCost, asked: Asked, serving: Served, ratio: bigint): bigint {
  const { rates } = serving.price
  return asked.most ? cost(asked.most, rates, ratio) : amount(estimateOf(asked, serving), rates, ratio)
}

function estimateOf({ head }: Asked, { candidates, price }: Served): Estimate {
  const limits = candidates.map((candidate) => candidate.model.capabilities.maxOutputTokens)
  const modelMaxOutput = limits.some((limit) => limit === undefined) ? undefined : Math.max(...limits.map((limit) => limit ?? 0))
  const { beside } = head
  const cached = cachedBy(head, candidates)
  return {
    inputBytes: head.inputBytes,
    n: head.n,
    maxOutput: head.maxOutput,
    modelMaxOutput,
    ...(beside && { beside }),
    searches: head.searchAsked ? (beside?.searches ?? usualSearches) : 0,
    ...(cached && { cached }),
    makes: makesOf(head, candidates, price),
  }
}

/** Messages fills a cache where it is told to; others do so when they like, which costs more only where the price says so. */
function cachedBy({ beside }: Head, candidates: readonly Candidate[]): '5m' | '1h' | undefined {
  return beside?.cached ?? (candidates.some(({ dialect }) => dialect !== 'messages') ? '5m' : undefined)
}

/** Sound is made when it is asked for. So are pictures, but a model whose price names them may make them unasked. */
function makesOf({ beside }: Head, candidates: readonly Candidate[], { rates }: Served['price']): { image: boolean; audio: boolean } {
  const named = beside?.modalities
  // Responses makes pictures with a tool, which would be named.
  const mayUnasked = candidates.some(({ dialect }) => dialect !== 'responses')
  return { image: named?.includes('image') ?? (mayUnasked && rates.imageOut > rates.output), audio: named?.includes('audio') ?? false }
}
