/** Splitters for upstream bytes that are not events: each chunk as it arrives, or the whole body at its end. */

import type { Source } from '#runtime/outgoing-body'
import { GatewayError } from '#shared/errors'
import { createSseSplitter, type Frame, type SseCutter, type SseSplitter } from '#shared/sse'

/** Largest whole response, in bytes. */
const wholeBytes = 64 * 1024 * 1024

const frameOf = (raw: Uint8Array): Frame => ({ raw, event: undefined, data: undefined })

/** Forwards each chunk at once, for audio. */
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

/** A stream that Parley wrote, with each of its events edited. */
export function editedEvents(source: Source, edit: (frame: Frame) => Uint8Array): Source {
  const splitter = createSseSplitter({ maxFrameBytes: Number.POSITIVE_INFINITY })
  return {
    ...(source.passed && { passed: (bytes) => source.passed?.(bytes) }),
    async next() {
      for (let bytes = await source.next(); bytes !== undefined; bytes = await source.next()) {
        const frames = splitter.push(bytes)
        if (frames.length > 0) return Buffer.concat(frames.map(edit))
      }
      const rest = splitter.end()
      return rest.length > 0 ? Buffer.concat(rest.map(edit)) : undefined
    },
    broke: () => source.broke?.() === true,
    close: () => source.close(),
  }
}

/** Any splitter, one frame at a time. */
export function cutterOf(splitter: SseSplitter | SseCutter): SseCutter {
  if ('feed' in splitter) return splitter
  let frames: Frame[] = []
  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end(),
    feed(chunk) {
      frames = splitter.push(chunk)
    },
    next: () => frames.shift(),
    text: () => undefined,
    at: 0,
    takeTo: () => {
      throw new Error('these are not events')
    },
  }
}
