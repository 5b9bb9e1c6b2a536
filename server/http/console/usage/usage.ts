/** The usage report, as pages of JSON or one CSV file: users see their own, administrators all. */
import type { UsageReports } from '#accounts/usage'
import { consoleRoute } from '#http/console/route/console-route'
import { csvReply, readFormat } from '#http/console/route/csv'
import { readTimezone } from '#http/console/route/one-value'
import { decodeCursor, encodeCursor, paging, readPaging } from '#http/console/route/page'
import type { ConsoleServices } from '#http/console/route/services'
import { readSpan } from '#http/console/route/span'
import { readFilter, usageFilters } from '#http/console/route/usage-filter'
import type { Route } from '#http/request/route'
import type { UsageKey } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { focusLines } from './focus-csv.ts'
import { csvLines } from './usage-csv.ts'
import { readBy, readLists, usageLists } from './usage-query.ts'

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
      query: [...usageFilters, ...usageLists, 'from', 'to', 'by', 'timezone', 'format', ...paging],
      async handle({ user, query, visit }) {
        const now = clock.now()
        const question = readQuestion(query, now)
        // There are no rows in the future, and sums are of whole hours.
        const asked =
          question.to.getTime() > now ? { ...question, to: new Date(Math.ceil(question.to.getTime() / hourMs) * hourMs) } : question
        const format = readFormat(query, visit.request, ['csv', 'focus'])
        if (format !== 'json') {
          const { rows, next } = await usageReports.report(user, { ...asked, limit: mostCsvRows }, visit.request.signal)
          if (next) throw invalid('by', `${mostCsvRows} rows at most; ask for a shorter time or for less at once`)
          const administrator = user.role === 'admin'
          const lines =
            format === 'focus' ? focusLines(rows, question.by, administrator, question) : csvLines(rows, question.by, administrator)
          return csvReply('usage.csv', piecesOf(lines), clock)
        }
        const { limit, after } = readPaging(query)
        const begin = after === undefined ? {} : { after: readCursor(after, question.by) }
        const { rows, next } = await usageReports.report(user, { ...asked, limit, ...begin }, visit.request.signal)
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
  return { from, to, by: readBy(query), timezone: readTimezone(query), filter: readFilter(query), only: readLists(query) }
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

/** The next lines of a file, some at a time; undefined at its end. */
function piecesOf(lines: Iterator<string>): () => string | undefined {
  return () => {
    let text = ''
    for (let n = 0; n < linesAtOnce; n++) text += lines.next().value ?? ''
    return text === '' ? undefined : text
  }
}
