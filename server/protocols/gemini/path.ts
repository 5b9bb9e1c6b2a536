/** `{model}:{action}`, the last part of a Gemini path. */
import { GatewayError } from '#shared/errors'

const actions = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
  'predict',
  'predictLongRunning',
] as const
/** The actions on a model. */
export type Action = (typeof actions)[number]

/** Actions of the vendor's that Parley does not serve, and what to use instead. */
const unserved = new Map(
  Object.entries({
    generateAnswer: 'use generateContent',
    bidiGenerateContent: 'open the WebSocket under /ws/',
  }),
)

/** A model and an action. */
export interface NamedAction {
  /** Without the prefix `models/`; may hold slashes and colons. */
  model: string
  action: Action
}

/**
 * `path` is decoded. Throws GatewayError `not_found` for an unknown action, `unsupported_here` for one that is not served, `invalid_value`
 * for an impossible model name.
 */
export function readPath(path: string | undefined): NamedAction {
  const colon = path?.lastIndexOf(':') ?? -1
  const action = actions.find((known) => known === path?.slice(colon + 1))
  const instead = colon === -1 ? undefined : unserved.get(path?.slice(colon + 1) ?? '')
  if (instead !== undefined) throw new GatewayError('unsupported_here', `Parley does not serve this action: ${instead}.`)
  if (path === undefined || colon === -1 || action === undefined) {
    throw new GatewayError('not_found', `There is no such action. Known ones: ${actions.join(', ')}.`)
  }
  return { model: readModelName(path.slice(0, colon)), action }
}

/** A model's name without its prefix `models/`. Throws GatewayError `invalid_value` for an impossible one. */
export function readModelName(name: string): string {
  const model = name.startsWith('models/') ? name.slice('models/'.length) : name
  if (model.length > 0 && model.length <= 256 && model.isWellFormed() && !/\p{Cc}/u.test(model)) return model
  throw new GatewayError('invalid_value', 'The model must be a name of 1 to 256 characters without control characters.', { param: 'model' })
}

/** Of batches: `batches.ts`. */
const ofBatches = ['batchGenerateContent', 'asyncBatchEmbedContent'] as const

/** True when a path names an action, as the address of a call does; its colon may be encoded. */
export const namesAction = (path: string): boolean =>
  [...actions, ...ofBatches].some((action) => path.endsWith(`:${action}`) || path.toLowerCase().endsWith(`%3a${action}`.toLowerCase()))
