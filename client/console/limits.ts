/** Budgets and limits as people type them, the same for keys, users and groups. */
import type { Budget, Limits } from '#shared/console/limits'

/** Form values; empty means no limit. */
export interface Bounds {
  daily: string
  weekly: string
  monthly: string
  total: string
  timezone: string
  rpm: string
  tpm: string
  concurrency: string
}

const amounts = ['daily', 'weekly', 'monthly', 'total'] as const
const rates = ['rpm', 'tpm', 'concurrency'] as const

/** The form values for a row. */
export function boundsOf(row: { budget: Budget | null; limits: Limits | null } | undefined): Bounds {
  const { budget, limits } = row ?? { budget: null, limits: null }
  const text = (value: string | number | undefined) => (value === undefined ? '' : String(value))
  return {
    daily: text(budget?.daily),
    weekly: text(budget?.weekly),
    monthly: text(budget?.monthly),
    total: text(budget?.total),
    timezone: budget?.timezone ?? '',
    rpm: text(limits?.rpm),
    tpm: text(limits?.tpm),
    concurrency: text(limits?.concurrency),
  }
}

/** The budget and the limits as the API takes them; empty objects clear what is set. */
export function readBounds(bounds: Bounds): { budget: Budget; limits: Limits } {
  const set = amounts.flatMap((name) => (bounds[name].trim() === '' ? [] : [[name, bounds[name].trim()]]))
  const zone = set.length > 0 && bounds.timezone !== '' ? { timezone: bounds.timezone } : {}
  return {
    budget: { ...Object.fromEntries(set), ...zone },
    limits: Object.fromEntries(rates.flatMap((name) => (bounds[name].trim() === '' ? [] : [[name, Number(bounds[name].trim())]]))),
  }
}

/** The budget that is nearest to its limit: its window and the used share. Undefined without a budget. */
export function tightest(row: {
  budget: Budget | null
  budgetLeft?: { total?: string; daily?: string; weekly?: string; monthly?: string }
}): { window: 'daily' | 'weekly' | 'monthly' | 'total'; limit: string; left: string; share: number } | undefined {
  const found = amounts.flatMap((window) => {
    const limit = row.budget?.[window]
    if (limit === undefined) return []
    const left = row.budgetLeft?.[window] ?? limit
    const share = Number(limit) === 0 ? 1 : 1 - Number(left) / Number(limit)
    return [{ window, limit, left, share }]
  })
  return found.toSorted((a, b) => b.share - a.share)[0]
}
