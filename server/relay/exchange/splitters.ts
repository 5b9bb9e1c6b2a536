/** Ways to cut an upstream's bytes that are no events: every piece as it comes, or the whole body at its end. */
import { GatewayError } from '#shared/errors'
import type { Frame, SseSplitter } from '#shared/sse'

/** Bytes; a larger answer is no answer that a client could use. */
const wholeBytes = 64 * 1024 * 1024

const frameOf = (raw: Uint8Array): Frame => ({ raw, event: undefined, data: undefined })

/** Sound: nothing is waited for. */
export const pieces = (): SseSplitter => ({ push: (chunk) => [frameOf(chunk)], end: () => [] })

/** One frame at the end with everything in it. Throws `upstream_error` when that grows over 64 MiB. */
export function collecting(): SseSplitter {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.byteLength
      if (size > wholeBytes) throw new GatewayError('upstream_error', 'The upstream answer was too large.')
      chunks.push(chunk)
      return []
    },
    end: () => (size === 0 ? [] : [frameOf(Buffer.concat(chunks))]),
  }
}
