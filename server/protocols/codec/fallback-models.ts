/** The field `models` of a body: Parley's own, the same in every dialect that has it. Fallbacks for `model`. */
import { GatewayError } from '#shared/errors'

const most = 20

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 256 && value.isWellFormed() && !/\p{Cc}/u.test(value)

/** The list; undefined when absent; an empty one disables configured fallbacks. Throws `invalid_value`. */
export function readStandIns(models: unknown): string[] | undefined {
  if (models === undefined || models === null) return undefined
  if (Array.isArray(models) && models.length <= most && models.every(isName)) return models
  throw new GatewayError('invalid_value', `The field \`models\` must be a list of at most ${most} names of models.`, { param: 'models' })
}

/** The list as a part of the head. */
export function standInsOf(body: Readonly<Record<string, unknown>>): { models?: string[] } {
  const models = readStandIns(body.models)
  return models ? { models } : {}
}
