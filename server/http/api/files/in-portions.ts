/** Cuts an upload into portions for the store, with constant memory. */

/** Bytes stored at a time: several pieces of the store. */
const portion = 3 * 512 * 1024

/** The bytes in portions of equal size, the last one smaller and marked; an empty upload is one empty portion. */
export async function* inPortions(source: AsyncIterable<Uint8Array>): AsyncGenerator<{ bytes: Uint8Array; isLast: boolean }> {
  let room = new Uint8Array(portion)
  let used = 0
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      if (used === portion) {
        yield { bytes: room, isLast: false }
        room = new Uint8Array(portion)
        used = 0
      }
      const part = piece.subarray(at, at + portion - used)
      room.set(part, used)
      used += part.length
      at += part.length
    }
  }
  yield { bytes: room.subarray(0, used), isLast: true }
}
