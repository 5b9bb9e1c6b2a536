/** Reads an upstream's response as text, up to a limit. */
import type { UpstreamAnswer } from '#upstream/upstream'

const utf8 = new TextDecoder()

/** Reads at most `limit` bytes; a longer response is cancelled, and `whole` is false. */
export async function readText(answer: UpstreamAnswer, limit: number): Promise<{ text: string; whole: boolean }> {
  if (answer.readAll) {
    const bytes = await answer.readAll()
    if (bytes.byteLength <= limit) return { text: utf8.decode(bytes), whole: true }
    return { text: utf8.decode(bytes.subarray(0, limit)), whole: false }
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) {
    size += piece.byteLength
    if (size > limit) {
      answer.cancel()
      return { text, whole: false }
    }
    text += decoder.decode(piece, { stream: true })
  }
  return { text: text + decoder.decode(), whole: true }
}
