/** The row of a service that copies the API of another vendor. */
import type { Capabilities } from '#shared/capabilities'
import type { Dialect, Operation } from '#shared/ids'
import type { Layout } from '../layout.ts'
import type { AuthScheme } from '../vendor.ts'

/** A row. */
export interface Service extends Layout {
  title: string
  host: string
  /** Dialects besides Chat; `messages` is included where the row has its path. */
  also?: readonly Dialect[]
  /** The scheme of Messages, where it is not a bearer token. */
  messagesAuth?: AuthScheme
  /** A server on the operator's own machine: no key, and one process serves all its dialects. */
  local?: true
  /** Facts about every model of this service. */
  facts?: Capabilities
  /** Operations besides generation, at OpenAI's paths (rerank: Jina's). */
  serves?: readonly Operation[]
  /** Top-level Chat fields that it rejects. */
  refuses?: readonly string[]
  read: readonly string[]
}
