/** Stored conversations as a data set, page by page: examples in the body, the rest in headers. */
import type { ReadBody } from '#bodies/reading'
import type { Asker } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import type { ConsoleServices } from '#http/console/route/services'
import { readSpan } from '#http/console/route/span'
import { readFilter } from '#http/console/route/usage-filter'
import { exampleOf } from '#replay/dataset'
import { datasetForms, datasetHeaders, datasetPage, type LeftOutReason } from '#shared/console/body'
import { GatewayError } from '#shared/errors'
import { cursorOf, readConditions } from './log-query.ts'

/** Characters of a page, after which it ends early. */
const enough = 16 * 1024 * 1024

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** One page of `GET /api/bodies/export?as=...`. Throws `invalid_value`, and `not_permitted` for an administrator where only owners read. */
export async function datasetPageOf(
  { bodies, accounts }: Pick<ConsoleServices, 'bodies' | 'accounts'>,
  user: Asker,
  query: URLSearchParams,
) {
  const as = readOne(query, 'as')
  const form = datasetForms.find((one) => one === as)
  if (!form) throw invalid('as', datasetForms.join(' or '))
  if (query.has('borders')) throw invalid('borders', 'nothing beside `as`')
  const after = readOne(query, 'after')
  const asked = { ...readSpan(query), filter: readFilter(query), conditions: { ...readConditions(query), stored: true as const } }
  await bodies.settled()
  const page = await accounts.usageLog.page(user, { ...asked, limit: readLimit(query), ...(after !== undefined && { after }) })

  const lines: string[] = []
  const leftOut: Partial<Record<LeftOutReason, number>> = {}
  let next = page.next
  let size = 0
  for (const row of page.data) {
    const read = await readIfThere(() => bodies.read(user, row.requestId))
    if (!read) continue
    const example = 'record' in read ? exampleOf(read.record, form) : read
    if ('leftOut' in example) leftOut[example.leftOut] = (leftOut[example.leftOut] ?? 0) + 1
    else {
      lines.push(`${example.line}\n`)
      size += example.line.length
    }
    if (size > enough && row !== page.data.at(-1)) {
      next = cursorOf(row)
      break
    }
  }
  const counts = Object.entries(leftOut).map(([reason, count]) => `${reason}=${count}`)
  const headers: Record<string, string> = {
    'content-type': 'application/jsonl',
    'content-disposition': `attachment; filename="${form}.jsonl"`,
    ...(next !== null && { [datasetHeaders.next]: next }),
    ...(counts.length > 0 && { [datasetHeaders.leftOut]: counts.join(', ') }),
  }
  return { stream: new Blob(lines).stream(), headers }
}

/** Undefined if it was deleted meanwhile; `unreadable` if this instance cannot read it. */
async function readIfThere(read: () => Promise<ReadBody>): Promise<ReadBody | { leftOut: LeftOutReason } | undefined> {
  try {
    return await read()
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code === 'internal_error' || thrown.code === 'not_permitted') throw thrown
    return thrown.code === 'not_found' ? undefined : { leftOut: 'unreadable' }
  }
}

function readLimit(query: URLSearchParams): number {
  const limit = Number(readOne(query, 'limit') ?? datasetPage)
  if (Number.isInteger(limit) && limit >= 1 && limit <= datasetPage) return limit
  throw invalid('limit', `a whole number from 1 to ${datasetPage}`)
}
