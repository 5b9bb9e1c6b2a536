import { formatCompact } from '#client/ui/format.ts'
import type { PriceFields } from '#shared/console/price'
import { t } from './messages.ts'

const units = ['request', 'image', 'second', 'search', 'character'] as const

/** The parts of a price besides input and output tokens, in short. `own`: an amount as the user pays it. */
export function alsoCosts(price: PriceFields, own: (usd: string) => string): string {
  const each = units.flatMap((unit) => (price[unit] === undefined ? [] : [t(`each_${unit}`, { amount: own(price[unit]) })]))
  const tiers = (price.tiers ?? []).flatMap(({ above, input, output }) =>
    input === undefined && output === undefined
      ? []
      : [t('above', { tokens: formatCompact(above), input: own(input ?? price.input ?? '0'), output: own(output ?? price.output ?? '0') })],
  )
  return [...each, ...tiers].join(', ')
}
