/**
 * Writes lines as the parameters of `books_sync_rows`: one text for each column of all rows, and the sums by account and owner that the
 * function checks before it believes that the leases pay for everything. The order is that of the function.
 */
import { logs } from '#db/schema'
import type { NewLog } from './ledger.ts'

/** What is written of a line, as `BookLine` has it. */
interface Line {
  row: NewLog
  accounts: readonly string[]
  owed: bigint
}

/** The type of each column's parameter, in the order of the function; `text`: JSON of all rows in one text. */
const types = {
  requestId: 'text[]',
  at: 'timestamptz[]',
  userId: 'text[]',
  keyId: 'text[]',
  key: 'text[]',
  group: 'text[]',
  model: 'text[]',
  upstreamModel: 'text[]',
  channel: 'text[]',
  operation: 'text[]',
  dialect: 'text[]',
  stream: 'boolean[]',
  status: 'integer[]',
  end: 'text[]',
  error: 'text',
  usage: 'text',
  provenance: 'text[]',
  cost: 'bigint[]',
  price: 'text',
  losses: 'text',
  firstTokenMs: 'integer[]',
  totalMs: 'integer[]',
  attempts: 'text',
  upstreamCost: 'bigint[]',
  upstreamPrice: 'text',
  lines: 'text',
} as const satisfies Record<keyof NewLog, string>
const columns = Object.entries(types) as [keyof NewLog, (typeof types)[keyof NewLog]][]

/** How many texts `logColumns` answers. */
export const logColumnCount = columns.length

/** Between the JSON texts of a column: JSON never has it, since it escapes control characters. */
const separator = '\u001f'

/** The rows' columns; empty texts for no rows. */
export function logColumns(lines: readonly Line[]): string[] {
  return columns.map(([field, type]) => (type === 'text' ? jsonColumn(lines, field) : arrayColumn(lines, field, type)))
}

function jsonColumn(lines: readonly Line[], field: keyof NewLog): string {
  let text = ''
  let isNull = true
  /** Rows of one model share their price. */
  let last: unknown
  let lastText = ''
  for (const [n, { row }] of lines.entries()) {
    if (n > 0) text += separator
    const value = row[field]
    if (value === null || value === undefined) continue
    isNull = false
    if (value !== last) lastText = jsonText(value)
    last = value
    text += lastText
  }
  return isNull ? '' : text
}

function arrayColumn(lines: readonly Line[], field: keyof NewLog, type: (typeof types)[keyof NewLog]): string {
  let text = ''
  let isNull = true
  for (const { row } of lines) {
    const value = row[field]
    text += text === '' ? '{' : ','
    if (value === null || value === undefined) text += 'NULL'
    else {
      isNull = false
      if (type === 'text[]') text += quoted(String(value))
      else text += value instanceof Date ? `"${value.toISOString()}"` : String(value)
    }
  }
  return isNull ? '{}' : `${text}}`
}

/** An array of texts or, unquoted, of numbers, as PostgreSQL reads it. */
export const textArray = (values: readonly string[]): string => `{${values.map(quoted).join(',')}}`
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
  // What cannot be stored is always written as an escape.
  return text.includes('\\u') ? JSON.stringify(value, storable) : text
}

/** What `JSON.stringify` needs for values with amounts, or with characters that text cannot store. */
export function storable(_: string, part: unknown): unknown {
  if (typeof part === 'bigint') return part.toString()
  return typeof part === 'string' ? part.replaceAll('\0', '\uFFFD').toWellFormed() : part
}

/** Sums of lines, for the checks of `books_sync_rows`. Only lines that cost anything count as lines here. */
export interface LineSums {
  /** Each list of accounts once, and for each line the place of its own; -1 for none. */
  payers: (readonly string[])[]
  payerOf: number[]
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
  const sums: LineSums = { payers: [], payerOf: [], accounts: new Map(), owners: [], since: never, till: never }
  const places = new Map<string, number>()
  const owners = new Map<string, LineSums['owners'][number]>()
  const own = (of: string, id: string | null | undefined) => {
    if (id === null || id === undefined) return
    const key = `${of} ${id}`
    const owner = owners.get(key)
    if (owner) owner.lines += 1
    else owners.set(key, { of, id, lines: 1 })
  }
  for (const { row, accounts, owed } of lines) {
    sums.payerOf.push(placeOf(accounts, places, sums.payers))
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
    if (sums.since === never || row.at < sums.since) sums.since = row.at
    if (sums.till === never || row.at > sums.till) sums.till = row.at
  }
  sums.owners = [...owners.values()]
  return sums
}

function placeOf(accounts: readonly string[], places: Map<string, number>, payers: (readonly string[])[]): number {
  if (accounts.length === 0) return -1
  const name = accounts.join(separator)
  const known = places.get(name)
  if (known !== undefined) return known
  places.set(name, payers.length)
  return payers.push(accounts) - 1
}

/** The row by column names, as `books_sync` takes it. */
export function rowByColumns(row: NewLog): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [columnNames.get(field) ?? field, value]))
}
const columnNames = new Map(Object.entries(logs).flatMap(([field, column]) => (isColumn(column) ? [[field, column.name] as const] : [])))

function isColumn(value: unknown): value is { name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'columnType' in value
}
