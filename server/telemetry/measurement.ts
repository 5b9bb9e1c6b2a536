/** The measurements of finished requests, as plain data for the counting thread. Pure. */
import { promptOf } from '#canonical/usage'
import type { NewLog } from '#store/ledger/ledger'
import { operationOf, providerOf, type Vendors } from './conventions.ts'

/** The common part of many requests. */
export interface MeasuredFacts {
  operation: string
  provider: string
  /** The requested model, where a channel was found: an unknown model could be any text. */
  model?: string | undefined
  /** The upstream's name of the model. */
  responseModel?: string | undefined
  /** The code of its error. */
  error?: string | undefined
  /** Channel and cause of each attempt that failed. */
  failures?: (readonly [channel: string, cause: string])[] | undefined
}

/** Of one request: milliseconds until its end and its first token, tokens, and USD; NaN where there are none. */
export type Measured = readonly [ms: number, firstMs: number, input: number, output: number, usd: number]

/** From the row of a request. */
export function factsOf(row: NewLog, vendors: Vendors): MeasuredFacts {
  const { attempts } = row
  return {
    operation: operationOf(row),
    provider: providerOf(row.channel, vendors),
    model: row.channel == null ? undefined : row.model,
    responseModel: row.upstreamModel ?? undefined,
    error: row.error?.code,
    failures: attempts.some(({ cause }) => cause !== null)
      ? attempts.flatMap(({ channel, cause }) => (cause === null ? [] : [[channel, cause] as const]))
      : undefined,
  }
}

/** From the row of a request. */
export const measuredOf = ({ totalMs, firstTokenMs, usage, cost }: NewLog): Measured => [
  totalMs,
  firstTokenMs ?? Number.NaN,
  usage ? promptOf(usage) : Number.NaN,
  usage ? usage.out.total : Number.NaN,
  Number(cost) / 1e9,
]
