/**
 * Prices from a public catalogue: models.dev's `api.json` (USD per million tokens, by provider) or LiteLLM's
 * `model_prices_and_context_window.json` (USD per token, by model). Amounts are moved by decimal places in their text, never multiplied
 * as floats.
 */
import type { PriceFields } from './console/price.ts'

/** A model's price in a catalogue. */
export interface CatalogueEntry {
  provider: string
  model: string
  price: PriceFields
}

type Field = Exclude<keyof PriceFields, 'tiers' | 'factors'>

/** Fields of `cost` in models.dev. */
const perMillion: Record<string, Field> = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite5m',
  reasoning: 'reasoning',
  input_audio: 'audioIn',
  output_audio: 'audioOut',
}

/** Fields of a model in LiteLLM, each with the decimal places by which it is moved. */
const perUnit: Record<string, readonly [Field, number]> = {
  input_cost_per_token: ['input', 6],
  output_cost_per_token: ['output', 6],
  cache_read_input_token_cost: ['cacheRead', 6],
  cache_creation_input_token_cost: ['cacheWrite5m', 6],
  cache_creation_input_token_cost_above_1hr: ['cacheWrite1h', 6],
  output_cost_per_reasoning_token: ['reasoning', 6],
  input_cost_per_audio_token: ['audioIn', 6],
  output_cost_per_audio_token: ['audioOut', 6],
  input_cost_per_image_token: ['imageIn', 6],
  output_cost_per_image_token: ['imageOut', 6],
  input_cost_per_query: ['request', 0],
  output_cost_per_image: ['image', 0],
  input_cost_per_second: ['second', 0],
  input_cost_per_character: ['character', 6],
}

/** Every price of a catalogue file; undefined when the text is neither form. */
export function readCatalogue(text: string): CatalogueEntry[] | undefined {
  const file = parse(text)
  if (!isRecord(file)) return undefined
  const entries = Object.entries(file).flatMap(([name, value]) => {
    if (!isRecord(value)) return []
    return isRecord(value.models) ? ofModelsDev(name, value.models) : ofLiteLlm(name, value)
  })
  return entries.length > 0 ? entries : undefined
}

function ofModelsDev(provider: string, models: Record<string, unknown>): CatalogueEntry[] {
  return Object.entries(models).flatMap(([model, row]) => {
    const cost = isRecord(row) && isRecord(row.cost) ? row.cost : {}
    const price = priceOf(Object.entries(perMillion).map(([name, field]) => [field, cost[name], 0]))
    return price === undefined ? [] : [{ provider, model, price }]
  })
}

function ofLiteLlm(name: string, row: Record<string, unknown>): CatalogueEntry[] {
  const price = priceOf(Object.entries(perUnit).map(([from, [field, places]]) => [field, row[from], places]))
  if (price === undefined || name === 'sample_spec') return []
  const provider = typeof row.litellm_provider === 'string' ? row.litellm_provider : ''
  return [{ provider, model: name.startsWith(`${provider}/`) ? name.slice(provider.length + 1) : name, price }]
}

function priceOf(amounts: (readonly [field: Field, amount: unknown, places: number])[]): PriceFields | undefined {
  const fields = amounts.flatMap(([field, amount, places]) => {
    const text = typeof amount === 'number' ? movedDecimal(String(amount), places) : undefined
    return text === undefined ? [] : [[field, text] as const]
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}

/** A decimal, with or without an exponent, times ten to the power of `places`; undefined below zero and beyond nine places. */
export function movedDecimal(text: string, places: number): string | undefined {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const point = whole.length + Number(exponent) + places
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`
  const at = Math.max(0, point)
  const left =
    digits
      .slice(0, at)
      .padEnd(at, '0')
      .replace(/^0+(?=\d)/, '') || '0'
  const right = digits.slice(at).replace(/0+$/, '')
  if (right.length > 9) return undefined
  return right === '' ? left : `${left}.${right}`
}

/** The entry for a model: of one of the preferred providers, else the first that has it. */
export function findEntry(entries: readonly CatalogueEntry[], model: string, providers: readonly string[]): CatalogueEntry | undefined {
  const found = entries.filter((entry) => entry.model === model)
  return found.find((entry) => providers.includes(entry.provider)) ?? found[0]
}

/** A vendor's names in catalogues, where they differ from Parley's. */
export const providersOf = (vendor: string): string[] => [
  vendor,
  ...({
    gemini: ['google', 'vertex_ai'],
    vertex: ['google-vertex', 'vertex_ai'],
    bedrock: ['amazon-bedrock', 'bedrock'],
    'azure-openai': ['azure'],
  }[vendor] ?? []),
]

/** The fields in which two prices differ. */
export function changedFields(
  before: PriceFields | undefined,
  after: PriceFields,
): { field: Field; from: string | undefined; to: string }[] {
  return (Object.entries(after) as [Field, string][]).flatMap(([field, to]) => {
    const from = before?.[field]
    return from !== undefined && movedDecimal(from, 0) === movedDecimal(to, 0) ? [] : [{ field, from, to }]
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
