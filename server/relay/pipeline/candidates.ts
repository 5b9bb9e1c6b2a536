/**
 * Which models may answer a request: the requested one, and its fallbacks by the cause of its failure. The caller's own list (`models` of
 * the body) applies to every cause and replaces the configured ones. A model that the caller names must be allowed for it; one that is only
 * configured is skipped if it is not allowed, or has no price.
 */
import type { Group } from '#accounts/caller'
import { isWholeFor } from '#billing/pricing/cost'
import type { Head } from '#canonical/codec'
import type { Ask, RelayParts } from '#relay/contract/ask'
import type { ModelCandidates, ReadRequest, RequestModels, StandIns } from '#relay/contract/steps'
import { everyModel } from '#relay/spend/hold'
import type { Fallbacks } from '#routing/fallbacks'
import type { Candidate } from '#routing/order'
import { modelNotFound, plan } from '#routing/plan'
import { GatewayError } from '#shared/errors'

type Parts = Pick<RelayParts, 'channels' | 'prices' | 'health' | 'random' | 'fallbacks' | 'balancing'>
type Asked = Pick<Ask, 'caller' | 'operation' | 'dialect' | 'replay'>

const noStandIns: StandIns = { error: [], context: [], filter: [] }

/** All channels of a model are down or resting: another model may still answer. */
const passes = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && (error.code === 'no_channel_available' || error.code === 'upstream_rate_limited')

function candidatesOf(parts: Parts, { caller, operation, dialect, replay }: Asked, model: string): ModelCandidates {
  const price = parts.prices.get(model)
  if (price === undefined) throw modelNotFound()
  const isWhole = isWholeFor(price, operation)
  // Any candidate for generation can compact: if the upstream has no endpoint for that, Parley does it.
  const planned = operation === 'compact' ? 'generate' : operation
  const request = { group: caller.group.name, model, models: caller.models, operation: planned, dialect } as const
  const rank = parts.balancing?.mode() === 'weight' ? undefined : parts.balancing?.rank()
  try {
    const all = plan(parts.channels, request, parts.random.fraction, rank)
    // Checked last, so that a model without this operation gets its own error.
    if (!isWhole) throw modelNotFound()
    return { model, price, candidates: parts.health.fit(replay?.channel === undefined ? all : onChannel(all, replay.channel)) }
  } catch (thrown) {
    if (!passes(thrown)) throw thrown
    return { model, price, candidates: [], refusal: thrown }
  }
}

/** The candidates of one channel. Throws `no_channel_available`. */
function onChannel(candidates: readonly Candidate[], name: string): Candidate[] {
  const own = candidates.filter(({ channel }) => channel.name === name)
  if (own.length === 0) throw new GatewayError('no_channel_available', 'The channel of this replay does not serve this model here.')
  return own
}

/** A configured fallback; undefined if this caller cannot use it for this request. */
function configured(parts: Parts, ask: Asked, model: string): ModelCandidates | undefined {
  try {
    return candidatesOf(parts, ask, model)
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.blame === 'client') return undefined
    throw thrown
  }
}

function named(parts: Parts, ask: Asked, model: string, index: number): ModelCandidates {
  try {
    return candidatesOf(parts, ask, model)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.blame !== 'client') throw thrown
    throw new GatewayError(thrown.code, thrown.message, { param: `models.${index}`, cause: thrown })
  }
}

/** Throws GatewayError when no model can be asked now, or when the caller may not use one that it names. */
export function modelsFor(parts: Parts, ask: Asked, head: Pick<Head, 'model' | 'models'>): RequestModels {
  const asked = candidatesOf(parts, ask, head.model)
  const instead = ask.operation === 'generate' && !ask.replay ? standIns(parts, ask, head) : noStandIns
  if (asked.refusal && !isAble(asked) && !instead.error.some(isAble)) throw asked.refusal
  return { asked, instead }
}

const isAble = ({ candidates }: ModelCandidates) => candidates.length > 0

function standIns(parts: Parts, ask: Asked, { model, models }: Pick<Head, 'model' | 'models'>): StandIns {
  if (models) {
    const own = models.flatMap((name, index) => (name === model || models.indexOf(name) < index ? [] : [named(parts, ask, name, index)]))
    return { error: own, context: own, filter: own }
  }
  const configuredFor = ownFallbacks(ask.caller.group.fallbacks, model) ?? parts.fallbacks(model)
  if (!configuredFor) return noStandIns
  const { error, context, filter } = configuredFor
  const others = (names: readonly string[]) => [...new Set(names)].filter((name) => name !== model)
  const all = new Map(others([...error, ...context, ...filter]).map((name) => [name, configured(parts, ask, name)]))
  const known = (names: readonly string[]) => others(names).flatMap((name) => all.get(name) ?? [])
  return { error: known(error), context: known(context), filter: known(filter) }
}

/** The group's own fallbacks for this model, which replace those of the installation; undefined if it has none. */
function ownFallbacks(own: Group['fallbacks'] | undefined, model: string): Fallbacks | undefined {
  if (!own || !Object.hasOwn(own, model)) return undefined
  const { error = [], context = [], filter = [] } = own[model] ?? {}
  return { error, context, filter }
}

/** Step 4: every model that may answer, each with its candidates in the order in which they will be tried. Throws as `modelsFor`. */
export function candidatesFor(parts: Parts, request: ReadRequest): RequestModels | Promise<RequestModels> {
  const models = modelsFor(parts, request.ask, request.head)
  if (models.instead !== noStandIns) return allInOrder(parts, request, models)
  const candidates = request.inOrder(models.asked.candidates)
  return candidates instanceof Promise ? candidates.then((ordered) => alone(parts, models, ordered)) : alone(parts, models, candidates)
}

/** The model without fallbacks. */
function alone(parts: Parts, models: RequestModels, ordered: readonly Candidate[]): RequestModels {
  const asked = inTurn(parts, models.asked, ordered)
  return asked === models.asked ? models : { asked, instead: noStandIns }
}

/** Candidates whose rate limits are nearly used up come last, because they would refuse. */
function inTurn({ health }: Parts, one: ModelCandidates, ordered: readonly Candidate[]): ModelCandidates {
  const candidates = health.plentyFirst(ordered)
  return candidates === one.candidates ? one : { ...one, candidates }
}

async function allInOrder(parts: Parts, request: ReadRequest, models: RequestModels): Promise<RequestModels> {
  const ordered = new Map<ModelCandidates, ModelCandidates>()
  for (const one of everyModel(models)) ordered.set(one, inTurn(parts, one, await request.inOrder(one.candidates)))
  const inTheirOrder = (list: readonly ModelCandidates[]) => list.map((modelCandidates) => ordered.get(modelCandidates) ?? modelCandidates)
  const { error, context, filter } = models.instead
  return {
    asked: ordered.get(models.asked) ?? models.asked,
    instead: { error: inTheirOrder(error), context: inTheirOrder(context), filter: inTheirOrder(filter) },
  }
}
