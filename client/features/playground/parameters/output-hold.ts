/** What Max tokens reserves at most, for the sentence under its slider. Exact arithmetic in nano-dollars, rounded up once. */
import type { ModelRow } from '#shared/console/model'
import { formatUsd, parseRatio, parseUsd } from '#shared/money'

/** USD for `tokens` of output, or undefined when the price is not known. */
export function outputHold(model: ModelRow | undefined, tokens: number, ratio: string): string | undefined {
  const price = model?.price.output
  if (price === undefined) return undefined
  const scaled = parseUsd(price) * BigInt(tokens) * parseRatio(ratio)
  const unit = 1_000_000n * 1_000_000n
  return formatUsd((scaled + unit - 1n) / unit)
}
