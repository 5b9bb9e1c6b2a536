/**
 * An upstream as data: which dialects and operations it serves, where, and how it is told who is calling. Knows no channel
 * row and sends nothing. Start with `openai-compatible.ts`: a plain vendor is one row there.
 */
import type { Dialect, Operation, VendorId } from '#shared/ids'

/** Facts about one model that routing, metering and codecs read. Absent = unknown. */
export interface Capabilities {
  contextTokens?: number
  maxOutputTokens?: number
  [fact: string]: boolean | number | string | undefined
}

export interface EndpointTarget {
  operation: Operation
  dialect: Dialect
  /** The upstream's name of the model. */
  model: string
  stream: boolean
  options: Readonly<Record<string, string>>
}

/** How a channel key is presented: by name, so that the room that sends can sign. */
export type AuthScheme = 'bearer' | 'none'

export interface Vendor {
  id: VendorId
  /** Shown in the console. */
  title: string
  speaks: readonly Dialect[]
  operations: readonly Operation[]
  /** The vendor's own address; undefined where every channel must name one. */
  baseUrl: string | undefined
  /** May a channel have no key at all? */
  keyless: boolean
  auth: AuthScheme
  /** True: answered inside Parley, no network. */
  scripted?: boolean
  /** The absolute URL of an operation; understands `/v1` or its absence at the end of `baseUrl`. */
  endpoint(baseUrl: string, target: EndpointTarget): string
  capabilities(model: string): Capabilities
}
