/** The usage report, as pages of JSON or one CSV file: users see their own, administrators all. */
import type { UsageReports } from '#accounts/usage'
import { type ConsoleReply, consoleRoute } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import { decodeCursor, encodeCursor, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import { outgoingBody } from '#runtime/outgoing-body'
import type { UsageKey } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { focusLines } from './focus-csv.ts'
import { csvLines } from './usage-csv.ts'
import { readBy, readFilter, readSpan, readTimezone, usageFilters } from './usage-query.ts'

type Question = Parameters<UsageReports['report']>[1]

const hourMs = 3_600_000
const usualSpanMs = 30 * 24 * hourMs
/** Longest time span: a leap year plus the extra hour of a daylight saving change. */
const longestSpanMs = (366 * 24 + 1) * hourMs
/** Most rows of a CSV file, which is read in one query so that it is consistent. */
const mostCsvRows = 50_000
const linesAtOnce = 500

/** `GET /api/usage`. */
export function usageRoutes(services: ConsoleServices): Route[] {
  const { clock } = services
  const { usageReports } = services.accounts
  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/usage',
      who: 'session',
      scope: 'usage',
      query: [...usageFilters, 'from', 'to', 'by', 'timezone', 'format', ...paging],
      async handle({ user, query, visit }) {
        const question = readQuestion(query, clock.now())
        const format = readFormat(query, visit.request)
        if (format !== 'json') {
          const { rows, next } = await usageReports.report(user, { ...question, limit: mostCsvRows }, visit.request.signal)
          if (next) throw invalid('by', `${mostCsvRows} rows at most; ask for a shorter time or for less at once`)
          const administrator = user.role === 'admin'
          const lines =
            format === 'focus' ? focusLines(rows, question.by, administrator, question) : csvLines(rows, question.by, administrator)
          return csv(lines, clock)
        }
        const { limit, after } = readPaging(query)
        const begin = after === undefined ? {} : { after: readCursor(after, question.by) }
        const { rows, next } = await usageReports.report(user, { ...question, limit, ...begin }, visit.request.signal)
        return { body: { data: rows, next: next === undefined ? null : encodeCursor(listOf(question.by), JSON.stringify(next)) } }
      },
    }),
  ]
}

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

function readQuestion(query: URLSearchParams, now: number): Omit<Question, 'limit'> {
  const span = readSpan(query)
  const to = span.to ?? new Date(Math.max(now, span.from?.getTime() ?? 0) + 1)
  const from = span.from ?? new Date(Math.floor((to.getTime() - usualSpanMs) / hourMs) * hourMs)
  if (to.getTime() - from.getTime() > longestSpanMs) throw invalid('from', 'a time at most 366 days before to')
  return { from, to, by: readBy(query), timezone: readTimezone(query), filter: readFilter(query) }
}

function readFormat(query: URLSearchParams, request: Request): 'json' | 'csv' | 'focus' {
  const format = readOne(query, 'format')
  if (format === undefined) return /\btext\/csv\b/i.test(request.headers.get('accept') ?? '') ? 'csv' : 'json'
  if (format !== 'csv' && format !== 'json' && format !== 'focus') throw invalid('format', 'json, csv or focus')
  return format
}

/** The cursor's scope: a cursor of one report is not valid for another. */
const listOf = (by: readonly UsageKey[]) => `usage:${by.join()}`

function readCursor(after: string, by: readonly UsageKey[]): string[] {
  try {
    const keys: unknown = JSON.parse(decodeCursor(listOf(by), after))
    if (Array.isArray(keys) && keys.length === by.length && keys.every((key) => typeof key === 'string' && !key.includes('\0'))) return keys
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
  }
  throw invalid('after', 'the value of next from the page before')
}

function csv(lines: Iterator<string>, clock: ConsoleServices['clock']): ConsoleReply {
  const encoder = new TextEncoder()
  const source = {
    async next() {
      let text = ''
      for (let n = 0; n < linesAtOnce; n++) text += lines.next().value ?? ''
      return text === '' ? undefined : encoder.encode(text)
    },
    close() {},
  }
  const headers = { 'content-type': 'text/csv; charset=utf-8; header=present', 'content-disposition': 'attachment; filename="usage.csv"' }
  return { stream: outgoingBody(source, clock), headers }
}
