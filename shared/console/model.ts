/** Models that the signed-in user may call in a group. */
import type { Dialect, Operation } from '../ids.ts'
import type { PriceFields } from './price.ts'

/** A row of GET /api/models?group= */
export interface ModelRow {
  id: string
  operations: Operation[]
  dialects: Dialect[]
  price: PriceFields
  contextTokens: number | null
  maxOutputTokens: number | null
  capabilities: Record<string, boolean | number | string>
}

/** GET /api/status */
export interface Status {
  name: 'Parley'
  version: string
  setup: 'needed' | 'done'
  demo: boolean
}

/** Every list of the console API. */
export interface Page<Row> {
  data: Row[]
  next: string | null
}
