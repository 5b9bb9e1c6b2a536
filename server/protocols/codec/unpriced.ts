/**
 * Fields for which vendors charge more than the usual price of a model, read for the heads of all dialects. A cheaper tier passes: it is
 * charged at the usual price.
 */
import type { UnpricedField } from '#canonical/unpriced-field'
import type { Dialect } from '#shared/ids'
import { isObject } from '#shared/json'

/** Values of a tier that cost no more than the usual one. */
const usualTiers = new Set(['', 'auto', 'default', 'flex', 'standard', 'standard_only', 'batch', 'deferred', 'unspecified'])
const usualPlaces = new Set(['', 'global'])
const openaiKin: readonly Dialect[] = ['chat', 'completions', 'responses']

/** Whether an upstream charges more for this tier; anything that is not known may. */
const isDearTier = (tier: unknown): boolean =>
  tier !== undefined && tier !== null && !(typeof tier === 'string' && usualTiers.has(tier.toLowerCase().replace(/^service_tier_/, '')))

const isDearPlace = (place: unknown): boolean =>
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

/** Of a Chat body. */
export const chatUnpriced = ({ service_tier }: Body): Part =>
  isDearTier(service_tier) ? { unpriced: [{ field: 'service_tier', reaches: [...openaiKin, 'gemini'] }] } : nothing

/** Of a Responses body. */
export function responsesUnpriced(body: Body): Part {
  const tools = toolModels(body.tools, 'image_generation', 'responses')
  const { unpriced = [] } = chatUnpriced(body)
  return unpriced.length + tools.length > 0 ? { unpriced: [...unpriced, ...tools] } : nothing
}

/** Of a Messages body. `fast` is a tier of other dialects too. */
export function messagesUnpriced({ service_tier, speed, inference_geo, tools }: Body): Part {
  const unpriced = toolModels(tools, 'advisor', 'messages')
  if (isDearTier(service_tier)) unpriced.push({ field: 'service_tier', reaches: ['messages'] })
  if (isDearTier(speed)) unpriced.push({ field: 'speed', reaches: ['messages', ...openaiKin] })
  if (isDearPlace(inference_geo)) unpriced.push({ field: 'inference_geo', reaches: ['messages'] })
  return unpriced.length > 0 ? { unpriced } : nothing
}

/** Of a Gemini body with this `serviceTier`. */
export const geminiUnpriced = (tier: unknown): Part =>
  isDearTier(tier) ? { unpriced: [{ field: 'serviceTier', reaches: ['gemini', ...openaiKin] }] } : nothing
