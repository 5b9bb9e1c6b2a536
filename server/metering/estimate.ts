/**
 * What a request may cost, held before anything is sent. Input: a quarter of the body's bytes in tokens. Output: the client's
 * own limit, at most the model's; where neither is known, 16,384 tokens. A stream begins with a slice of that and its hold
 * grows while it runs. Pure.
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

/** Output tokens that a stream's hold begins with and grows by. */
export const sliceOutputTokens = 4096

/** Nano-dollars. `ratio` in millionths. */
export function largestCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(estimate, outputLimit(estimate) ?? unknownOutputTokens, rates, ratio)
}

/** Nano-dollars that are held when a stream begins. `ratio` in millionths. */
export function firstCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(estimate, Math.min(sliceOutputTokens, outputLimit(estimate) ?? sliceOutputTokens), rates, ratio)
}

/** Tokens that one answer has at most; undefined when nobody knows. */
export function outputLimit({ maxOutput, modelMaxOutput }: Pick<Estimate, 'maxOutput' | 'modelMaxOutput'>): number | undefined {
  const limits = [maxOutput, modelMaxOutput].filter((limit) => limit !== undefined)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

function costOf({ inputBytes, n }: Estimate, output: number, rates: Rates, ratio: bigint): bigint {
  const usage: Usage = noUsage()
  usage.in.fresh = tokensOf(inputBytes)
  usage.out.total = output * n
  if (rates.reasoning > rates.output) usage.out.reasoning = usage.out.total
  return cost(usage, rates, ratio)
}
