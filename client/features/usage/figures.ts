/** Texts for changes against the previous period. */
import { formatChange } from '#client/ui/format.ts'
import type { UsageTotals } from '#shared/console/usage'

/** Every input token. */
export const tokensIn = ({ tokens }: Pick<UsageTotals, 'tokens'>): number => tokens.in.fresh + tokens.in.cacheRead + tokens.in.cacheWrite

/** `+12%`; empty if the previous value is zero. */
export const changeOf = (now: number, before: number): string => (before === 0 ? '' : formatChange(now / before - 1))
