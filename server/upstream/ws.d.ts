/** The part of `ws` used here; the runtime brings its own build of it. */
declare module 'ws' {
  import type { LookupFunction, Socket } from 'node:net'

  interface Options {
    headers: Record<string, string>
    followRedirects: boolean
    perMessageDeflate: boolean
    maxPayload: number
    lookup?: LookupFunction
    createConnection?: () => Socket
  }

  /** The HTTP answer that rejects an upgrade. */
  export interface Refusal extends AsyncIterable<Uint8Array> {
    readonly statusCode?: number
    readonly headers: Record<string, string | string[] | undefined>
  }

  export class WebSocket {
    constructor(url: string, options: Options)
    readonly readyState: 0 | 1 | 2 | 3
    readonly bufferedAmount: number
    readonly isPaused: boolean
    on(event: 'open' | 'pong' | 'ping', listener: () => void): this
    on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): this
    on(event: 'close', listener: (code: number, reason: Buffer) => void): this
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'unexpected-response', listener: (request: unknown, response: Refusal) => void): this
    send(data: string | Uint8Array, sent: (error?: Error) => void): void
    ping(): void
    pause(): void
    resume(): void
    close(code?: number, reason?: string): void
    terminate(): void
  }
}
