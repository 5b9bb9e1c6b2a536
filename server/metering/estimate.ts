/**
 * The largest cost a request may come to, held before anything is sent. Input: a quarter of the body's bytes in tokens.
 * Output: the client's own limit, at most the model's; where neither is known, 16,384 tokens. Pure.
 */
import { noUsage, type Usage } from '#canonical/usage'
import { cost } from './cost.ts'
import type { Rates } from './price.ts'

/** Output tokens assumed where no limit is known. */
export const unknownOutputTokens = 16_384

export const tokensOf = (bytes: number): number => Math.ceil(bytes / 4)

export interface Estimate {
  inputBytes: number
  /** Answers asked for. */
  n: number
  /** The client's own limit. */
  maxOutput: number | undefined
  /** The largest output of the planned models; undefined when one of them is unknown. */
  modelMaxOutput: number | undefined
}

/** Nano-dollars. `ratio` in millionths. */
export function largestCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  const limits = [estimate.maxOutput, estimate.modelMaxOutput].filter((limit) => limit !== undefined)
  const output = (limits.length > 0 ? Math.min(...limits) : unknownOutputTokens) * estimate.n
  const usage: Usage = noUsage()
  usage.in.fresh = tokensOf(estimate.inputBytes)
  usage.out.total = output
  if (rates.reasoning > rates.output) usage.out.reasoning = output
  return cost(usage, rates, ratio)
}
