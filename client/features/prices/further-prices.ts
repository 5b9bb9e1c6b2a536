import { formatCompact, formatPrice } from '#client/ui/format.ts'
import type { CatalogueRow } from '#shared/console/inspection/catalogue'
import { t } from './messages.ts'

/** The parts of a price besides input, output and cache reads, with their amounts. */
export function furtherPrices(price: NonNullable<CatalogueRow['price']>): string {
  const { managed: __, input: ___, output: ____, cacheRead: _____, tiers = [], factors, ...others } = price
  const usd = (amount: string | undefined) => (amount === undefined ? '–' : `$${formatPrice(amount)}`)
  return [
    ...Object.entries(others).map(([name, amount]) => `${t(name as 'request')} ${usd(amount)}`),
    ...tiers.map(({ above, input, output }) => t('above', { tokens: formatCompact(above), input: usd(input), output: usd(output) })),
    ...(factors ? [t('factors')] : []),
  ].join(', ')
}
