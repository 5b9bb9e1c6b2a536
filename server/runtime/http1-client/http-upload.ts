/** A request's body, written piece by piece as the connection takes it. */
import { malformed } from '#runtime/http1/http-fault'
import { turnEvery } from '#runtime/turns'
import type { HttpConnection } from './http-connection.ts'
import type { HttpExchange } from './http-exchange.ts'

/** Bytes that are written before others have their turn: files are read at once, and a near upstream takes all that comes. */
const sliceBytes = 512 * 1024

/**
 * Sends a body of exactly `length` bytes. A body of another length, or one that breaks, ends the exchange with its fault; an exchange that
 * is over lets go of the body. Never rejects.
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
  const turn = turnEvery(sliceBytes)
  try {
    for (;;) {
      const { done, value } = await source.read()
      if (exchange.isOver) return
      if (done) break
      left -= value.length
      // More would be taken for the next request.
      if (left < 0) throw malformed('The body of the request is longer than it was said to be.')
      connection.write(value)
      await connection.sent()
      await turn(value.length)
      if (exchange.isOver) return
    }
    if (left > 0) throw malformed('The body of the request is shorter than it was said to be.')
    exchange.uploaded()
  } catch (fault) {
    exchange.fail(fault)
  }
}
