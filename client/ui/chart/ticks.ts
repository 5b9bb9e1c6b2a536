/** Labels of a value axis: all with as many decimals as the finest needs, so that they read as one scale. */
import { numberFormat } from '#client/ui/formatters.ts'
import { language } from '#client/ui/language.ts'

/** The decimals that all of these values need, nine at most. */
function decimalsOf(values: readonly number[]): number {
  for (let digits = 0; digits < 9; digits += 1) {
    if (values.every((value) => Math.abs(Number(value.toFixed(digits)) - value) < 10 ** -(digits + 4))) return digits
  }
  return 9
}

/** US dollars: `$0`, `$5`, `$10`, or `$0`, `$0.50`, `$1.00`. */
export function moneyTicks(values: readonly number[]): string[] {
  const needed = decimalsOf(values)
  const digits = needed === 1 ? 2 : needed
  const money = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
  const format = numberFormat(language(), { ...money, minimumFractionDigits: digits, maximumFractionDigits: digits })
  return values.map((value) => (value === 0 ? '$0' : format.format(value)))
}

/** Milliseconds, all in one unit: `0`, `500 ms`, or `0`, `0.5 s`, `1.0 s`. */
export function durationTicks(values: readonly number[]): string[] {
  const unit = Math.max(...values, 0) >= 1_000 ? 's' : 'ms'
  const scaled = values.map((value) => (unit === 's' ? value / 1_000 : value))
  const digits = decimalsOf(scaled)
  const format = numberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return scaled.map((value) => (value === 0 ? '0' : `${format.format(value)} ${unit}`))
}
