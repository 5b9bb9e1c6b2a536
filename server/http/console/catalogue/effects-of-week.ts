/** What a week would have cost at other prices: request by request if they are few enough and all stored, else from their sums. */
import type { User } from '#accounts/caller'
import { costOfSums } from '#billing/pricing/effect'
import type { PriceBook } from '#billing/pricing/price'
import type { PriceTrials } from '#billing/pricing/price-trials'
import { resolveRates } from '#billing/pricing/rates'
import type { ConsoleServices } from '#http/console/route/services'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { PriceEffect, PriceFields } from '#shared/console/price'
import type { UsageReportRow } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { house } from '#shared/ids'
import { formatUsd, parseUsd } from '#shared/money'
import { sumsOf, type Week } from './week.ts'

/** Dependencies. */
export interface EffectDeps extends ConsoleServices {
  prices: PriceBook
  trials: PriceTrials
  /** Most requests of one query that are priced one by one; absent: 20,000. */
  mostTried?: number
}

/** Time limit for pricing requests one by one, including waiting for other queries. */
const mostMs = 5_000

/** One row for each of these prices. Throws as `resolveRates` does, with the model prefixed to the field. */
export async function effectsOfWeek(
  deps: EffectDeps,
  asker: User,
  week: Week,
  tried: Readonly<Record<string, PriceFields>>,
  signal: AbortSignalLike,
): Promise<PriceEffect[]> {
  const { clock, mostTried = 20_000 } = deps
  const until = clock.monotonic() + mostMs
  for (const [model, fields] of Object.entries(tried)) demandPrice(model, fields)
  const models = Object.keys(tried)
  const sums = Map.groupBy(await sumsOf(deps, asker, week, ['model', 'group'], { models }), ({ model = '' }) => model)

  let left = mostTried
  const few = models.filter((model) => {
    const requests = requestsIn(sums.get(model))
    if (requests > left) return false
    left -= requests
    return true
  })
  const ofHours = few.length === 0 ? [] : await sumsOf(deps, asker, week, ['model', 'hour'], { models: few })
  const hours = Map.groupBy(ofHours, ({ model = '' }) => model)

  const effects = new Map<string, PriceEffect>()
  for (const model of few) {
    const one = await effectOnRequests(deps, model, tried[model] ?? {}, hours.get(model) ?? [], { until, signal })
    if (one) effects.set(model, one)
  }
  const many = models.filter((model) => !effects.has(model))
  const checks = many.length === 0 ? [] : await sumsOf(deps, asker, week, ['model', 'group'], { models: many, users: [house.id] })
  const checksOf = Map.groupBy(checks, ({ model = '' }) => model)
  return models.map(
    (model) => effects.get(model) ?? effectOnSums(deps, model, tried[model] ?? {}, sums.get(model) ?? [], checksOf.get(model) ?? []),
  )
}

const requestsIn = (rows: readonly UsageReportRow[] = []) => rows.reduce((all, { requests }) => all + requests, 0)

/** Undefined: not in time, or not all of these requests are stored any more. */
async function effectOnRequests(
  { prices, trials }: EffectDeps,
  model: string,
  tried: PriceFields,
  ofHours: readonly UsageReportRow[],
  { until, signal }: { until: number; signal: AbortSignalLike },
): Promise<PriceEffect | undefined> {
  const present = prices.get(model)?.fields ?? null
  const hours = ofHours.map(({ hour = '', requests }) => ({ hour: Date.parse(hour), requests }))
  const sums = await trials.run({ model, present, tried, hours }, until, signal)
  if (!sums || sums.seen < requestsIn(ofHours)) return undefined
  return {
    ...{ model, requests: sums.requests, basis: 'requests', sessions: sums.sessions },
    ...{ before: present && formatUsd(sums.present), after: formatUsd(sums.tried), cost: formatUsd(sums.cost) },
  }
}

/** `checks`: the part of the sums from Parley's own requests, which are not charged. */
function effectOnSums(
  { prices, accounts }: EffectDeps,
  model: string,
  tried: PriceFields,
  sums: readonly UsageReportRow[],
  checks: readonly UsageReportRow[],
): PriceEffect {
  const ratios = new Map([...accounts.groups.all()].map(({ name, ratio }) => [name, ratio]))
  const at = (fields: PriceFields) => {
    const rates = resolveRates(fields)
    const added = (rows: readonly UsageReportRow[]) =>
      rows.reduce((all, one) => all + costOfSums(rates, one, ratios.get(one.group ?? '') ?? 1_000_000n), 0n)
    return formatUsd(added(sums) - added(checks))
  }
  const present = prices.get(model)?.fields
  return {
    ...{ model, requests: requestsIn(sums) - requestsIn(checks), basis: 'sums', sessions: 0 },
    ...{ before: present ? at(present) : null, after: at(tried) },
    cost: formatUsd(sums.reduce((all, { cost }) => all + parseUsd(cost), 0n)),
  }
}

function demandPrice(model: string, fields: PriceFields): void {
  try {
    resolveRates(fields)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new GatewayError(thrown.code, thrown.message, {
      param: [`prices.${model}`, thrown.param].filter(Boolean).join('.'),
      cause: thrown,
    })
  }
}
