/** A whole interaction of an upstream: checked, counted, and returned under the model name that the client asked for. */
import type { AnswerEdits, Frame, StateRef, WholeAnswer } from '#canonical/codec'
import type { InteractionReport } from '#canonical/operation/interaction'
import type { WorkState } from '#canonical/operation/kept-work'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import { GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { parseObject, scanFields } from '#wire/json-scan'
import { type FieldChange, type FieldChanges, fieldEdits, splice } from '#wire/splice'
import { editEvent } from '#wire/sse-edit'
import { readInnerError } from '../../error.ts'
import { nothingDelivered, settleUsage } from '../../usage.ts'
import { listOf, textIn } from '../steps.ts'
import { measureStep, usageIn } from './usage.ts'

/** Replaces the upstream's name of a model or an agent by the one that the client used. */
export function nameChange(name: string | undefined): FieldChanges {
  const change: FieldChange = (json) => (json?.startsWith('"') ? JSON.stringify(name) : json)
  return name === undefined ? new Map() : new Map(['model', 'agent'].map((field) => [field, change]))
}

const cuts = new Set<unknown>(['incomplete', 'budget_exceeded', 'requires_continuation'])
/** Whether it ended at a limit. */
export const isCut = ({ status }: JsonObject): boolean => cuts.has(status)

/** State that the upstream stores from now on. */
export function createdIn({ id, environment_id: place }: JsonObject): { created?: StateRef[] } {
  const created: StateRef[] = []
  if (typeof id === 'string' && id !== '') created.push({ kind: 'interaction', id })
  if (typeof place === 'string' && place !== '') created.push({ kind: 'environment', id: place })
  return created.length > 0 ? { created } : {}
}

/** The object of a body that is an interaction. Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function interactionIn(body: string): JsonObject {
  const said = parseObject(body)
  if (said && isObject(said.error)) throw readInnerError(said.error)
  if (!said || typeof said.status !== 'string')
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not an interaction.')
  return said
}

function usedBy(said: JsonObject, inputBytes: number, estimator?: TokenEstimator): Usage {
  const delivered = nothingDelivered(estimator)
  for (const step of listOf(said.steps)) measureStep(step, delivered)
  return settleUsage(usageIn(said.usage, delivered), delivered, { inputBytes, scale: estimator, isOver: true })
}

/** A whole answer on its way through. Throws as `interactionIn`, and for one that failed. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer {
  const said = interactionIn(body)
  if (said.status === 'failed') throw failure(said)
  return {
    body: renamed(body, edits.model),
    usage: usedBy(said, inputBytes, estimator),
    end: isCut(said) ? 'length' : 'complete',
    ...(typeof said.service_tier === 'string' && { tier: said.service_tier }),
    ...(edits.keepsAnswer && createdIn(said)),
  }
}

function failure(said: JsonObject): GatewayError {
  const [error] = listOf(said.errors)
  return error ? readInnerError(error) : new GatewayError('upstream_error', 'The upstream failed to answer. Try again shortly.')
}

/** An interaction with the public name of its model. */
export function renamed(body: string, name: string | undefined): string {
  const spans = name === undefined ? undefined : scanFields(body)
  return spans ? splice(body, fieldEdits(body, spans, nameChange(name))) : body
}

/** The model or agent, by the upstream's name; undefined if not reported. */
export const answererIn = (body: string): string | undefined => answererOf(parseObject(body))

const answererOf = (said: JsonObject | undefined) => textIn(said?.agent) || textIn(said?.model).replace(/^models\//, '') || undefined

/** Events as they pass, with the name that `nameOf` returns for the model or agent; undefined: unchanged. */
export function renamedEvents(nameOf: (upstream: string | undefined) => string | undefined): (frame: Frame) => Uint8Array {
  return ({ data, raw }) => {
    if (data?.includes('"interaction"') !== true) return raw
    const said = parseObject(data)?.interaction
    const name = isObject(said) ? nameOf(answererOf(said)) : undefined
    return name === undefined ? raw : editEvent(raw, nameChange(name), 'interaction')
  }
}

const states: Readonly<Record<string, WorkState>> = {
  ...{ queued: 'queued', in_progress: 'in_progress', failed: 'failed', cancelled: 'cancelled' },
  ...{ completed: 'completed', incomplete: 'completed', requires_action: 'completed', budget_exceeded: 'completed' },
  requires_continuation: 'completed',
}

/** The report on a background interaction; `inputBytes`: of its request. Throws as `interactionIn`. */
export function readReport(body: string, inputBytes: number): InteractionReport {
  const said = interactionIn(body)
  const state = states[textIn(said.status)] ?? 'in_progress'
  if (state === 'queued' || state === 'in_progress') return { state, progress: 0 }
  const tier = textIn(said.service_tier)
  const usage: Usage = { ...usedBy(said, inputBytes), ...(tier !== '' && { servedAs: { service_tier: tier } }) }
  if (state !== 'failed') return { state, progress: 100, usage, ...(isCut(said) && { isCut: true }) }
  const { code, message } = failure(said)
  return { state, progress: 0, error: { code, message } }
}
