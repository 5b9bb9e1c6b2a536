/** JSON bytes as the body of a request, piece by piece, so that no single write is large. */
import type { FinishedBytes } from '#relay/contract/large-body'
import type { Payload } from '#upstream/upstream'

/** Bytes. */
const pieceBytes = 256 * 1024

/** Can be opened for every attempt. */
export const jsonPayload = ({ bytes, sha256 }: FinishedBytes): Payload => ({
  ...(sha256 !== undefined && { sha256 }),
  type: 'application/json',
  length: bytes.length,
  open() {
    let at = 0
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (at >= bytes.length) return controller.close()
          controller.enqueue(bytes.subarray(at, at + pieceBytes))
          at += pieceBytes
        },
      },
      { highWaterMark: 0 },
    )
  },
})
