/** What reranking used: tokens as Jina and its kin say it, search units as Cohere does. */
import type { OperationHead } from '#canonical/operation/operation'
import type { RerankQuestion } from '#canonical/operation/rerank'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { searchesOf, tokensOf } from './request.ts'

type Fields = Record<string, unknown>

/** More than any request can use; larger figures are not believed. */
const absurd = 1e9
/** Characters of an upstream's own object that the log keeps. */
const rawCharacters = 4096

/**
 * What the upstream said. Searches that it does not count are counted by their definition; tokens that it does not tell are
 * estimated, four bytes each, where it told nothing at all or the model is priced by them.
 */
export function readUsage(answer: Fields, question: RerankQuestion, priced: OperationHead['priced']): Usage {
  const told = isObject(answer.usage) ? answer.usage : {}
  const meta = isObject(answer.meta) ? answer.meta : {}
  const billed = isObject(meta.billed_units) ? meta.billed_units : {}
  const counted = isObject(meta.tokens) ? meta.tokens : {}
  const tokens = first(told.total_tokens, told.prompt_tokens, billed.input_tokens, counted.input_tokens)
  const searches = first(billed.search_units, told.search_units)

  const usage = noUsage()
  const isEstimated = tokens === undefined && (searches === undefined || priced?.tokens === true)
  usage.in.fresh = isEstimated ? tokensOf(question, 4) : (tokens ?? 0)
  usage.units.searches = searches ?? searchesOf(question)
  if (tokens !== undefined || searches !== undefined) usage.provenance = isEstimated ? 'partial' : 'provider'
  usage.raw = bounded(isObject(answer.usage) ? answer.usage : isObject(answer.meta) ? answer.meta : null)
  return usage
}

/** The first figure that says something: zero is what services write that count in the other unit. */
function first(...figures: unknown[]): number | undefined {
  return figures.find((figure): figure is number => typeof figure === 'number' && Number.isFinite(figure) && figure > 0 && figure <= absurd)
}

const bounded = (raw: Fields | null) => (raw !== null && JSON.stringify(raw).length <= rawCharacters ? raw : null)
