/** Usage of reranking: tokens as Jina and similar services report it, search units as Cohere does. */
import type { OperationHead } from '#canonical/operation/operation'
import type { RerankQuestion } from '#canonical/operation/rerank'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { searchesOf, tokensOf } from './request.ts'

type Fields = Record<string, unknown>

/** More than any request can use; larger figures are not believed. */
const absurd = 1e9
/** Maximum characters of an upstream's own object in the usage row. */
const rawCharacters = 4096

/**
 * The upstream's figures. Searches that it does not report are counted by their definition; tokens that it does not report are estimated,
 * four bytes each, if it reported nothing at all or the model is priced by them.
 */
export function readUsage(answer: Fields, question: RerankQuestion, priced: OperationHead['priced']): Usage {
  const reported = isObject(answer.usage) ? answer.usage : {}
  const meta = isObject(answer.meta) ? answer.meta : {}
  const billed = isObject(meta.billed_units) ? meta.billed_units : {}
  const counted = isObject(meta.tokens) ? meta.tokens : {}
  const tokens = first(reported.total_tokens, reported.prompt_tokens, billed.input_tokens, counted.input_tokens)
  const searches = first(billed.search_units, reported.search_units)

  const usage = noUsage()
  const isEstimated = tokens === undefined && (searches === undefined || priced?.tokens === true)
  usage.in.fresh = isEstimated ? tokensOf(question, 4) : (tokens ?? 0)
  usage.units.searches = searches ?? searchesOf(question)
  if (tokens !== undefined || searches !== undefined) usage.provenance = isEstimated ? 'partial' : 'provider'
  usage.raw = bounded(isObject(answer.usage) ? answer.usage : isObject(answer.meta) ? answer.meta : null)
  return usage
}

/** The first non-zero figure: services that count in the other unit report zero. */
function first(...figures: unknown[]): number | undefined {
  return figures.find((figure): figure is number => typeof figure === 'number' && Number.isFinite(figure) && figure > 0 && figure <= absurd)
}

const bounded = (raw: Fields | null) => (raw !== null && JSON.stringify(raw).length <= rawCharacters ? raw : null)
