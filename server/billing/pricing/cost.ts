/** From usage to money: units times rates, exact in bigint, rounded up once per request. Pure. */
import type { Usage } from '#canonical/usage'
import type { Rates, TokenRates } from './price.ts'

/** One line of a bill: `amount` units at `price` nano-dollars per million. */
export interface CostPart {
  unit: string
  amount: bigint
  price: bigint
  /** Present when the price is that of the tier for more than so many input tokens. */
  tier?: number
}

/** Nano-dollars per million units times millionths of the ratio. */
const scale = 1_000_000_000_000n

/** What a request costs in nano-dollars. `ratio` is in millionths. Not negative if `ratio` is not. */
export function cost(usage: Usage, rates: Rates, ratio: bigint): bigint {
  const total = partsOf(usage, rates).reduce((sum, part) => sum + part.amount * part.price, 0n)
  return (total * ratio + scale - 1n) / scale
}

/**
 * The lines of the bill; `cost` is the rounded sum of amount times price. Reasoning, audio and images are taken out of `out.total` and
 * the rest is charged as output, so parts that add up to more than the total are charged as the total.
 */
export function partsOf(usage: Usage, rates: Rates): CostPart[] {
  const tier = tierFor(usage, rates)
  const tokens = tier?.rates ?? rates
  const { in: input, out: output, units } = usage
  const reasoning = smaller(count(output.reasoning), count(output.total))
  const audio = smaller(count(output.audio), count(output.total) - reasoning)
  const image = smaller(count(output.image), count(output.total) - reasoning - audio)
  const ofTokens: CostPart[] = [
    { unit: 'input', amount: count(input.fresh), price: tokens.input },
    { unit: 'cacheRead', amount: count(input.cacheRead), price: tokens.cacheRead },
    { unit: 'cacheWrite5m', amount: count(input.cacheWrite['5m']) + count(input.cacheWrite.other), price: tokens.cacheWrite5m },
    { unit: 'cacheWrite1h', amount: count(input.cacheWrite['1h']), price: tokens.cacheWrite1h },
    { unit: 'audioIn', amount: count(input.audio), price: tokens.audioIn },
    { unit: 'imageIn', amount: count(input.image), price: tokens.imageIn },
    { unit: 'output', amount: count(output.total) - reasoning - audio - image, price: tokens.output },
    { unit: 'reasoning', amount: reasoning, price: tokens.reasoning },
    { unit: 'audioOut', amount: audio, price: tokens.audioOut },
    { unit: 'imageOut', amount: image, price: tokens.imageOut },
  ]
  const ofUnits: CostPart[] = [
    { unit: 'request', amount: count(units.requests), price: rates.request },
    { unit: 'image', amount: count(units.images), price: rates.image },
    { unit: 'second', amount: count(units.seconds), price: rates.second },
    { unit: 'search', amount: count(units.searches), price: rates.search },
    { unit: 'character', amount: count(units.characters), price: rates.character },
  ]
  const parts = [...ofTokens.map((part) => (tier ? { ...part, tier: tier.above } : part)), ...ofUnits]
  return parts.filter((part) => part.amount > 0n)
}

/** The rates of tokens for a request with so many input tokens. */
export const ratesFor = (input: number, rates: Rates): TokenRates => tierAbove(count(input), rates)?.rates ?? rates

/** The last tier whose threshold the whole input exceeds; undefined: the base rates apply. */
function tierFor(usage: Usage, rates: Rates): Rates['tiers'][number] | undefined {
  const { fresh, cacheRead, cacheWrite, audio, image } = usage.in
  const counts = [fresh, cacheRead, cacheWrite['5m'], cacheWrite['1h'], cacheWrite.other, audio, image]
  const input = counts.reduce((sum, n) => sum + count(n), 0n)
  return tierAbove(input, rates)
}

const tierAbove = (input: bigint, { tiers }: Rates) => tiers.findLast((tier) => BigInt(tier.above) < input)

/** A reported figure as a whole number of units: rounded up; 0 for anything that is not a positive number. */
function count(figure: number): bigint {
  return figure > 0 ? BigInt(Math.ceil(Math.min(figure, Number.MAX_SAFE_INTEGER))) : 0n
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
