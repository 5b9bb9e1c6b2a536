/**
 * The way to an upstream, as the relay sees it: one call, an answer whose body is read piece by piece, and cancel. The
 * network client and the demo model stand behind the same interface, so either can be replaced without a caller noticing.
 */

/** A body that is not text: read from its beginning for every attempt. */
export interface Payload {
  /** Its content type, boundary included. */
  type: string
  /** Bytes. */
  length: number
  open(): ReadableStream<Uint8Array>
}

export interface UpstreamRequest {
  method: 'POST' | 'GET'
  url: string
  /** Complete: nothing is added but what HTTP itself needs. */
  headers: Record<string, string>
  body: string | Payload | undefined
  /** Not over a connection that was used before: the upstream may just have closed every one of those. */
  fresh?: boolean
}

export interface UpstreamAnswer {
  status: number
  headers: Headers
  /** The next piece as it arrived, or undefined at a clean end. Rejects with GatewayError `upstream_error` when the body breaks. */
  read(): Promise<Uint8Array | undefined>
  /** Stops the upstream. Safe to call at any time, any number of times; never throws. */
  cancel(): void
}

export interface Upstream {
  /**
   * Resolves with status and headers. Rejects with GatewayError (`upstream_error`, `upstream_timeout`), or with the
   * signal's reason when it is aborted. The signal also ends a body that is being read. `connected` is told, once or more often,
   * that the connection stands and takes the request; whoever gets an answer was connected anyway.
   */
  open(request: UpstreamRequest, signal: AbortSignal, connected?: () => void): Promise<UpstreamAnswer>
}
