/** The list of models, and one of them, in OpenAI's format. */

export interface ListedModel {
  id: string
  /** Seconds since the epoch. */
  created: number
  ownedBy: string
}

const row = ({ id, created, ownedBy }: ListedModel) => ({ id, object: 'model', created, owned_by: ownedBy })

/** The body of `GET /v1/models`. */
export function writeModelList(models: readonly ListedModel[]): string {
  return JSON.stringify({ object: 'list', data: models.map(row) })
}

/** The body of `GET /v1/models/{model}`. */
export function writeModel(model: ListedModel): string {
  return JSON.stringify(row(model))
}
