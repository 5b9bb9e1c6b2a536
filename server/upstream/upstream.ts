/**
 * The interface of an upstream for the relay: one call, an answer whose body is read chunk by chunk, and cancel. The network client
 * and the demo model both implement it.
 */
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { AnswerHeaders } from '#runtime/contract/http-client'
import type { Route } from '#runtime/contract/route'
import type { AuthScheme } from '#vendors/vendor'

/** A body that is not text; it is read from the start for every attempt. */
export interface Payload {
  /** The content type, including the boundary. */
  type: string
  /** Bytes. */
  length: number
  /** SHA-256 in hexadecimal digits; absent: it cannot be signed. */
  sha256?: string
  open(): ReadableStream<Uint8Array>
}

/** The credential for signing, if a plain header is not enough. */
export interface Credential {
  scheme: AuthScheme
  /** The channel key, decrypted; undefined for a channel without one. */
  secret: string | undefined
  /** The channel's options. */
  options: Readonly<Record<string, string>>
}

/** A request to send. */
export interface UpstreamRequest {
  method: 'POST' | 'GET' | 'PATCH' | 'DELETE'
  url: string
  /** Complete: only what HTTP itself requires is added. */
  headers: Record<string, string>
  body: string | Payload | undefined
  /** The route to the upstream and to its token endpoint; absent: a direct connection. */
  route?: Route
  /** Must be signed with this before it is sent; absent: its headers are complete. */
  credential?: Credential
  /** Use a new connection: the upstream may just have closed all pooled ones. */
  fresh?: boolean
}

/** An answer whose body is still to be read. */
export interface UpstreamAnswer {
  status: number
  headers: AnswerHeaders
  /** The next chunk as it arrived, or undefined at a clean end. Rejects with GatewayError `upstream_error` when the body breaks off. */
  read(): Promise<Uint8Array | undefined>
  /** The whole body, if it is known to be small; instead of `read`, and rejects like it. */
  readAll?(): Promise<Uint8Array>
  /** Reports everything that is read from now on; absent: not supported, and the answer must be wrapped instead. */
  tap?(note: ReadNote): void
  /** Cancels the call. May be called at any time and repeatedly; never throws. */
  cancel(): void
}

/** Gets what is read of an answer. Must not throw. */
export interface ReadNote {
  read(bytes: Uint8Array): void
  /** The body broke off. */
  broke(thrown: unknown): void
}

/** An upstream. */
export interface Upstream {
  /**
   * Resolves with status and headers. Rejects with GatewayError (`upstream_error`, `upstream_timeout`), or with the signal's reason
   * when aborted. The signal also ends a body that is being read. `connected` is called, once or more, when the connection is open
   * and accepts the request; it may be skipped when an answer arrives.
   */
  open(request: UpstreamRequest, signal: AbortSignalLike, connected?: () => void): Promise<UpstreamAnswer>
}
