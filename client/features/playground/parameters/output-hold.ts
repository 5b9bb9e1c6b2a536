/** The amount that Max tokens reserves. Exact arithmetic, rounded up once. */
import type { ModelRow } from '#shared/console/model'
import { formatUsd, parseRatio, parseUsd } from '#shared/money'

/** USD reserved for `tokens` of output at the group's price `ratio`, or undefined when the price is unknown. */
export function outputHold(model: ModelRow | undefined, tokens: number, ratio: string): string | undefined {
  const price = model?.price.output
  if (price === undefined) return undefined
  const scaled = parseUsd(price) * BigInt(tokens) * parseRatio(ratio)
  const unit = 1_000_000n * 1_000_000n
  return formatUsd((scaled + unit - 1n) / unit)
}
