/** Figures in words: what changed against the period before. */
import { formatChange } from '#client/ui/format.ts'
import type { UsageTotals } from '#shared/console/usage'

/** Every input token. */
export const tokensIn = ({ tokens }: Pick<UsageTotals, 'tokens'>): number => tokens.in.fresh + tokens.in.cacheRead + tokens.in.cacheWrite

/** `+12%`; nothing when there was nothing before. */
export const changeOf = (now: number, before: number): string => (before === 0 ? '' : formatChange(now / before - 1))

/** `+0.3 pt` between two shares; nothing when they are the same. */
export function pointsOf(now: number, before: number): string {
  const points = (now - before) * 100
  return Math.abs(points) < 0.05 ? '' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pt`
}
