/** From usage to money: units times rates, exact in bigint, rounded up once per request; and which operations a price covers. Pure. */
import { otherNames } from '#canonical/operation/video-size'
import type { Usage } from '#canonical/usage'
import { factorFields, type PriceFields } from '#shared/console/price'
import type { Operation } from '#shared/ids'
import { formatDecimal } from '#shared/money'
import type { Price, Rates, TokenRates } from './price.ts'

/** One line of a bill: `amount` units at `price` nano-dollars per million. */
export interface CostPart {
  unit: string
  amount: bigint
  price: bigint
  /** Present when the price is that of the tier for more than so many input tokens. */
  tier?: number
  /** What the price is multiplied by, as a decimal; absent: nothing. */
  factor?: string
}

/** Nano-dollars per million units times millionths of the ratio. */
const scale = 1_000_000_000_000n

/** What a request costs in nano-dollars. `ratio` is in millionths. Not negative if `ratio` is not. Allocates no objects: called often. */
export function cost(usage: Usage, rates: Rates, ratio: bigint): bigint {
  let tokens = 0n
  let units = 0n
  eachPart(usage, rates, tierFor(usage, rates)?.rates ?? rates, (_, amount, price, isToken) => {
    if (amount <= 0) return
    if (isToken) tokens += BigInt(amount) * price
    else units += BigInt(amount) * price
  })
  const factor = usage.servedAs && factorFor(usage, rates)
  const whole = factor ? scale * 10n ** BigInt(factor.places) : scale
  const total = factor ? tokens * factor.times + (units * whole) / scale : tokens + units
  return (total * ratio + whole - 1n) / whole
}

/** The lines of the bill; `cost` is the rounded sum of amount times price. */
export function partsOf(usage: Usage, rates: Rates): CostPart[] {
  const parts: CostPart[] = []
  const tier = tierFor(usage, rates)
  const by = factorFor(usage, rates)
  const factor = by && formatDecimal(by.times, by.places)
  eachPart(usage, rates, tier?.rates ?? rates, (unit, amount, price, isToken) => {
    if (amount > 0)
      parts.push({
        ...{ unit, amount: BigInt(amount), price },
        ...(tier && isToken && { tier: tier.above }),
        ...(factor !== undefined && isToken && { factor }),
      })
  })
  return parts
}

/**
 * Everything that has a price. Reasoning, audio and images are taken out of `out.total` and the rest is charged as output, so parts that
 * add up to more than the total are charged as the total.
 */
function eachPart(
  { in: input, out: output, units, servedAs }: Usage,
  rates: Rates,
  tokens: TokenRates,
  visit: (unit: string, amount: number | bigint, price: bigint, isToken: boolean) => void,
): void {
  const total = count(output.total)
  const reasoning = Math.min(count(output.reasoning), total)
  const audio = Math.min(count(output.audio), total - reasoning)
  const image = Math.min(count(output.image), total - reasoning - audio)
  const { cacheWrite } = input
  visit('input', count(input.fresh), tokens.input, true)
  visit('cacheRead', count(input.cacheRead), tokens.cacheRead, true)
  visit('cacheWrite5m', sum(count(cacheWrite['5m']), count(cacheWrite.other)), tokens.cacheWrite5m, true)
  visit('cacheWrite1h', count(cacheWrite['1h']), tokens.cacheWrite1h, true)
  visit('audioIn', count(input.audio), tokens.audioIn, true)
  visit('imageIn', count(input.image), tokens.imageIn, true)
  visit('output', total - reasoning - audio - image, tokens.output, true)
  visit('reasoning', reasoning, tokens.reasoning, true)
  visit('audioOut', audio, tokens.audioOut, true)
  visit('imageOut', image, tokens.imageOut, true)
  visit('request', count(units.requests), rates.request, false)
  visit('image', count(units.images), rates.image, false)
  visit('second', count(units.seconds), units.seconds > 0 ? secondOf(servedAs, rates) : rates.second, false)
  visit('search', count(units.searches), rates.search, false)
  visit('character', count(units.characters), rates.character, false)
}

/** The rate of a second at this size: exact, since a price per piece has a million in it. */
function secondOf(servedAs: Usage['servedAs'], { second, factors }: Rates): bigint {
  const named = factors?.size
  const size = servedAs?.size
  const factor = size === undefined || !named ? undefined : (named.get(size) ?? mostExpensive(otherNames(size, named.keys()), named))
  return factor === undefined ? second : (second * factor) / 1_000_000n
}

/** For a size that has another name in the price. */
function mostExpensive(names: readonly string[], factors: ReadonlyMap<string, bigint>): bigint | undefined {
  const found = names.flatMap((name) => factors.get(name) ?? [])
  return found.length === 0 ? undefined : found.reduce((most, one) => (one > most ? one : most))
}

/** The product of all factors that apply to its tokens, as an integer with `places` decimal places; undefined: none applies. */
function factorFor({ servedAs }: Usage, { factors }: Rates): { times: bigint; places: number } | undefined {
  if (!servedAs || !factors) return undefined
  let times = 1n
  let places = 0
  for (const field of factorFields) {
    const factor = factors[field]?.get(servedAs[field] ?? '')
    if (factor === undefined) continue
    times *= factor
    places += 6
  }
  return places === 0 ? undefined : { times, places }
}

/** Exact, whatever an upstream reports. */
const sum = (a: number, b: number): number | bigint => (b === 0 ? a : BigInt(a) + BigInt(b))

/** The rates of tokens for a request with so many input tokens. */
export const ratesFor = (input: number, rates: Rates): TokenRates => tierAbove(count(input), rates)?.rates ?? rates

/** The last tier whose threshold the whole input exceeds; undefined: the base rates apply. */
function tierFor({ in: input }: Usage, rates: Rates): Rates['tiers'][number] | undefined {
  if (rates.tiers.length === 0) return undefined
  const { fresh, cacheRead, cacheWrite, audio, image } = input
  const read = count(fresh) + count(cacheRead) + count(audio) + count(image)
  return tierAbove(read + count(cacheWrite['5m']) + count(cacheWrite['1h']) + count(cacheWrite.other), rates)
}

const tierAbove = (input: number, { tiers }: Rates) => (tiers.length === 0 ? undefined : tiers.findLast((tier) => tier.above < input))

/** A reported figure as a whole number of units: rounded up; 0 for anything that is not a positive number. */
const count = (figure: number): number => (figure > 0 ? Math.ceil(Math.min(figure, Number.MAX_SAFE_INTEGER)) : 0)

/** Their answers have no tokens to pay for. */
const readsOnly: ReadonlySet<Operation> = new Set(['embed', 'rerank', 'moderate'])

/**
 * Whether a model with this price may serve this operation: one that writes tokens needs a price of `output` besides `input`, and a video,
 * which is not counted in tokens, one of `second` or `request`, unless the operator priced its tokens at 0.
 */
export function isWholeFor(price: Price | undefined, operation: Operation): price is Price {
  if (price === undefined) return false
  const { input, output, second, request } = price.fields
  if (operation === 'video') return second !== undefined || request !== undefined || isFree(price)
  return readsOnly.has(operation) || input === undefined || output !== undefined
}

/** Everything that it names is priced at 0. */
function isFree({ fields }: Price): boolean {
  const { tiers, factors: _, ...amounts }: PriceFields = fields
  return tiers === undefined && Object.values(amounts).every((amount) => Number(amount) === 0)
}
