/** The list of models, and one of them, in OpenAI's format. */
import { fittingRows } from '#protocols/codec/fitting-rows'
import { GatewayError } from '#shared/errors'

export interface ListedModel {
  id: string
  /** Seconds since the epoch. */
  created: number
  ownedBy: string
}

const row = ({ id, created, ownedBy }: ListedModel) => ({ id, object: 'model', created, owned_by: ownedBy })

/**
 * The body of `GET /v1/models`: all models, or those after `after`. OpenAI's list has no pages; one that would be too large ends early, and
 * indicates that as OpenAI's other lists do. Throws GatewayError 400 for an `after` that is not in the list.
 */
export function writeModelList(models: readonly ListedModel[], after?: string | null): string {
  const last = after ? models.findIndex(({ id }) => id === after) : -1
  if (after && last === -1)
    throw new GatewayError('invalid_value', 'The parameter `after` does not name a model in this list.', { param: 'after' })
  const rows = models.slice(last + 1).map(row)
  const data = fittingRows(rows)
  const isCut = data.length < rows.length
  return JSON.stringify({ object: 'list', data, ...(isCut && { has_more: true, last_id: data.at(-1)?.id }) })
}

/** The body of `GET /v1/models/{model}`. */
export function writeModel(model: ListedModel): string {
  return JSON.stringify(row(model))
}
