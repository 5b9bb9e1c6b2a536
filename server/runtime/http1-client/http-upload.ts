/** A request's body, written piece by piece as the connection takes it. */
import { malformed } from '#runtime/http1/http-fault'
import type { HttpConnection } from './http-connection.ts'
import type { HttpExchange } from './http-exchange.ts'

/** Bytes written before the event loop gets a turn: files are read without waiting, and a nearby upstream takes everything. */
const sliceBytes = 512 * 1024

/**
 * Sends a body of exactly `length` bytes. A body of another length, or one that fails, ends the exchange with a fault; an exchange that is
 * over closes the body. Never rejects.
 */
export async function upload(
  body: ReadableStream<Uint8Array>,
  length: number,
  connection: HttpConnection,
  exchange: HttpExchange,
): Promise<void> {
  const source = body.getReader()
  exchange.uploading(() => void source.cancel().catch(() => undefined))
  let left = length
  let sinceTurn = 0
  try {
    for (;;) {
      const { done, value } = await source.read()
      if (exchange.isOver) return
      if (done) break
      left -= value.length
      // Surplus bytes would be taken for the next request.
      if (left < 0) throw malformed('The body of the request is longer than declared.')
      connection.write(value)
      await connection.sent()
      sinceTurn += value.length
      if (sinceTurn >= sliceBytes) {
        sinceTurn = 0
        await new Promise<void>((resolve) => void setImmediate(resolve))
      }
      if (exchange.isOver) return
    }
    if (left > 0) throw malformed('The body of the request is shorter than declared.')
    exchange.uploaded()
  } catch (fault) {
    exchange.fail(fault)
  }
}
