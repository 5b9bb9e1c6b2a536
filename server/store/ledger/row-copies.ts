/**
 * Writes lines as rows for COPY: of `logs`, of the ledger's entries, and of the marks that name them. For the embedded engine, where this
 * takes half the time of arrays.
 */
import { logs } from '#db/schema'
import type { CopiedRows } from '#store/engine/prepared'
import type { BookLine } from './book-line.ts'
import { jsonText, textArray } from './line-columns.ts'
import { detailText, figuresText } from './row-detail.ts'

const hourMs = 3_600_000

/** The columns of a usage row in the order of `logText`. */
const logFields = [
  ...['requestId', 'at', 'userId', 'keyId', 'key', 'group', 'model', 'upstreamModel', 'channel', 'operation', 'dialect', 'stream'],
  ...['status', 'end', 'error', 'provenance', 'cost', 'losses', 'firstTokenMs', 'totalMs', 'upstreamCost', 'lines', 'detail', 'figures'],
  ...['memberId', 'charged'],
] as readonly (keyof typeof logs.$inferInsert)[]

const logColumns = logFields.map((field) => `"${logs[field].name}"`).join(', ')

/** A row that is charged what it owes. Texts are concatenated one by one: a list or a loop would double the time. */
function logText({ row, owed }: BookLine, at: string): string {
  const who = `${safe(row.requestId)}\t${at}\t${safe(row.userId)}\t${text(row.keyId)}\t${text(row.key)}\t${safe(row.group)}`
  const where = `${safe(row.model)}\t${text(row.upstreamModel)}\t${text(row.channel)}\t${row.operation}\t${row.dialect}\t${row.stream}`
  const how = `${row.status}\t${row.end}\t${json(row.error)}\t${row.provenance ?? none}\t${row.cost}\t${json(row.losses)}`
  const figures = `${row.firstTokenMs ?? none}\t${row.totalMs}\t${row.upstreamCost ?? none}\t${json(row.lines)}\t${safe(detailText(row))}`
  const last = `${figuresText(row.usage) || none}\t${text(row.memberId)}\t${owed}`
  return `${who}\t${where}\t${how}\t${figures}\t${last}\n`
}

/** The entry of a row that is charged, as `books_sync` writes it. */
const entryText = ({ row, owed, accounts: [wallet] }: BookLine, at: string): string =>
  `${text(wallet)}\t-${owed}\tusage\tusage:${safe(row.requestId)}\t${safe(row.key ?? 'session')}\t${row.operation} ${safe(row.model)}\t${at}\n`

/** The copies that write these lines, each charged what it owes; `tableOf`: the table for the rows of an hour. */
export function rowCopies(lines: readonly BookLine[], tableOf: (hour: Date) => string): CopiedRows[] {
  const tables = new Map<string, { text: string }>()
  const hours = new Map<number, { table: { text: string }; ats: string[]; ids: string[] }>()
  let entries = ''
  for (const line of lines) {
    const { at, requestId } = line.row
    const start = Math.floor(at.getTime() / hourMs) * hourMs
    let hour = hours.get(start)
    if (!hour) {
      const name = tableOf(new Date(start))
      const table = tables.get(name) ?? { text: '' }
      tables.set(name, table)
      hour = { table, ats: [], ids: [] }
      hours.set(start, hour)
    }
    const instant = at.toISOString()
    hour.table.text += logText(line, instant)
    if (line.owed > 0n) entries += entryText(line, instant)
    hour.ats.push(instant)
    hour.ids.push(requestId)
  }
  let marks = ''
  for (const [start, { ats, ids }] of hours) marks += `${new Date(start).toISOString()}\t${textArray(ats)}\t${safe(textArray(ids))}\n`
  return [
    ...[...tables].map(([table, { text }]) => ({ into: `"${table}" (${logColumns})`, text })),
    { into: 'entries (wallet_id, amount, kind, ref, actor, reason, at)', text: entries },
    { into: 'usage_marks ("hour", ats, ids)', text: marks },
  ]
}

/** Null in the text format of COPY. */
const none = '\\N'
const special = /[\\\n\r\t\0]/
const written: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\uFFFD' }

const safe = (value: string): string => (special.test(value) ? value.replace(/[\\\n\r\t\0]/g, (sign) => written[sign] ?? sign) : value)
const text = (value: string | null | undefined): string => (value == null ? none : safe(value))
const json = (value: unknown): string => (value == null ? none : safe(jsonText(value)))
