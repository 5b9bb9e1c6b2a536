/**
 * The limits and the hold of a request, before anything is sent: the limits and accounts of its caller; the largest cost over all models
 * and candidates that may be tried; for a stream the first slice of it, and how that grows once the answering candidate is known.
 */

import type { Caller } from '#accounts/caller'
import type { Account } from '#billing/lease/account'
import { budgetAccounts } from '#billing/ledger/budgets'
import { cost } from '#billing/pricing/cost'
import { type Estimate, firstCost, type Growth, growthOf, largestCost, tokensOf, usualSearches } from '#billing/pricing/estimate'
import type { Price } from '#billing/pricing/price'
import type { Bounded, Ticket } from '#billing/ratelimit/limits'
import type { Head } from '#canonical/codec'
import type { Usage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Arrival, Hold, ModelCandidates, ReadRequest, RequestModels } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import { askedAs } from './served-as.ts'

interface Served {
  price: Pick<Price, 'rates'>
  candidates: readonly Candidate[]
}

interface Asked {
  head: Head
  /** The largest possible usage, if the endpoint knows it. */
  most?: Usage
}

/** The ticket of a caller without limits. */
const unlimited: Ticket = { left: {}, done: () => undefined }

/** Step 5: takes a slot of every limit of the caller. Rejects with `rate_limit_exceeded`. */
export function takeTicket({ limiter }: RelayParts, { ask, head }: ReadRequest): Ticket | Promise<Ticket> {
  const { key, user, group } = ask.caller
  if (!key?.limits && !user.limits && !group.limits) return unlimited
  return limiter.take(limitsOf(ask.caller), tokensOf(head.inputBytes) + (head.maxOutput ?? 0) * head.n)
}

/** Step 5: holds the largest cost of the request; for a stream the first slice. */
export function takeHold({ books }: RelayParts, { at }: Arrival, request: ReadRequest, models: RequestModels, ticket: Ticket): Hold {
  const { ask, head } = request
  const accounts = accountsOf(ask.caller, at.getTime())
  const amount = dearest(head.stream ? firstCost : largestCost, request, everyModel(models), ask.caller.group.ratio)
  return { amount, ticket, ready: books.hold(ask.requestId, accounts, amount) }
}

/** The most that a request may cost, in nano-dollars. `ratio` in millionths. */
export const amountToHold = (asked: Asked, models: readonly Served[], ratio: bigint): bigint => dearest(largestCost, asked, models, ratio)

/** The first hold of a stream. */
export const amountToBegin = (asked: Asked, models: readonly Served[], ratio: bigint): bigint => dearest(firstCost, asked, models, ratio)

/** How the hold of a stream grows when this model answers. */
export function growthWith(asked: Asked, modelCandidates: Served, ratio: bigint): Growth {
  if (asked.most) return { step: 0n, most: undefined, slice: 0n }
  return growthOf(estimateOf(asked, modelCandidates), modelCandidates.price.rates, ratio)
}

/** The amount for the most expensive model. */
function dearest(amountFor: typeof largestCost, asked: Asked, models: readonly Served[], ratio: bigint): bigint {
  let most = 0n
  for (const model of models) {
    // A model without available candidates costs nothing.
    if (model.candidates.length === 0) continue
    const { rates } = model.price
    const amount = asked.most ? cost(asked.most, rates, ratio) : amountFor(estimateOf(asked, model), rates, ratio)
    if (amount > most) most = amount
  }
  return most
}

function estimateOf({ head }: Asked, { candidates, price }: Served): Estimate {
  const modelMaxOutput = largestOutput(candidates)
  const { nonText } = head
  const cached = cachedBy(head, candidates)
  const asked = price.rates.factors && askedAs(head, price.rates)
  return {
    inputBytes: head.inputBytes,
    n: head.n,
    maxOutput: head.maxOutput,
    modelMaxOutput,
    ...(nonText && { nonText }),
    searches: head.searchAsked ? (nonText?.searches ?? usualSearches) : 0,
    ...(cached && { cached }),
    ...(asked && { servedAs: asked }),
    makes: makesOf(head, candidates, price),
  }
}

/** The largest output limit of the candidates; undefined if one of them has none. */
function largestOutput(candidates: readonly Candidate[]): number | undefined {
  let most = 0
  for (const { model } of candidates) {
    const { maxOutputTokens } = model.capabilities
    if (maxOutputTokens === undefined) return undefined
    most = Math.max(most, maxOutputTokens)
  }
  return most
}

/** Messages writes to its cache where the request says so; others do it on their own, which only costs more if the price says so. */
function cachedBy({ nonText }: Head, candidates: readonly Candidate[]): '5m' | '1h' | undefined {
  return nonText?.cached ?? (isAnyBeside('messages', candidates) ? '5m' : undefined)
}

/** Audio is only made on request. So are pictures, except that a model with a price for pictures may make them unasked. */
function makesOf({ nonText }: Head, candidates: readonly Candidate[], { rates }: Served['price']): { image: boolean; audio: boolean } {
  const named = nonText?.modalities
  // Responses makes pictures with a tool, which the request would name.
  const image = named?.includes('image') ?? (rates.imageOut > rates.output && isAnyBeside('responses', candidates))
  return { image, audio: named?.includes('audio') ?? false }
}

/** Whether one of them has a different dialect. */
function isAnyBeside(dialect: Candidate['dialect'], candidates: readonly Candidate[]): boolean {
  for (const one of candidates) if (one.dialect !== dialect) return true
  return false
}

/** Everything whose limits apply to a request. */
export function limitsOf({ key, user, group }: Caller): Bounded[] {
  return [
    ...(key ? [{ id: `key:${key.id}`, limits: key.limits }] : []),
    { id: `user:${user.id}`, limits: user.limits },
    { id: `group:${group.name}`, limits: group.limits },
  ]
}

/** The wallet first, then every budget that counts at `now` (milliseconds since 1970). */
export function accountsOf({ key, user, team, member, group }: Caller, now: number): Account[] {
  const wallet: Account = team ? { id: user.id, whose: 'team' } : { id: user.id }
  if (!key?.budget && !user.budget && !user.plan && !member?.budget && !group.budget) return [wallet]
  const budgets = budgetAccounts(
    [
      ...(key ? [{ of: 'key' as const, id: key.id, budget: key.budget }] : []),
      ...(member ? [{ of: 'member' as const, id: member.id, budget: member.budget }] : []),
      { of: 'user', id: user.id, budget: user.plan ? { ...user.budget, plan: user.plan } : user.budget },
      { of: 'group', id: group.name, budget: group.budget },
    ],
    now,
  )
  return [wallet, ...(team ? budgets.map((one) => ({ ...one, whose: 'team' as const })) : budgets)]
}

/** Every model that may answer, each once. */
export function everyModel({ asked, instead }: RequestModels): ModelCandidates[] {
  if (instead.error.length + instead.context.length + instead.filter.length === 0) return [asked]
  return [asked, ...new Set([...instead.error, ...instead.context, ...instead.filter])]
}

/** The model that answered; the requested one if none did. */
export function answeringModel(models: RequestModels, served: Candidate | undefined): ModelCandidates {
  if (served === undefined || models.asked.model === served.model.name) return models.asked
  return everyModel(models).find(({ model }) => model === served.model.name) ?? models.asked
}
