/** Helpers to describe the console's endpoints. */
import type { SchemaName } from '#shared/api/schemas'
import { paging } from '../parameters.ts'
import type { Parameter, RouteDoc } from '../route-doc.ts'

interface Details {
  takes?: SchemaName
  /** The body is optional. */
  optional?: true
  /** Absent = 204. */
  gives?: SchemaName
  status?: number
  parameters?: readonly Parameter[]
  description?: string
}

/** An endpoint of the console. */
export const doc = (
  route: string,
  who: RouteDoc['who'],
  summary: string,
  { takes, optional, gives, status, ...more }: Details = {},
): RouteDoc => ({
  tag: 'Console',
  route,
  who,
  summary,
  ...more,
  ...(takes && { takes: { json: takes, ...(optional && { optional }) } }),
  gives: gives ? { status: status ?? 200, json: [gives] } : { status: status ?? 204 },
})
/** An endpoint that returns a page of a list. */
export const list = (
  route: string,
  who: RouteDoc['who'],
  summary: string,
  gives: SchemaName,
  more: readonly Parameter[] = [],
  description?: string,
) => doc(route, who, summary, { gives, parameters: [...more, ...paging.console], ...(description !== undefined && { description }) })

/** The header of credits. */
export const once: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Makes it safe to repeat the request: the credit is posted once.',
}

/** Parameters of a query, by name. */
export const inQuery = (parameters: Record<string, string>): Parameter[] =>
  Object.entries(parameters).map(([name, description]) => ({ name, in: 'query', description }))
