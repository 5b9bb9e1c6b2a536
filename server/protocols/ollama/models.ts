/** The model list and a single model, in the format of `/api/tags` and `/api/show`. Fields about files on disk are empty. */

import { readBody } from '#protocols/codec/fields'
import { fittingRows } from '#protocols/codec/fitting-rows'
import type { Capabilities } from '#shared/capabilities'
import type { OllamaShowRequest } from '#shared/protocols/ollama/ollama'
import { scanObject } from '#wire/json-scan'

/** An available model. */
export interface ListedModel {
  id: string
  /** Seconds since the epoch. */
  created: number
  operations: readonly string[]
  capabilities: Pick<Capabilities, 'contextTokens' | 'vision' | 'tools' | 'reasoning'>
}

const details = { parent_model: '', format: '', family: 'parley', families: ['parley'], parameter_size: '', quantization_level: '' }
const at = ({ created }: ListedModel) => new Date(created * 1000).toISOString()

/** The model that `POST /api/show` asks for. Throws GatewayError `missing_field`. */
export function readShow(text: string): string {
  const { fields } = readBody<OllamaShowRequest>(scanObject(text).value)
  return fields.text('model') ?? fields.text('name') ?? fields.needText('model')
}

/** The body of `GET /api/tags`. */
export function writeTags(models: readonly ListedModel[]): string {
  const rows = models.map((model) => ({ name: model.id, model: model.id, modified_at: at(model), size: 0, digest: '', details }))
  return JSON.stringify({ models: fittingRows(rows) })
}

function capabilitiesOf({ operations, capabilities: { vision, tools, reasoning } }: ListedModel): string[] {
  const converses = operations.includes('generate')
  return [
    ...(converses ? ['completion'] : []),
    ...(operations.includes('embed') ? ['embedding'] : []),
    ...(converses && tools !== false ? ['tools'] : []),
    ...(converses && vision ? ['vision'] : []),
    ...(converses && reasoning ? ['thinking'] : []),
  ]
}

/** The body of `POST /api/show`. */
export function writeShow(model: ListedModel): string {
  const { contextTokens } = model.capabilities
  return JSON.stringify({
    modelfile: '',
    parameters: '',
    template: '',
    details,
    model_info: {
      'general.architecture': 'parley',
      'general.basename': model.id,
      ...(contextTokens !== undefined && { 'parley.context_length': contextTokens }),
    },
    capabilities: capabilitiesOf(model),
    modified_at: at(model),
  })
}
