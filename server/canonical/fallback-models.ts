/** `models` of a body: Parley's own field, the same in every dialect that has it. Names what may answer in place of `model`. */
import { GatewayError } from '#shared/errors'

const most = 20

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 256 && value.isWellFormed() && !/\p{Cc}/u.test(value)

/** Undefined when it is absent; an empty list switches configured stand-ins off. Throws `invalid_value`. */
export function readStandIns(models: unknown): string[] | undefined {
  if (models === undefined || models === null) return undefined
  if (Array.isArray(models) && models.length <= most && models.every(isName)) return models
  throw new GatewayError('invalid_value', `The field \`models\` must be a list of at most ${most} names of models.`, { param: 'models' })
}

/** As a part of the head. */
export function standInsOf(body: Readonly<Record<string, unknown>>): { models?: string[] } {
  const models = readStandIns(body.models)
  return models ? { models } : {}
}
