/** Reads an upstream's response, up to a limit. */
import type { UpstreamAnswer } from '#upstream/upstream'

const utf8 = new TextDecoder()

/** As text, at most `limit` bytes; a longer response is cancelled, and `whole` is false. */
export async function readText(answer: UpstreamAnswer, limit: number): Promise<{ text: string; whole: boolean }> {
  if (answer.readAll) {
    const bytes = await answer.readAll()
    if (bytes.byteLength <= limit) return { text: utf8.decode(bytes), whole: true }
    return { text: utf8.decode(bytes.subarray(0, limit)), whole: false }
  }
  const { pieces, whole } = await readPieces(answer, limit)
  return { text: textOf(pieces), whole }
}

/** As bytes, likewise. */
export async function readPieces(answer: UpstreamAnswer, limit: number): Promise<{ pieces: Uint8Array[]; size: number; whole: boolean }> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
    if (size + piece.byteLength > limit) {
      answer.cancel()
      return { pieces, size, whole: false }
    }
    size += piece.byteLength
    pieces.push(piece)
  }
  return { pieces, size, whole: true }
}

/** Pieces of UTF-8 as one text. */
export function textOf(pieces: readonly Uint8Array[]): string {
  if (pieces.length === 1) return utf8.decode(pieces[0])
  const decoder = new TextDecoder()
  let text = ''
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}
