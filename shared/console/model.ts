/** Models that the signed-in user may call in a group. */

import type { Capabilities } from '../capabilities.ts'
import type { Dialect, Operation } from '../ids.ts'
import type { BodiesState } from './body.ts'
import type { PriceFields } from './price.ts'

/** Abilities by which models are found. */
export const modelSkills = ['vision', 'tools', 'reasoning'] as const satisfies (keyof Capabilities)[]

/** A row of GET /api/models?group= */
export interface ModelRow {
  id: string
  operations: Operation[]
  dialects: Dialect[]
  price: PriceFields
  /** When its price was last changed, RFC 3339; null: not known, or never. */
  priceChangedAt: string | null
  contextTokens: number | null
  maxOutputTokens: number | null
  /** What is known of the model beside its limits. */
  capabilities: Omit<Capabilities, 'contextTokens' | 'maxOutputTokens' | 'serves'>
}

/** A row of GET /api/capabilities: a model, priced or not, as the channel that is tried first knows it. */
export interface CapabilityRow extends Pick<ModelRow, 'contextTokens' | 'maxOutputTokens' | 'capabilities'> {
  model: string
  operations: Operation[]
}

/** Whether the current parley.yaml is in effect. If not, its last valid version still is. */
export interface ConfigState {
  state: 'ok' | 'invalid'
  /** `parley.yaml:LINE:COLUMN: what is wrong`, a line each. */
  message: string | null
  /** Since when, RFC 3339. */
  at: string
}

/** GET /api/status */
export interface Status {
  name: 'Parley'
  version: string
  setup: 'needed' | 'done'
  demo: boolean
  /** Name of this installation (`PARLEY_ENVIRONMENT`); absent: none. */
  environment?: string
  /** Only where users can also sign in by an identity provider. */
  singleSignOn?: true
  /** The origin at which passkeys work; absent where this installation has none. */
  passkeys?: string
  /** For administrators only. */
  config?: ConfigState
  /** State of body storage on this instance. For administrators only. */
  bodies?: BodiesState
}

/** A page of any list of the console API. */
export interface Page<Row> {
  data: Row[]
  next: string | null
}
