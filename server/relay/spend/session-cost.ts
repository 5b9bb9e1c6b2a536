/**
 * The cost of a session of many answers. Each answer is priced on its own, tiers and rounding included, and the session costs their
 * sum, so that a bill can be verified answer by answer.
 */

import { billLine } from '#billing/pricing/bill'
import { type CostPart, cost, partsOf } from '#billing/pricing/cost'
import type { Rates } from '#billing/pricing/price'
import { noUsage, type Usage } from '#canonical/usage'
import type { BillLine } from '#shared/console/log'

export interface SessionCost {
  add(usage: Usage): void
  /** Nano-dollars. */
  spent(): bigint
  /** Nano-dollars that the upstream charges; undefined if its channel does not declare costs. */
  upstreamSpent(): bigint | undefined
  /** Bill lines of all answers, by unit and price. */
  lines(): BillLine[]
  /** Undefined: nothing was used. */
  usage(): Usage | undefined
  /** Input and output tokens of every kind. */
  tokens(): number
}

/** `ratio` in millionths. */
export function createSessionCost(rates: Rates, ratio: bigint, upstream?: Rates): SessionCost {
  let spent = 0n
  let upstreamSpent = 0n
  const parts = new Map<string, CostPart>()
  let total: Usage | undefined
  return {
    add(usage) {
      spent += cost(usage, rates, ratio)
      if (upstream) upstreamSpent += cost(usage, upstream, 1_000_000n)
      for (const part of partsOf(usage, rates)) {
        const name = `${part.unit} ${part.price} ${part.tier} ${part.factor}`
        parts.set(name, { ...part, amount: part.amount + (parts.get(name)?.amount ?? 0n) })
      }
      total = total ? sum(total, usage) : { ...usage, raw: null }
    },
    spent: () => spent,
    upstreamSpent: () => upstream && upstreamSpent,
    lines: () => [...parts.values()].map(billLine),
    usage: () => total,
    tokens() {
      if (!total) return 0
      const { fresh, cacheRead, audio, image } = total.in
      return fresh + cacheRead + audio + image + total.out.total
    },
  }
}

function sum(a: Usage, b: Usage): Usage {
  const total = noUsage()
  for (const { in: input, out, units } of [a, b]) {
    for (const kind of ['fresh', 'cacheRead', 'audio', 'image'] as const) total.in[kind] += input[kind]
    for (const kind of ['5m', '1h', 'other'] as const) total.in.cacheWrite[kind] += input.cacheWrite[kind]
    for (const kind of ['total', 'reasoning', 'audio', 'image'] as const) total.out[kind] += out[kind]
    for (const kind of ['requests', 'images', 'seconds', 'characters', 'searches'] as const) total.units[kind] += units[kind]
  }
  // The session itself counts as one request.
  total.units.requests -= 1
  // Mixed figures: the upstream reported only a part.
  total.provenance = a.provenance === b.provenance ? a.provenance : 'partial'
  return total
}
