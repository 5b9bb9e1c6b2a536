/** Splitters for upstream bytes that are not events: each chunk as it arrives, or the whole body at its end. */
import { GatewayError } from '#shared/errors'
import type { Frame, SseSplitter } from '#shared/sse'

/** Largest whole response, in bytes. */
const wholeBytes = 64 * 1024 * 1024

const frameOf = (raw: Uint8Array): Frame => ({ raw, event: undefined, data: undefined })

/** Passes each chunk on at once, for audio. */
export const pieces = (): SseSplitter => ({ push: (chunk) => [frameOf(chunk)], end: () => [] })

/** Collects everything into one frame at the end. Throws `upstream_error` above 64 MiB. */
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
