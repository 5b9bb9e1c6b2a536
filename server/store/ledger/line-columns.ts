/**
 * Encodes lines as the parameters of `books_sync_lines`: one text per column for all rows, and the sums by account and owner that the
 * function checks before it accepts that the leases pay for everything. The order is the function's.
 */
import { logs } from '#db/schema'
import type { NewLog } from './ledger.ts'
import { detailText, figuresText } from './row-detail.ts'

/** The part of a `BookLine` that is written. */
interface Line {
  row: NewLog
  accounts: readonly string[]
  owed: bigint
}

/** The columns of `logs` that rows are written to, as `row-detail.ts` packs them. */
type Packed =
  | Exclude<keyof NewLog, 'usage' | 'price' | 'attempts' | 'upstreamPrice' | 'batch' | 'notes' | 'replayOf'>
  | 'detail'
  | 'figures'

/** How a column's values are written: `array`: quoted, `numbers`: not, `json`: JSON of all rows in one text, or written by a function. */
type Form = 'array' | 'numbers' | 'json' | ((row: NewLog) => string)

/** In the order of the function. */
const forms = {
  requestId: 'array',
  at: 'array',
  userId: 'array',
  keyId: 'array',
  key: 'array',
  group: 'array',
  model: 'array',
  upstreamModel: 'array',
  channel: 'array',
  operation: 'array',
  dialect: 'array',
  stream: 'numbers',
  status: 'numbers',
  end: 'array',
  error: 'json',
  provenance: 'array',
  cost: 'numbers',
  losses: ({ losses }) => (losses.length > 0 ? jsonText(losses) : ''),
  firstTokenMs: 'numbers',
  totalMs: 'numbers',
  upstreamCost: 'numbers',
  lines: 'json',
  detail: detailText,
  figures: ({ usage }) => figuresText(usage),
  memberId: 'array',
} as const satisfies Record<Packed, Form>
const columns = Object.entries(forms) as [keyof NewLog, Form][]

/** How many texts `logColumns` returns. */
export const logColumnCount = columns.length

/** Separates the JSON texts of a column: it never occurs in JSON, which escapes control characters. */
const separator = '\u001f'

/** The rows' columns; empty texts for no rows. */
export function logColumns(lines: readonly Line[]): string[] {
  return columns.map(([field, form]) => {
    if (form === 'array' || form === 'numbers') return arrayColumn(lines, field, form)
    return textColumn(lines, form === 'json' ? ({ [field]: value }) => (value == null ? '' : jsonText(value)) : form)
  })
}

function textColumn(lines: readonly Line[], textOf: (row: NewLog) => string): string {
  let text = ''
  let isNull = true
  for (const [n, { row }] of lines.entries()) {
    if (n > 0) text += separator
    const value = textOf(row)
    if (value !== '') isNull = false
    text += value
  }
  return isNull ? '' : text
}

function arrayColumn(lines: readonly Line[], field: keyof NewLog, form: 'array' | 'numbers'): string {
  let text = ''
  let isNull = true
  for (const { row } of lines) {
    const value = row[field]
    text += text === '' ? '{' : ','
    if (value === null || value === undefined) text += 'NULL'
    else {
      isNull = false
      if (form === 'numbers') text += String(value)
      else text += quoted(value instanceof Date ? value.toISOString() : String(value))
    }
  }
  return isNull ? '{}' : `${text}}`
}

/** An array of texts or, unquoted, of numbers, as PostgreSQL reads it. */
export const textArray = (values: readonly (string | undefined)[]): string =>
  `{${values.map((one) => (one === undefined ? 'NULL' : quoted(one))).join(',')}}`
/** An array of numbers; undefined is null. */
export const numberArray = (values: readonly (number | bigint | undefined)[]): string => `{${values.map((one) => one ?? 'NULL').join(',')}}`

const special = /["\\\0]/
function quoted(text: string): string {
  const plain = text.isWellFormed() ? text : text.toWellFormed()
  if (!special.test(plain)) return `"${plain}"`
  return `"${plain.replaceAll('\0', '\uFFFD').replace(/["\\]/g, '\\$&')}"`
}

/** A value without amounts as JSON that a JSON column can store: other characters become replacement characters. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // Characters that cannot be stored are always escaped.
  return text.includes('\\u') ? JSON.stringify(value, storable) : text
}

/** What `JSON.stringify` needs for values with amounts, or with characters that text cannot store. */
export function storable(_: string, part: unknown): unknown {
  if (typeof part === 'bigint') return part.toString()
  return typeof part === 'string' ? part.replaceAll('\0', '\uFFFD').toWellFormed() : part
}

/** Sums of lines, for the checks of `books_sync_lines`. Only lines that cost anything count as lines here. */
export interface LineSums {
  accounts: Map<string, { amount: bigint; lines: number }>
  owners: { of: string; id: string; lines: number }[]
  /** When the first and the last of them began. */
  since: Date
  till: Date
}

/** Where no line costs anything. */
const never = new Date(0)

/** Adds up the lines. */
export function sumLines(lines: readonly Line[]): LineSums {
  const sums: LineSums = { accounts: new Map(), owners: [], since: never, till: never }
  const owners = new Map<string, LineSums['owners'][number]>()
  const own = (of: string, id: string | null | undefined) => {
    if (id === null || id === undefined) return
    const key = `${of} ${id}`
    const owner = owners.get(key)
    if (owner) owner.lines += 1
    else owners.set(key, { of, id, lines: 1 })
  }
  for (const { row, accounts, owed } of lines) {
    for (const account of accounts) {
      const sum = sums.accounts.get(account)
      if (sum) {
        sum.amount += owed
        if (owed > 0n) sum.lines += 1
      } else sums.accounts.set(account, { amount: owed, lines: owed > 0n ? 1 : 0 })
    }
    if (owed <= 0n) continue
    own('key', row.keyId)
    own('user', row.userId)
    own('group', row.group)
    own('member', row.memberId)
    if (sums.since === never || row.at < sums.since) sums.since = row.at
    if (sums.till === never || row.at > sums.till) sums.till = row.at
  }
  sums.owners = [...owners.values()]
  return sums
}

/** The row by column names, as `books_sync` takes it. */
export function rowByColumns({
  usage,
  price,
  attempts,
  upstreamPrice,
  batch,
  replayOf,
  notes: _,
  ...row
}: NewLog): Record<string, unknown> {
  const figures = figuresText(usage)
  const packed = {
    detail: detailText({ usage, price, attempts, upstreamPrice, batch, replayOf }),
    figures: figures === '' ? null : numbersIn(figures),
  }
  return Object.fromEntries(Object.entries({ ...row, ...packed }).map(([field, value]) => [columnNames.get(field) ?? field, value]))
}
/** The numbers of an array as PostgreSQL reads it, for JSON. */
const numbersIn = (array: string): number[] => JSON.parse(`[${array.slice(1, -1)}]`)
const columnNames = new Map(Object.entries(logs).flatMap(([field, column]) => (isColumn(column) ? [[field, column.name] as const] : [])))

function isColumn(value: unknown): value is { name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'columnType' in value
}
