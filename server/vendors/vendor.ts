/**
 * An upstream as data: which dialects and operations it serves, where, and how it is told who is calling. Knows no channel
 * row and sends nothing. Start with `services.ts`: a plain vendor is one row there; an odd one is a file of its own
 * (`azure-openai.ts`, `bedrock.ts`). What models can do stands in `models/`.
 */
import type { Variant } from '#canonical/operation/operation'
import type { Capabilities } from '#shared/capabilities'
import type { Dialect, Operation, SideOperation, Style, VendorId } from '#shared/ids'

export interface EndpointTarget {
  operation: Operation
  dialect: Dialect
  /** The upstream's name of the model. */
  model: string
  stream: boolean
  /** How an operation other than generation is written; absent for conversations. */
  style?: Style
  /** Which address of that operation. */
  variant?: Variant
  options: Readonly<Record<string, string>>
}

/**
 * How a channel key is presented: by name, so that the room that sends can sign. `sigv4` and `google-service-account` need
 * the request or the network and are done by upstream; the others are plain headers.
 */
export type AuthScheme = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key' | 'google-service-account' | 'sigv4' | 'none'

/** How a streamed answer is cut into events: server-sent events, or the binary event stream of Amazon. */
export type Framing = 'sse' | 'event-stream'

/** What a vendor changes in a dialect's body: Claude in a cloud names model and version elsewhere. */
export interface BodyQuirk {
  /** Top-level fields that must not be there. */
  remove: readonly string[]
  /** Top-level fields that must be there. */
  set: Readonly<Record<string, string>>
  /** Headers of the dialect that have no meaning there. */
  dropHeaders: readonly string[]
  /** A header whose comma-separated list becomes a field of the body. */
  listFromHeader?: { header: string; field: string }
  /** The `accept` header, where the one of the dialect would be wrong. */
  accept?: string
}

export interface Vendor {
  id: VendorId
  /** Shown in the console. */
  title: string
  speaks: readonly Dialect[]
  /** The dialects of one model, where a channel's models do not all speak the same ones. */
  speaksFor?(model: string): readonly Dialect[]
  operations: readonly Operation[]
  /** How operations are written here, where not in the usual style. */
  styles?: Readonly<Partial<Record<SideOperation, Style>>>
  /** The vendor's own address; undefined where every channel must name one. */
  baseUrl: string | undefined
  /** May a channel have no key at all? */
  keyless: boolean
  auth: AuthScheme
  /** Dialects that present the key in another way. */
  authBy?: Readonly<Partial<Record<Dialect, AuthScheme>>>
  /** Absent = server-sent events. */
  framing?: Framing
  body?: Readonly<Partial<Record<Dialect, BodyQuirk>>>
  /** Options that every channel must set. */
  needs?: readonly string[]
  /** True: answered inside Parley, no network. */
  scripted?: boolean
  /** The absolute URL of an operation; understands `/v1` or its absence at the end of `baseUrl`. Throws `unsupported_endpoint`. */
  endpoint(baseUrl: string, target: EndpointTarget): string
  capabilities(model: string): Capabilities
}
