/** The list of models, in pages, and one of them, in Anthropic's format. */
import { fittingRows } from '#protocols/codec/fitting-rows'
import { GatewayError } from '#shared/errors'

/** A model as the list shows it. */
export interface ListedModel {
  id: string
  /** Seconds since the epoch. */
  created: number
  contextTokens?: number
  maxOutputTokens?: number
}

/** The requested page of a list: at most `limit` models, right after or right before one of them. */
export interface ModelPage {
  limit: number
  after?: string
  before?: string
}

const usualLimit = 20
const mostPerPage = 1000

/** Reads `limit`, `after_id` and `before_id`. Throws GatewayError 400 with the parameter's name. */
export function readModelPage(query: URLSearchParams): ModelPage {
  const [limit, after, before] = [query.get('limit'), query.get('after_id'), query.get('before_id')]
  if (limit !== null && !(/^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= mostPerPage)) {
    throw new GatewayError('invalid_value', `The parameter \`limit\` must be an integer from 1 to ${mostPerPage}.`, { param: 'limit' })
  }
  if (after && before) {
    throw new GatewayError('invalid_value', 'Only one of `after_id` and `before_id` can be given.', { param: 'before_id' })
  }
  return { limit: limit === null ? usualLimit : Number(limit), ...(after && { after }), ...(before && { before }) }
}

/** The body of `GET /v1/models`. Throws GatewayError 400 when the page starts at a model that is not in the list. */
export function writeModelList(models: readonly ListedModel[], page: ModelPage = { limit: mostPerPage }): string {
  const { start, end, more } = cut(models, page)
  const rows = models.slice(start, end).map(row)
  // What does not fit is left for the next page: it is the far end of this one.
  const data = page.before === undefined ? fittingRows(rows) : fittingRows(rows.toReversed()).toReversed()
  return JSON.stringify({
    data,
    has_more: more || data.length < rows.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  })
}

/** The body of `GET /v1/models/{model}`. */
export function writeModel(model: ListedModel): string {
  return JSON.stringify(row(model))
}

function row({ id, created, contextTokens, maxOutputTokens }: ListedModel) {
  return {
    type: 'model',
    id,
    display_name: id,
    // Listed models are available; the vendor's plans are not known here.
    lifecycle: 'active' as const,
    created_at: new Date(created * 1000).toISOString().replace('.000Z', 'Z'),
    ...(contextTokens !== undefined && { max_input_tokens: contextTokens }),
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
  }
}

/** `more` = there are further models in the direction of paging. */
function cut(models: readonly ListedModel[], { limit, after, before }: ModelPage): { start: number; end: number; more: boolean } {
  if (before !== undefined) {
    const end = placeOf(models, before, 'before_id')
    const start = Math.max(0, end - limit)
    return { start, end, more: start > 0 }
  }
  const start = after === undefined ? 0 : placeOf(models, after, 'after_id') + 1
  return { start, end: start + limit, more: start + limit < models.length }
}

function placeOf(models: readonly ListedModel[], id: string, param: string): number {
  const place = models.findIndex((model) => model.id === id)
  if (place === -1) throw new GatewayError('invalid_value', `The parameter \`${param}\` names no model of this list.`, { param })
  return place
}
