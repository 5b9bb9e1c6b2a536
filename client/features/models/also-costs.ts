import { formatCompact } from '#client/ui/format.ts'
import type { PriceFields } from '#shared/console/price'
import { t } from './messages.ts'

const units = ['request', 'image', 'second', 'search', 'character'] as const

/** What a price says besides tokens in and out, in a few words. `own`: an amount as the reader pays it. */
export function alsoCosts(price: PriceFields, own: (usd: string) => string): string {
  const each = units.flatMap((unit) => (price[unit] === undefined ? [] : [t(`each_${unit}`, { amount: own(price[unit]) })]))
  const tiers = (price.tiers ?? []).flatMap(({ above, input, output }) =>
    input === undefined && output === undefined
      ? []
      : [t('above', { tokens: formatCompact(above), input: own(input ?? price.input ?? '0'), output: own(output ?? price.output ?? '0') })],
  )
  return [...each, ...tiers].join(', ')
}
