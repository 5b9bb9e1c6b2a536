/** Kept requests as a file: one line of JSON for each request of the list with the same filters. */
import type { Bodies } from '#bodies/bodies'
import type { WantedLine } from '#bodies/reading'
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import type { ConsoleServices } from '#http/console/route/services'
import { readSpan } from '#http/console/route/span'
import { readFilter, usageFilters } from '#http/console/route/usage-filter'
import type { Route } from '#http/request/route'
import { outgoingBody } from '#runtime/outgoing-body'
import { type Border, borders } from '#shared/console/body'
import type { LogRow } from '#shared/console/log'
import { GatewayError } from '#shared/errors'
import { datasetPageOf } from './bodies-dataset.ts'
import { cursorOf, logConditions, readConditions } from './log-query.ts'

/** Default and maximum number of lines. */
const usualLines = 1_000
const mostLines = 10_000
/** Requests that are looked up and audited at a time. */
const atOnce = 50

/** `GET /api/bodies/export`. */
export function bodyExportRoutes(services: ConsoleServices): Route[] {
  const { bodies, clock } = services
  const { usageLog } = services.accounts

  async function* linesOf(user: Asker, query: URLSearchParams): AsyncGenerator<Uint8Array> {
    const asked = { ...readSpan(query), filter: readFilter(query), conditions: { ...readConditions(query), stored: true as const } }
    const chosen = readBorders(query)
    let left = readLimit(query)
    await bodies.settled()
    let after: string | null = readOne(query, 'after') ?? ''
    while (after !== null && left > 0) {
      const page = await usageLog.page(user, { ...asked, limit: Math.min(atOnce, left), ...(after !== '' && { after }) })
      for await (const line of bodies.lines(user, page.data.map(wanted), chosen)) yield line
      left -= page.data.length
      after = page.next
    }
  }

  return [
    consoleRoute(services, {
      method: 'GET',
      path: '/api/bodies/export',
      who: 'session',
      scope: 'bodies',
      query: [...usageFilters, ...logConditions, 'from', 'to', 'borders', 'limit', 'after', 'as'],
      async handle({ user, query, visit }) {
        if (readOne(query, 'as') !== undefined) return datasetPageOf(services, user, query)
        const lines = linesOf(user, query)
        // Refusals come before anything is sent.
        const first = await lines.next()
        const headers = { 'content-type': 'application/jsonl', 'content-disposition': 'attachment; filename="requests.jsonl"' }
        return { stream: outgoingBody(sourceOf(lines, first), clock, undefined, visit.idleGuard), headers }
      },
    }),
  ]
}

/** The row of the request and the cursor after it, placed before its bodies. */
const wanted = (row: LogRow): WantedLine => ({ requestId: row.requestId, head: JSON.stringify({ cursor: cursorOf(row), ...row }) })

/** Lines as a source that breaks off on failure, so that a partial file is not mistaken for a complete one. */
function sourceOf(lines: ReturnType<Bodies['lines']>, first: IteratorResult<Uint8Array, unknown>) {
  let next: typeof first | undefined = first
  let isBroken = false
  return {
    async next() {
      try {
        const { value, done } = next ?? (await lines.next())
        next = undefined
        return done ? undefined : value
      } catch {
        isBroken = true
        return undefined
      }
    },
    broke: () => isBroken,
    close: () => void lines.return(undefined),
  }
}

function readLimit(query: URLSearchParams): number {
  const text = readOne(query, 'limit') ?? String(usualLines)
  const limit = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  if (limit <= mostLines) return limit
  throw new GatewayError('invalid_value', `limit: expected a whole number from 1 to ${mostLines}.`, { param: 'limit' })
}

/** Undefined: all of them. */
function readBorders(query: URLSearchParams): Border[] | undefined {
  const names = readOne(query, 'borders')?.split(',')
  const chosen = names?.map((name) => borders.find((border) => border === name))
  if (!chosen?.includes(undefined)) return chosen as Border[] | undefined
  throw new GatewayError('invalid_value', `borders: expected some of ${borders.join(', ')}, separated by commas.`, { param: 'borders' })
}
