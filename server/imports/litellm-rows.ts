/** Shared by the tables of LiteLLM's database: budgets, limits, lists of models, and a remark about every unsupported column. */
import type { Budget, Limits } from '#shared/console/limits'
import { plainDecimal } from './moved.ts'

/** A row as the driver reads it. */
export type Row = Readonly<Record<string, unknown>>
/** Adds a remark about one row. */
export type AddRemark = (field: string, why: string) => void

/** A text, empty for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
/** The texts of a list. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [])
/** Whether an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

const windows: readonly (readonly [pattern: RegExp, window: 'daily' | 'weekly' | 'monthly'])[] = [
  [/^(1d|24h)$/, 'daily'],
  [/^(7d|1w)$/, 'weekly'],
  [/^(28d|29d|30d|31d|1mo)$/, 'monthly'],
]

/** What a row may spend. */
export interface Spending {
  budget: Budget | undefined
  /** USD left of a total budget; undefined without one. */
  left: string | undefined
}

/** The budget of a row, or of the shared one that it names. */
export function spendingOf(row: Row, shared: Row | undefined, remark: AddRemark): Spending {
  const from = row.max_budget === null || row.max_budget === undefined ? shared : row
  const most = from?.max_budget
  if (from === undefined || most === null || most === undefined) return { budget: undefined, left: undefined }
  const duration = textOf(from.budget_duration)
  if (duration === '') {
    const left = plainDecimal(Math.max(0, Number(most) - Number(row.spend ?? 0)))
    return { budget: { total: left }, left }
  }
  const window = windows.find(([pattern]) => pattern.test(duration))?.[1]
  if (window === undefined) {
    remark('budget_duration', `${duration} is not a day, week or month: the budget is monthly`)
    return { budget: { monthly: plainDecimal(Number(most)) }, left: undefined }
  }
  return { budget: { [window]: plainDecimal(Number(most)) }, left: undefined }
}

const limitColumns = { rpm: 'rpm_limit', tpm: 'tpm_limit', concurrency: 'max_parallel_requests' } as const

/** The limits of a row, or of the shared budget that it names. */
export function limitsOf(row: Row, shared: Row | undefined, remark: AddRemark): Limits | undefined {
  const limits: Limits = {}
  for (const [name, column] of Object.entries(limitColumns) as [keyof typeof limitColumns, string][]) {
    const value = Number(row[column] ?? shared?.[column] ?? Number.NaN)
    if (value >= 1) limits[name] = Math.trunc(value)
    else if (value <= 0) remark(column, 'is 0, which would refuse everything: not imported')
  }
  return Object.keys(limits).length > 0 ? limits : undefined
}

const everything = new Set(['all-proxy-models', 'all-team-models', '*'])
const nothing = 'no-default-models'

/** The models that a list allows; undefined: all. */
export function allowed(list: unknown): string[] | undefined {
  const names = textsOf(list)
  return names.length === 0 || names.some((name) => everything.has(name)) ? undefined : names.filter((name) => name !== nothing)
}

/** What both lists allow; undefined: all. */
export function allowedByBoth(one: string[] | undefined, other: string[] | undefined): string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.filter((name) => other.includes(name))
}

const isSet = (value: unknown): boolean => {
  if (value === null || value === undefined || value === '' || value === false || value === 0 || value === '0') return false
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) ? Object.values(value).some(isSet) : true
}

/** A remark about each non-empty column that is not among the known ones. */
export function noteUnknownFields(row: Row, looked: ReadonlySet<string>, remark: AddRemark): void {
  for (const [column, value] of Object.entries(row)) if (!looked.has(column) && isSet(value)) remark(column, 'has no equivalent here')
}
