/** What metrics are told of a finished request, as plain data that crosses to the thread that counts. Pure. */
import { promptOf } from '#canonical/usage'
import type { NewLog } from '#store/ledger/ledger'
import { operationOf, providerOf, type Vendors } from './conventions.ts'

/** A finished request. */
export interface Measurement {
  operation: string
  provider: string
  /** The model that was asked for, where a channel was found: what nobody offers is any text. */
  model?: string | undefined
  /** The upstream's name of the model. */
  responseModel?: string | undefined
  /** The code of its error. */
  error?: string | undefined
  /** Milliseconds. */
  ms: number
  /** From the arrival, in milliseconds. */
  firstMs?: number | undefined
  /** Tokens. */
  input?: number | undefined
  output?: number | undefined
  /** USD; absent where there is none. */
  cost?: number | undefined
  /** Channel and cause of each attempt that failed. */
  failures?: (readonly [channel: string, cause: string])[] | undefined
}

/** From the row of a request. */
export function measurementOf(row: NewLog, vendors: Vendors): Measurement {
  const { usage, attempts } = row
  return {
    operation: operationOf(row),
    provider: providerOf(row.channel, vendors),
    model: row.channel == null ? undefined : row.model,
    responseModel: row.upstreamModel ?? undefined,
    error: row.error?.code,
    ms: row.totalMs,
    firstMs: row.firstTokenMs ?? undefined,
    input: usage ? promptOf(usage) : undefined,
    output: usage?.out.total,
    cost: row.cost > 0n ? Number(row.cost) / 1e9 : undefined,
    failures: attempts.some(({ cause }) => cause !== null)
      ? attempts.flatMap(({ channel, cause }) => (cause === null ? [] : [[channel, cause] as const]))
      : undefined,
  }
}
