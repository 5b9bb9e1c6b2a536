/** A whole answer of the family: the object with its choices, or the error returned instead. */
import type { Loss } from '#canonical/loss'
import { lossList } from '#protocols/codec/field-writers'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { carries } from './choice.ts'
import { readInnerError } from './error.ts'
import type { Body } from './fields.ts'
import { recordPredictions } from './usage.ts'

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function readAnswer(body: string): Body & { choices: unknown[] } {
  const answer = parse(body)
  if (isObject(answer) && carries(answer.error)) throw readInnerError(answer.error)
  if (hasChoices(answer)) return answer
  throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a chat answer.')
}

const hasChoices = (answer: unknown): answer is Body & { choices: unknown[] } => isObject(answer) && Array.isArray(answer.choices)

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The choices of an answer. Throws GatewayError `upstream_error` if there is none. */
export function readChoices(answer: { choices: unknown[] }): Body[] {
  const choices = answer.choices.filter(isObject)
  const failed = choices.find((choice) => carries(choice.error))
  if (failed) throw readInnerError(failed.error)
  if (choices.length === 0) throw new GatewayError('upstream_error', 'The upstream sent an answer without content.')
  return choices
}

/** The `index` of a choice, or its position if it has none. */
export function indexOf(choice: Body, position: number): number {
  const { index } = choice
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : position
}

/** The id, model and time of an answer; a new id and the current time if they are missing. */
export function readOrigin(answer: Body, prefix: string, codecContext: { now(): number; id(prefix: string): string }) {
  const { id, model, created } = answer
  return {
    id: typeof id === 'string' && id !== '' ? id : codecContext.id(prefix),
    model: typeof model === 'string' ? model : '',
    created: typeof created === 'number' && Number.isSafeInteger(created) && created > 0 ? created : Math.floor(codecContext.now() / 1000),
  }
}

/** Maximum paths that are listed one by one: an upstream that invents fields must not fill the log. */
const mostPaths = 32

/** The losses of an answer whose fields at `paths`, and some figures of its usage, have no place in a conversation. */
export function unplaced(paths: readonly string[], usage?: unknown): { losses?: readonly Loss[] } {
  const losses = lossList()
  recordPredictions(usage, losses)
  for (const path of paths.slice(0, mostPaths)) losses.dropped(path, 'Parley does not know this field of the answer.')
  return losses.losses.length > 0 ? { losses: losses.losses } : {}
}
