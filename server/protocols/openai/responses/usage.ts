/** Usage as Responses reports it (input and output tokens): the same arithmetic as the family's under other names. */
import type { Scale } from '#canonical/gauge'
import type { Usage } from '#canonical/usage'
import { isObject } from '#wire/json-scan'
import { type Delivered, type Reading, readUsage as readFamilyUsage, settleUsage as settleFamilyUsage } from '../usage.ts'

/** Undefined when a figure is missing, negative, no integer or absurd. */
export function readUsage(raw: unknown, delivered: Delivered): Reading | undefined {
  if (!isObject(raw)) return undefined
  const reading = readFamilyUsage(
    {
      prompt_tokens: raw.input_tokens,
      completion_tokens: raw.output_tokens,
      total_tokens: raw.total_tokens,
      prompt_tokens_details: raw.input_tokens_details,
      completion_tokens_details: raw.output_tokens_details,
    },
    delivered,
  )
  return reading && { ...reading, raw }
}

/** As the family's, with the hosted searches that the answer made. */
export function settleUsage(
  reading: Reading | undefined,
  delivered: Delivered,
  inputBytes: number,
  searches: number,
  scale?: Scale,
): Usage {
  const usage = settleFamilyUsage(reading, delivered, inputBytes, scale)
  usage.units.searches = searches
  return usage
}

/** Searches that the response says it made; else those whose calls were seen. */
export function searchesOf(response: Record<string, unknown>, seen: number): number {
  const search = isObject(response.tool_usage) ? response.tool_usage.web_search : undefined
  const told = isObject(search) ? search.num_requests : undefined
  return typeof told === 'number' && Number.isSafeInteger(told) && told >= 0 && told < 1e6 ? told : seen
}

/** Input includes what the cache gave and took, output includes reasoning: T37. */
export function writeUsage({ in: input, out }: Usage): Record<string, unknown> {
  const { cacheWrite } = input
  const written = cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other
  const inputTokens = input.fresh + input.cacheRead + written + input.audio + input.image
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: input.cacheRead, cache_write_tokens: written },
    output_tokens: out.total,
    output_tokens_details: { reasoning_tokens: out.reasoning },
    total_tokens: inputTokens + out.total,
  }
}
