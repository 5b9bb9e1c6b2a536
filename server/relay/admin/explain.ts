/**
 * Explains how a request would be routed: which channels in which order, why others are left out, what each conversion would lose,
 * and the most it could cost. Runs the first steps of a request and stops before anything is held or sent.
 */

import type { Caller } from '#accounts/caller'
import { isWholeFor } from '#billing/pricing/cost'
import { conversationCodecs } from '#protocols/index'
import type { RelayParts } from '#relay/contract/ask'
import type { RequestModels } from '#relay/contract/steps'
import { codecFor } from '#relay/conversation/converted'
import { modelsFor } from '#relay/pipeline/candidates'
import { amountToHold, everyModel } from '#relay/spend/hold'
import { unpricedFor } from '#relay/spend/unpriced'
import type { FallbackCause } from '#routing/fallbacks'
import { leftOut } from '#routing/left-out'
import { type Candidate, type Share, sharesOf } from '#routing/order'
import { type PlanRequest, plan } from '#routing/plan'
import type { RouteAnswer, RouteCandidate } from '#shared/console/inspection/route'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { formatUsd } from '#shared/money'

export interface RouteAsked {
  caller: Caller
  dialect: Dialect
  raw: string
  path?: string
}

export type Explain = (asked: RouteAsked) => RouteAnswer

const refusedAs = ({ code, message, param }: GatewayError) => ({ code, message, param: param ?? null })

/** The explanation of routes, without access to anything that sends or charges. */
export function createExplain(parts: Pick<RelayParts, 'channels' | 'prices' | 'health' | 'random' | 'fallbacks' | 'balancing'>): Explain {
  /** Throws GatewayError for a body that cannot be read. */
  return ({ caller, dialect, raw, path }) => {
    const codec = conversationCodecs[dialect]
    const head = codec.readHead(raw, path)
    const request: PlanRequest = { group: caller.group.name, model: head.model, models: caller.models, operation: 'generate', dialect }

    function described(candidate: Candidate, { rank, share }: Share): RouteCandidate {
      const { channel, key, model, native } = candidate
      const place = { channel: channel.name, key: key?.name ?? null, priority: channel.priority, rank, share }
      const shown = { ...place, upstreamModel: model.upstream, dialect: candidate.dialect, native }
      const unpriced = unpricedFor(head, candidate, parts.prices.get(model.name)?.rates ?? {})
      if (unpriced) return { ...shown, losses: [], refused: refusedAs(unpriced) }
      if (native) return { ...shown, losses: [], refused: null }
      try {
        const target = { model: model.upstream, capabilities: model.capabilities, stream: head.stream }
        const { losses } = codecFor(candidate).writeRequest(codec.readRequest(raw, path), target)
        const meant = (caller.strict || channel.strict) && losses.find((loss) => loss.meaning)
        const refused = meant ? { code: 'unsupported_value', message: `Strict: ${meant.reason}`, param: meant.field } : null
        return { ...shown, losses: losses.map(({ field, what, reason }) => ({ field, what, reason })), refused }
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown
        return { ...shown, losses: [], refused: refusedAs(thrown) }
      }
    }

    let planned: readonly Candidate[] = []
    let fit: Candidate[] = []
    let error: GatewayError | undefined
    try {
      planned = plan(parts.channels, request, parts.random.fraction, parts.balancing?.rank())
      fit = [...parts.health.plentyFirst(parts.health.fit(planned))]
    } catch (thrown) {
      error = asGatewayError(thrown)
    }
    const price = parts.prices.get(head.model)
    if (!isWholeFor(price, 'generate')) {
      const missing = price ? 'The price of the model names no output' : 'The model has no price'
      error ??= new GatewayError('model_not_found', `${missing}, so it is not offered.`, { param: 'model' })
    }
    let models: RequestModels | undefined
    try {
      models = modelsFor(parts, { caller, dialect, operation: 'generate' }, head)
      // A fallback model may still answer when no channel can serve this one.
      error = undefined
    } catch (thrown) {
      error ??= asGatewayError(thrown)
    }
    const { balancing } = parts
    const balanced = balancing &&
      balancing.mode() !== 'weight' && {
        mode: balancing.mode(),
        channels: [
          ...new Map(planned.map((one) => [one.channel.name, { channel: one.channel.name, figure: balancing.figure(one) }])).values(),
        ],
      }
    const shares = sharesOf(
      fit.filter((one) => parts.health.wait(one) === 0),
      balanced === undefined || balanced === false,
    )
    // Resting candidates come after all others.
    const last: Share = { rank: Math.max(0, ...[...shares.values()].map(({ rank }) => rank + 1)), share: null }
    const namesOf = (cause: FallbackCause) => models?.instead[cause].map(({ model }) => model) ?? []
    return {
      group: caller.group.name,
      model: head.model,
      ...(balanced && { balancing: balanced }),
      candidates: fit.map((one) => described(one, shares.get(one) ?? last)),
      leftOut: leftOut(parts.channels, request, planned, parts.health),
      fallbacks: { error: namesOf('error'), context: namesOf('context'), filter: namesOf('filter') },
      largestCost: models ? formatUsd(amountToHold({ head }, everyModel(models), caller.group.ratio)) : null,
      error: error ? { code: error.code, message: error.message } : null,
    }
  }
}
