/**
 * An upstream as data: its dialects, operations, URLs and authentication. Knows no channels and sends nothing. Start with
 * `services/`: an ordinary vendor is one row there; an unusual one has a file of its own (`cohere.ts`), those of clouds in `clouds/`. Facts
 * about models are in `models/`.
 */
import type { Variant } from '#canonical/operation/operation'
import type { Capabilities } from '#shared/capabilities'
import type { Dialect, Operation, SideOperation, Style, VendorId } from '#shared/ids'

/** What a URL is built for. */
export interface EndpointTarget {
  operation: Operation
  dialect: Dialect
  /** The upstream's name of the model. */
  model: string
  stream: boolean
  /** The wire style of an operation other than generation; absent for conversations. */
  style?: Style
  /** Which URL of that operation. */
  variant?: Variant
  options: Readonly<Record<string, string>>
}

/**
 * How a channel key is sent. `sigv4`, `google-service-account` and `ibm-iam` need the request or the network and are done by
 * `server/upstream`; the others are plain headers.
 */
export type AuthScheme =
  | 'bearer'
  | 'token'
  | 'x-api-key'
  | 'x-goog-api-key'
  | 'xi-api-key'
  | 'api-key'
  | 'google-service-account'
  | 'ibm-iam'
  | 'sigv4'
  | 'none'

/** How a streamed answer is framed: server-sent events, or Amazon's binary event stream. */
export type Framing = 'sse' | 'event-stream'

/** A vendor's changes to a dialect's body: clouds carry Claude's model and version elsewhere. */
export interface BodyQuirk {
  /** Top-level fields to remove. */
  remove: readonly string[]
  /** Top-level fields to set. */
  set: Readonly<Record<string, string>>
  /** Headers of the dialect to drop. */
  dropHeaders: readonly string[]
  /** A header whose comma-separated list is moved to a field of the body. */
  listFromHeader?: { header: string; field: string }
  /** Overrides the dialect's `accept` header. */
  accept?: string
}

/** A vendor. */
export interface Vendor {
  id: VendorId
  /** Shown in the console. */
  title: string
  speaks: readonly Dialect[]
  /** True for a model that uses Amazon's Converse for the channel's Messages dialect. */
  converses?(model: string): boolean
  /** The dialects of one model, where they differ between the channel's models. */
  speaksFor?(model: string): readonly Dialect[]
  operations: readonly Operation[]
  /** Wire styles of operations, where not the usual ones. */
  styles?: Readonly<Partial<Record<SideOperation, Style>>>
  /** The dialects whose protocols its realtime sessions use; absent: OpenAI's (`chat`). */
  sessions?: readonly Dialect[]
  /**
   * Google Cloud's name of a model in the first frame of a session; absent: the model's name. Such a vendor also reports usage in the
   * cloud's format.
   */
  sessionModel?(model: string, options: EndpointTarget['options']): string
  /** Google Cloud's name of a cached content that its clients call `cachedContents/1`; absent: the same. */
  cacheName?(name: string, options: EndpointTarget['options']): string
  /** The vendor's own base URL; undefined where every channel must name one. */
  baseUrl: string | undefined
  /** True when a channel may have no key. */
  keyless: boolean
  auth: AuthScheme
  /** Dialects with another authentication scheme. */
  authBy?: Readonly<Partial<Record<Dialect, AuthScheme>>>
  /** Absent = server-sent events. */
  framing?: Framing
  body?: Readonly<Partial<Record<Dialect, BodyQuirk>>>
  /** Top-level fields of a dialect that this upstream is known to reject: they are removed, with a loss. */
  refuses?: Readonly<Partial<Record<Dialect, readonly string[]>>>
  /** Options every channel must set. */
  needs?: readonly string[]
  /** True = answered inside Parley, without network. */
  scripted?: boolean
  /** The absolute URL of an operation; accepts `baseUrl` with or without `/v1` at the end. Throws `unsupported_endpoint`. */
  endpoint(baseUrl: string, target: EndpointTarget): string
  capabilities(model: string): Capabilities
}
