/** Commands that read usage and requests. */
import type { KeptBody, KeptPart } from '#shared/console/body'
import type { LogRow } from '#shared/console/log'
import { type UsageKey, type UsageReportRow, usageKeys } from '#shared/console/usage'
import { CommandError } from './api.ts'
import { type Column, type Command, type Flag, facts, type Input, pick, queryOf, table, wholeNumber } from './command.ts'

const span: Readonly<Record<string, Flag>> = {
  from: { value: 'TIME', help: 'RFC 3339, or so many hours or days ago: 12h, 7d' },
  to: { value: 'TIME', help: 'The same; exclusive' },
}
const filters: Readonly<Record<string, Flag>> = Object.fromEntries(
  ['user', 'key', 'group', 'model', 'channel'].map((name) => [name, { value: name.toUpperCase(), help: `Only of this ${name}` }]),
)
const unitMs = { h: 3_600_000, d: 86_400_000 } as const

function spanOf(flags: Input['flags']): Record<string, string> {
  return Object.fromEntries(Object.entries(pick(flags, ['from', 'to'])).map(([name, text]) => [name, instantOf(text)]))
}

function instantOf(text: string): string {
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? []
  return count === undefined ? text : new Date(Date.now() - Number(count) * unitMs[unit as 'h' | 'd']).toISOString()
}

const nameIn: Record<UsageKey, (row: UsageReportRow) => string | null | undefined> = {
  model: (row) => row.model,
  key: (row) => (row.key === null ? 'playground' : row.key?.name),
  user: (row) => row.user?.name ?? row.user?.id,
  group: (row) => row.group,
  channel: (row) => row.channel,
  hour: (row) => row.hour,
  day: (row) => row.day,
}

const requestColumns: readonly Column<LogRow>[] = [
  ['at', (row) => row.at],
  ['request', (row) => row.requestId],
  ['status', (row) => row.status],
  ['end', (row) => row.end],
  ['model', (row) => row.model],
  ['key', (row) => row.key],
  ['charged', (row) => row.charged],
  ['ms', (row) => Math.round(row.totalMs)],
  ['error', (row) => row.error?.code],
]

/** A kept body: where it was seen, its headers, and itself. */
function partText({ border, to, method, address, status, atMs, headers, text, bytes, broken }: KeptPart): string {
  const place = [border, to && `${to.channel}, ${to.model}`, method, address, status, broken].filter((one) => one !== undefined)
  const head = headers.map(([name, value]) => `${name}: ${value}`)
  return [`# ${place.join(' ')} (after ${atMs} ms, ${bytes} bytes)`, ...head, '', text ?? '(not text, or too long: --part)'].join('\n')
}

/** `usage` and `requests`. */
export const usageCommands: readonly Command[] = [
  {
    words: 'usage',
    flags: {
      by: { value: 'A,B', help: `Up to two of ${usageKeys.join(', ')}`, of: usageKeys },
      ...span,
      ...filters,
      timezone: { value: 'ZONE', help: 'IANA zone in which days begin' },
      csv: { help: 'The whole report as CSV' },
    },
    help: 'What was used and charged; the last 30 days when no time is named',
    async run({ api, flags }) {
      const asked = { ...pick(flags, ['by', 'timezone', ...Object.keys(filters)]), ...spanOf(flags) }
      if (flags.csv !== undefined) {
        const text = await api.text(`/api/usage${queryOf({ ...asked, format: 'csv' })}`)
        return { value: text, text: text.replace(/\r?\n$/, '') }
      }
      const rows = await api.list<UsageReportRow>(`/api/usage${queryOf(asked)}`, 50_000)
      const by = (flags.by ?? '').split(',').filter((word): word is UsageKey => usageKeys.some((key) => key === word))
      const columns: Column<UsageReportRow>[] = [
        ...by.map((key): Column<UsageReportRow> => [key, nameIn[key]]),
        ['requests', (row) => row.requests],
        ['errors', (row) => row.errors],
        ['input', (row) => Object.values(row.tokens.in).reduce((sum, count) => sum + count, 0)],
        ['output', (row) => row.tokens.out.total],
        ['charged', (row) => row.charged],
        ...(rows.some((row) => row.margin !== undefined) ? [['margin', (row: UsageReportRow) => row.margin] as const] : []),
      ]
      return { value: rows, text: table(rows, columns, 'Nothing was used in this time.') }
    },
  },
  {
    words: 'requests list',
    flags: {
      ...span,
      ...filters,
      limit: { value: 'N', help: 'Rows; 50 when absent' },
      failed: { help: 'Only those that failed' },
      status: { value: 'STATUS', help: 'An HTTP status' },
      error: { value: 'CODE', help: 'An error code' },
      end: { value: 'END', help: 'How it ended', of: ['complete', 'length', 'cut', 'aborted', 'error'] },
      'min-cost': { value: 'USD', help: 'Cost at least this' },
      'min-ms': { value: 'N', help: 'Took at least this long' },
    },
    help: 'Requests, newest first',
    async run({ api, flags }) {
      const asked = {
        ...pick(flags, ['status', 'error', 'end', ...Object.keys(filters)]),
        ...spanOf(flags),
        ...(flags.failed !== undefined && { failed: 'true' }),
        minCost: flags['min-cost'],
        minMs: flags['min-ms'],
      }
      const most = wholeNumber(flags.limit ?? '50', 'limit')
      if (most < 1) throw new CommandError('--limit takes a whole number above zero.', 2)
      const rows = await api.list<LogRow>(`/api/logs${queryOf(asked)}`, most)
      return { value: rows, text: table(rows, requestColumns, 'No requests.') }
    },
  },
  {
    words: 'requests get',
    args: ['REQUEST'],
    flags: { part: { value: 'N', help: 'Only this body, as it was: 0 is what the client sent' } },
    help: 'What was sent and answered, of a request that is kept',
    async run({ api, args: [id = ''], flags }) {
      const path = `/api/bodies/${encodeURIComponent(id)}`
      if (flags.part !== undefined) {
        const text = await api.text(`${path}/${wholeNumber(flags.part, 'part')}`)
        return { value: text, text }
      }
      const kept = await api.call<KeptBody>('GET', path)
      return { value: kept, text: kept.parts.map(partText).join('\n\n') }
    },
  },
  {
    words: 'requests show',
    args: ['REQUEST'],
    help: 'One request, by its id',
    async run({ api, args: [id = ''] }) {
      const row = await api.call<LogRow>('GET', `/api/logs/${encodeURIComponent(id)}`)
      return { value: row, text: facts(row) }
    },
  },
]
