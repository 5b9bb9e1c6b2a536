/**
 * Outgoing HTTP as required by the address rules. `#runtime/http-client` makes the client. No client follows a redirect, repeats a request,
 * uses a proxy of the environment, adds credentials, or has time limits of its own. Which of these a runtime's own `fetch` does is in
 * docs/runtimes.md.
 */
import type { AbortSignalLike } from './abort.ts'
import type { CheckedRoute } from './route.ts'

export interface HttpCall {
  method: 'POST' | 'GET' | 'PATCH' | 'DELETE'
  url: string
  /** Addresses of the URL's host to connect to, instead of asking DNS. Over TLS the certificate must still be that of the host. */
  addresses?: readonly string[] | undefined
  /** The route to it, if it is not a direct connection. */
  route?: CheckedRoute | undefined
  /** Complete except for `host` and the framing headers. The caller sets `content-length` if there is a body. */
  headers: Iterable<readonly [name: string, value: string]>
  body: string | ReadableStream<Uint8Array> | undefined
  /** Requires a new connection. */
  fresh: boolean
  /** Ends the call, and the body of its answer. */
  signal: AbortSignalLike
  /** Called at least once before the answer, as soon as the connection (TLS included) is known to be established. */
  connected(): void
}

/** The headers of an answer. A `Headers` is one too. */
export interface AnswerHeaders extends Iterable<[name: string, value: string]> {
  /** The value, several joined with a comma; null when there is none. `name` in lower case. */
  get(name: string): string | null
  has(name: string): boolean
}

/** An HTTP answer, its body in pieces as they arrive. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /**
   * The next piece of the body, undefined at its end. What arrived before the connection broke comes before the rejection. One call
   * at a time.
   */
  read(): Promise<Uint8Array | undefined>
  /** The whole body, instead of `read`; rejects like it. */
  readAll(): Promise<Uint8Array>
  /** Ends the call; the unread rest of the body is discarded. May be called at any time and repeatedly; never throws. */
  cancel(): void
}

export interface PinnedCall {
  url: URL
  /** The IP address to connect to, instead of asking DNS. Over TLS the certificate must still be that of the URL's host. */
  address: string
  /** Complete except for `host`, which is that of the URL. */
  headers: Record<string, string>
  signal: AbortSignalLike
}

export interface HttpClient {
  /**
   * Resolves with status and headers. The body of the answer is decoded where its `content-encoding` is gzip, deflate, br or zstd; the
   * headers are as received. Rejects with an Error; its `code` is the cause, if the runtime knows it.
   */
  send(call: HttpCall): Promise<HttpAnswer>
  /** A GET to one given address, over a connection of its own; the body comes as it is, never decoded. Rejects like `send`. */
  sendTo(call: PinnedCall): Promise<HttpAnswer>
  /** Closes idle connections. Calls in progress continue. */
  close(): void
}
