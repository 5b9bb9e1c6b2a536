/** Usage as Responses reports it (input and output tokens): the same arithmetic as the family's under other names. */
import { type Delivered, type ReportedUsage, type Settling, settled } from '#canonical/delivered'
import { promptOf, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { bounded, readUsage as readFamilyUsage } from '../usage.ts'

/** Undefined when a figure is negative, no integer or absurd, or when there is none. */
export function readUsage(raw: unknown, delivered: Delivered): ReportedUsage | undefined {
  if (!isObject(raw)) return undefined
  const reported = readFamilyUsage(
    {
      prompt_tokens: raw.input_tokens,
      completion_tokens: raw.output_tokens,
      total_tokens: raw.total_tokens,
      prompt_tokens_details: raw.input_tokens_details,
      completion_tokens_details: raw.output_tokens_details,
    },
    delivered,
  )
  return reported && { ...reported, usage: { ...reported.usage, raw: bounded(raw) } }
}

/** The usage to charge, with the hosted searches that the answer made. */
export function settleUsage(reported: ReportedUsage | undefined, delivered: Delivered, searches: number, settling: Settling): Usage {
  const usage = settled(reported, delivered, settling)
  usage.units.searches = searches
  return usage
}

/** More searches than any answer makes; larger figures are not believed. */
const mostSearches = 1000

/** Hosted searches among the items of a whole answer. */
export const searchCalls = (output: unknown) =>
  Array.isArray(output) ? output.filter((item) => isObject(item) && item.type === 'web_search_call').length : 0

/** Searches that the response reports; else the number of search calls seen. */
export function searchesOf(response: Record<string, unknown>, seen: number): number {
  const search = isObject(response.tool_usage) ? response.tool_usage.web_search : undefined
  const reported = isObject(search) ? search.num_requests : undefined
  return typeof reported === 'number' && Number.isSafeInteger(reported) && reported >= 0 && reported <= mostSearches ? reported : seen
}

/** Input includes cache reads and writes, output includes reasoning: T37. */
export function writeUsage(usage: Usage): Record<string, unknown> {
  const { in: input, out } = usage
  const { cacheWrite } = input
  const written = cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other
  const inputTokens = promptOf(usage)
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: input.cacheRead, cache_write_tokens: written },
    output_tokens: out.total,
    output_tokens_details: { reasoning_tokens: out.reasoning },
    total_tokens: inputTokens + out.total,
  }
}
