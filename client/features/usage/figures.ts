/** Figures in words: what changed against the period before. */
import { formatChange } from '#client/ui/format.ts'
import type { UsageTotals } from '#shared/console/usage'

/** Every input token. */
export const tokensIn = ({ tokens }: Pick<UsageTotals, 'tokens'>): number => tokens.in.fresh + tokens.in.cacheRead + tokens.in.cacheWrite

/** `+12%`; nothing when there was nothing before. */
export const changeOf = (now: number, before: number): string => (before === 0 ? '' : formatChange(now / before - 1))
