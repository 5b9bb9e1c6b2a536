/**
 * Fields for which vendors charge more than the usual price of a model, read for the heads of all dialects. A cheaper tier passes: it is
 * charged at the usual price.
 */
import type { UnpricedField } from '#canonical/unpriced-field'
import type { FactorField } from '#shared/console/price'
import type { Dialect } from '#shared/ids'
import { isObject } from '#shared/json'

/** Values of a tier that cost no more than the usual one. */
const usualTiers = new Set(['', 'auto', 'default', 'flex', 'standard', 'standard_only', 'batch', 'deferred', 'unspecified'])
const usualPlaces = new Set(['', 'global'])
const openaiKin: readonly Dialect[] = ['chat', 'completions', 'responses']

/** The value of a field as prices spell it. */
export const plainWord = (word: string): string => word.toLowerCase().replace(/^service_tier_/, '')

/** Whether an upstream may charge more for this tier; unknown ones count as yes. */
const isSurchargedTier = (tier: unknown): boolean =>
  tier !== undefined && tier !== null && !(typeof tier === 'string' && usualTiers.has(plainWord(tier)))

/** A field that raises the price, and its factor in the price list, if any. */
const surcharged = (field: string, factor: FactorField, word: unknown, reaches: readonly Dialect[]): UnpricedField => ({
  ...{ field, reaches },
  ...(typeof word === 'string' && { factor: { field: factor, word: plainWord(word) } }),
})

const isSurchargedPlace = (place: unknown): boolean =>
  place !== undefined && place !== null && !(typeof place === 'string' && usualPlaces.has(place.toLowerCase()))

type Body = Readonly<Record<string, unknown>>
/** A part of the head. */
type Part = { unpriced?: UnpricedField[] }

const nothing: Part = {}

/** Tools that name a model of their own, which answers at its own price. */
function toolModels(tools: unknown, kind: string, dialect: Dialect): UnpricedField[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool, index) =>
    isObject(tool) && typeof tool.type === 'string' && tool.type.startsWith(kind) && tool.model !== undefined && tool.model !== null
      ? [{ field: `tools[${index}].model`, reaches: [dialect] }]
      : [],
  )
}

/** The unpriced fields of a Chat body. */
export const chatUnpriced = ({ service_tier }: Body): Part =>
  isSurchargedTier(service_tier)
    ? { unpriced: [surcharged('service_tier', 'service_tier', service_tier, [...openaiKin, 'gemini'])] }
    : nothing

/** Those of a Responses body. */
export function responsesUnpriced(body: Body): Part {
  const tools = toolModels(body.tools, 'image_generation', 'responses')
  const { unpriced = [] } = chatUnpriced(body)
  return unpriced.length + tools.length > 0 ? { unpriced: [...unpriced, ...tools] } : nothing
}

/** Beta features of Messages with another price: beyond 200,000 tokens of input. The others need a body field that is checked itself. */
const longContext = /\bcontext-1m\b/

/** Those of the betas that a Messages request names in this header or field of its body. */
export const betasUnpriced = (field: string, betas: string): UnpricedField[] =>
  longContext.test(betas) ? [{ field, reaches: ['messages'], longContext: true }] : []

/** Those of a Messages body. `fast` is a tier of other dialects too. */
export function messagesUnpriced({ service_tier, speed, inference_geo, tools, anthropic_beta }: Body): Part {
  const unpriced = toolModels(tools, 'advisor', 'messages')
  if (anthropic_beta !== undefined) unpriced.push(...betasUnpriced('anthropic_beta', String(anthropic_beta)))
  if (isSurchargedTier(service_tier)) unpriced.push(surcharged('service_tier', 'service_tier', service_tier, ['messages']))
  if (isSurchargedTier(speed)) unpriced.push(surcharged('speed', 'speed', speed, ['messages', ...openaiKin]))
  if (isSurchargedPlace(inference_geo)) unpriced.push(surcharged('inference_geo', 'inference_geo', inference_geo, ['messages']))
  return unpriced.length > 0 ? { unpriced } : nothing
}

/** Those of a Gemini body with this `serviceTier`. */
export const geminiUnpriced = (tier: unknown): Part =>
  isSurchargedTier(tier) ? { unpriced: [surcharged('serviceTier', 'service_tier', tier, ['gemini', ...openaiKin])] } : nothing
