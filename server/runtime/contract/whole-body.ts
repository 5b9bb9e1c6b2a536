/** Reads a body to its end. */

/** All pieces from `read`, joined. Rejects as `read` does. */
export async function wholeBody(read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let piece = await read(); piece !== undefined; piece = await read()) pieces.push(piece)
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}
