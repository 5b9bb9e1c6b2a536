/** Figures for people, in the language of the page. Money arrives as decimal strings in USD and is never summed as floats. */
import { numberFormat, writeDate } from './formatters.ts'
import { language } from './language.ts'

/** USD text as dollars: two decimals from one dollar up, three or four significant digits below. `exact` keeps every digit. */
export function formatMoney(usd: string, exact = false): string {
  const value = Number(usd)
  if (exact) return usd.startsWith('-') ? `−$${usd.slice(1)}` : `$${usd}`
  if (value === 0) return '$0'
  const size = Math.abs(value)
  const digits: Intl.NumberFormatOptions =
    size >= 1 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumSignificantDigits: size >= 0.01 ? 4 : 3 }
  return signed(numberFormat(language(), { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits }).format(value))
}

/** With a minus sign in place of a hyphen, which is too short for figures. */
const signed = (text: string): string => text.replace('-', '−')

/** A price per million tokens with two to four decimals, or a dash when there is none. */
export const formatPrice = (usd: string | undefined): string =>
  usd === undefined ? '–' : numberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: 4 }).format(Number(usd))

/** A share (1 = all) as percent. Without `digits` two after the point below ten percent, else none. */
export function formatPercent(share: number, digits = share !== 0 && Math.abs(share) < 0.1 ? 2 : 0): string {
  return signed(numberFormat(language(), { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share))
}

/** A change (0.12 = a tenth and more) as `+12%`. */
export const formatChange = (change: number): string => `${Math.round(change * 100) < 0 ? '−' : '+'}${formatPercent(Math.abs(change), 0)}`

/** `+0.3 pt` between two shares; empty if they are equal. */
export function formatPoints(now: number, before: number): string {
  const points = (now - before) * 100
  return Math.abs(points) < 0.05 ? '' : `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pt`
}

/** A whole number with the separators of the language. */
export const formatCount = (value: number): string => numberFormat(language()).format(value)

/** 1377 as 1.4k, 400000 as 400k, 1000000 as 1M: one decimal below ten thousand and from a million on. */
export function formatCompact(value: number): string {
  if (value < 1_000) return String(value)
  if (value >= 999_500) return `${Number((value / 1_000_000).toFixed(1))}M`
  return `${Number((value / 1_000).toFixed(value < 10_000 ? 1 : 0))}k`
}

/** Milliseconds as seconds, with up to two decimals below ten seconds and one above. */
export const formatSeconds = (ms: number): string =>
  `${numberFormat(language(), { maximumFractionDigits: ms < 10_000 ? 2 : 1 }).format(ms / 1000)} s`

/** Bytes as B, KiB, MiB or GiB, with up to one decimal. */
export function formatBytes(value: number): string {
  const step = value < 2 ** 10 ? 0 : value < 2 ** 20 ? 1 : value < 2 ** 30 ? 2 : 3
  return `${Number((value / 1024 ** step).toFixed(1))} ${['B', 'KiB', 'MiB', 'GiB'][step]}`
}

/** Hours and minutes of a time in milliseconds since the epoch. */
export const formatTime = (at: number): string => writeDate(at, language(), { hour: '2-digit', minute: '2-digit', hour12: false })

/** Date and time, for titles and tooltips. */
export const formatDateTime = (at: number): string => writeDate(at, language(), { dateStyle: 'medium', timeStyle: 'short' })
