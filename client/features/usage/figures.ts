/** Figures in words: shares, and what changed against the period before. */
import type { UsageTotals } from '#shared/console/usage'

/** Every input token. */
export const tokensIn = ({ tokens }: Pick<UsageTotals, 'tokens'>): number => tokens.in.fresh + tokens.in.cacheRead + tokens.in.cacheWrite

/** A share as percent, with two digits after the point below ten. */
export const percent = (share: number): string => `${(share * 100).toFixed(share !== 0 && Math.abs(share) < 0.1 ? 2 : 0)} %`

/** `+12 %`; nothing when there was nothing before. */
export function changeOf(now: number, before: number): string {
  if (before === 0) return ''
  const change = Math.round((now / before - 1) * 100)
  return `${change >= 0 ? '+' : '−'}${Math.abs(change)} %`
}

/** `+0.3 pt` between two shares; nothing when they are the same. */
export function pointsOf(now: number, before: number): string {
  const points = (now - before) * 100
  return Math.abs(points) < 0.05 ? '' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pt`
}
