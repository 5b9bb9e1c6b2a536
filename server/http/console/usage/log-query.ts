/** Conditions on single usage rows. All throw `invalid_value` with the parameter as `param`. */

import type { UsageLog } from '#accounts/usage-log'
import { readOne } from '#http/console/route/one-value'
import { nameForm } from '#http/console/route/usage-filter'
import type { LogRow } from '#shared/console/log'
import { GatewayError } from '#shared/errors'
import { ends } from '#shared/ids'
import { parseUsd } from '#shared/money'

type LogConditions = NonNullable<Parameters<UsageLog['page']>[1]['conditions']>

/** Query parameters that only the list of requests has. */
export const logConditions = [
  ...(['status', 'failed', 'end', 'error', 'errorText', 'stream'] as const),
  ...(['upstreamModel', 'losses', 'minCost', 'minMs'] as const),
] as const

const invalid = (param: string, expected: string) => new GatewayError('invalid_value', `${param}: expected ${expected}.`, { param })

/** The conditions of this query. */
export function readConditions(query: URLSearchParams): LogConditions {
  const status = matching(query, 'status', /^[1-5]\d\d$/, 'an HTTP status')
  const end = readOne(query, 'end')
  const known = ends.find((one) => one === end)
  if (end !== undefined && known === undefined) throw invalid('end', `one of ${ends.join(', ')}`)
  const error = matching(query, 'error', /^[\w.-]{1,100}$/, 'an error code')
  const errorText = matching(query, 'errorText', /^\P{Cc}{1,100}$/u, 'a text of 1 to 100 characters')
  const [failed, stream, losses] = (['failed', 'stream', 'losses'] as const).map((name) => flag(query, name))
  const upstreamModel = matching(query, 'upstreamModel', nameForm, 'a name of 1 to 256 characters')
  const minMs = matching(query, 'minMs', /^\d{1,9}$/, 'whole milliseconds')
  const minCost = matching(query, 'minCost', /^\d{1,9}(\.\d{1,9})?$/, 'an amount of USD')
  return {
    ...(status !== undefined && { status: Number(status) }),
    ...(failed !== undefined && { failed }),
    ...(known !== undefined && { end: known }),
    ...(error !== undefined && { error }),
    ...(errorText !== undefined && { errorText }),
    ...(stream !== undefined && { stream }),
    ...(losses !== undefined && { losses }),
    ...(upstreamModel !== undefined && { upstreamModel }),
    ...(minMs !== undefined && { minMs: Number(minMs) }),
    ...(minCost !== undefined && { minCost: parseUsd(minCost) }),
  }
}

function matching(query: URLSearchParams, name: string, form: RegExp, expected: string): string | undefined {
  const value = readOne(query, name)
  if (value !== undefined && !form.test(value)) throw invalid(name, expected)
  return value
}

function flag(query: URLSearchParams, name: string): boolean | undefined {
  const value = readOne(query, name)
  if (value === undefined) return undefined
  if (value !== 'true' && value !== 'false') throw invalid(name, "'true' or 'false'")
  return value === 'true'
}

/** The cursor of a list of requests after this one. */
export const cursorOf = ({ at, requestId }: Pick<LogRow, 'at' | 'requestId'>): string => `${Date.parse(at)}.${requestId}`
