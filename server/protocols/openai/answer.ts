/** A whole answer of the family: the object with its choices, or the failure that came in its place. */
import { GatewayError } from '#shared/errors'
import { isObject } from '#wire/json-scan'
import { carries } from './choice.ts'
import { readInnerError } from './error.ts'
import type { Body } from './fields.ts'

/** Throws GatewayError `upstream_error`, or what an `error` object that came with a success means. */
export function readAnswer(body: string): Body & { choices: unknown[] } {
  const answer = parse(body)
  if (isObject(answer) && carries(answer.error)) throw readInnerError(answer.error)
  if (!isObject(answer) || !Array.isArray(answer.choices)) {
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a chat answer.')
  }
  return { ...answer, choices: answer.choices }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The choices of an answer that is to be read; without one it is no answer. Throws GatewayError `upstream_error`. */
export function readChoices(answer: { choices: unknown[] }): Body[] {
  const choices = answer.choices.filter(isObject)
  const failed = choices.find((choice) => carries(choice.error))
  if (failed) throw readInnerError(failed.error)
  if (choices.length === 0) throw new GatewayError('upstream_error', 'The upstream sent an answer without content.')
  return choices
}

/** The place that a choice claims, or the one where it stands. */
export function indexOf(choice: Body, position: number): number {
  const { index } = choice
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : position
}

/** What an answer tells of itself; a fresh id and the present where it is silent. */
export function readOrigin(answer: Body, prefix: string, codecContext: { now(): number; id(prefix: string): string }) {
  const { id, model, created } = answer
  return {
    id: typeof id === 'string' && id !== '' ? id : codecContext.id(prefix),
    model: typeof model === 'string' ? model : '',
    created: typeof created === 'number' && Number.isSafeInteger(created) && created > 0 ? created : Math.floor(codecContext.now() / 1000),
  }
}
