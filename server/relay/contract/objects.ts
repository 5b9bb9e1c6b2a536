/** Requests to the endpoints for objects in an upstream's account (`#canonical/account-object`), and their answers. */
import type { Caller } from '#accounts/caller'
import type { ObjectEndpoint } from '#canonical/account-object'
import type { Allowances } from '#canonical/allowance'
import type { Loss } from '#canonical/loss'
import type { Form } from '#canonical/operation/operation'
import type { AbortSignalLike } from '#runtime/contract/abort'

/** A body: JSON text, a form, or bytes of an upload. */
export type ObjectContent = { text: string } | { form: Form } | { bytes: Uint8Array; type: string }

/** A request to such an endpoint. */
export interface ObjectAsk {
  requestId: string
  caller: Caller
  endpoint: ObjectEndpoint
  /** The id in the URL. */
  id?: string
  part?: string
  /** Without parameters that carry a credential. */
  query: URLSearchParams
  headers: Pick<Headers, 'get'>
  /** Reads the body, at most once; undefined: there is none. Rejects with GatewayError. */
  body(): Promise<{ content: ObjectContent; release?(): void } | undefined>
  /** Aborted when the client disconnects. */
  signal: AbortSignalLike
  /** For Google's uploads: headers to forward, and the URL at which an upload continues. */
  upload?: { headers: Readonly<Record<string, string>>; url?: string }
}

/** The upstream's answer, unconverted. */
export interface ObjectReply {
  status: number
  contentType: string
  body: string | readonly Uint8Array[]
  /** What was left out of a list. */
  losses: readonly Loss[]
  /** The caller's remaining rate limits. */
  left: Allowances
  /** Headers of Google's uploads. */
  headers: Readonly<Record<string, string>>
}

/** Serves a request. Rejects with GatewayError, after its usage row is written. */
export type ServeObject = (ask: ObjectAsk) => Promise<ObjectReply>
