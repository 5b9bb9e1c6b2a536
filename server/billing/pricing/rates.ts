/**
 * From prices as people write them (US dollars) to rates for arithmetic (nano-dollars per million units), with every fallback filled
 * in: an absent price falls back to another one; what is free must be written as 0. Pure.
 */
import { factorFields, type PriceFields } from '#shared/console/price'
import { GatewayError } from '#shared/errors'
import { parseRatio, parseUsd } from '#shared/money'
import type { Rates, TokenRates } from './price.ts'

type TokenField = keyof TokenRates
type UnitField = 'request' | 'image' | 'second' | 'search' | 'character'
type TokenPrices = Pick<PriceFields, TokenField>

const tokenFields: readonly TokenField[] = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'reasoning',
  'audioIn',
  'audioOut',
  'imageIn',
  'imageOut',
]
const unitFields: readonly UnitField[] = ['request', 'image', 'second', 'search', 'character']

/** From a price per piece to a price per million. */
const each = 1_000_000n

/**
 * The rates of a price. Throws `missing_field` or `invalid_value`, with the field as `param`, for a price that names nothing, names
 * tokens but not `input`, is negative, or has two tiers with the same threshold. For prices without `output` see `isWholeFor`.
 */
export function resolveRates(fields: PriceFields): Rates {
  refuseSilence(fields)
  const unit = (name: UnitField) => nano(fields[name], name) ?? 0n
  const factors = factorsOf(fields)
  return {
    ...tokenRates(fields, ''),
    request: unit('request') * each,
    image: unit('image') * each,
    second: unit('second') * each,
    search: unit('search') * each,
    character: unit('character'),
    tiers: tiersOf(fields),
    ...(factors && { factors }),
  }
}

function refuseSilence(fields: PriceFields): void {
  const tiers = fields.tiers ?? []
  const namesTokens = tiers.length > 0 || tokenFields.some((name) => fields[name] !== undefined)
  if (!namesTokens && unitFields.every((name) => fields[name] === undefined)) {
    throw new GatewayError('missing_field', 'A price needs at least one amount; write 0 for what is free.')
  }
  if (namesTokens && fields.input === undefined) {
    throw new GatewayError('missing_field', 'A price for tokens needs input; write input: 0 if it is free.', { param: 'input' })
  }
}

/** A tier inherits what it does not name from the base; then the same fallbacks apply inside it. */
function tiersOf(fields: PriceFields): Rates['tiers'] {
  const { tiers = [], ...base } = fields
  const thresholds = new Set<number>()
  const resolved = tiers.map((tier, index) => {
    if (thresholds.has(tier.above)) {
      throw new GatewayError('invalid_value', 'Two tiers begin at the same number of tokens.', { param: `tiers.${index}.above` })
    }
    thresholds.add(tier.above)
    return { above: tier.above, rates: tokenRates({ ...base, ...tier }, `tiers.${index}.`) }
  })
  return resolved.sort((a, b) => a.above - b.above)
}

function factorsOf({ factors = {} }: PriceFields): Rates['factors'] {
  const tables = [...factorFields, 'size' as const].flatMap((field) => {
    const words = Object.entries(factors[field] ?? {})
    return words.length > 0 ? [[field, new Map(words.map(([word, text]) => [word, millionths(text, `factors.${field}.${word}`)]))]] : []
  })
  return tables.length > 0 ? Object.fromEntries(tables) : undefined
}

/** Throws `invalid_value` when it is negative or not a number. */
function millionths(text: string, param: string): bigint {
  try {
    const factor = parseRatio(text)
    if (factor >= 0n) return factor
  } catch {
    // Thrown below.
  }
  throw new GatewayError('invalid_value', 'A factor must be a non-negative decimal number with up to 6 decimal places.', { param })
}

function tokenRates(fields: TokenPrices, where: string): TokenRates {
  const rate = (name: TokenField, otherwise: bigint) => nano(fields[name], where + name) ?? otherwise
  const input = rate('input', 0n)
  const output = rate('output', 0n)
  const cacheWrite5m = rate('cacheWrite5m', input)
  return {
    input,
    output,
    cacheRead: rate('cacheRead', input),
    cacheWrite5m,
    cacheWrite1h: rate('cacheWrite1h', cacheWrite5m),
    reasoning: rate('reasoning', output),
    audioIn: rate('audioIn', input),
    audioOut: rate('audioOut', output),
    imageIn: rate('imageIn', input),
    imageOut: rate('imageOut', output),
  }
}

/** Nano-dollars of an amount in US dollars. Throws `invalid_value` when it is negative or not a number. */
function nano(text: string | undefined, param: string): bigint | undefined {
  if (text === undefined) return undefined
  const amount = readUsd(text)
  if (amount === undefined || amount < 0n) {
    throw new GatewayError('invalid_value', 'A price must be a non-negative decimal number of US dollars with up to 9 decimal places.', {
      param,
    })
  }
  return amount
}

function readUsd(text: string): bigint | undefined {
  try {
    return parseUsd(text)
  } catch {
    return undefined
  }
}
