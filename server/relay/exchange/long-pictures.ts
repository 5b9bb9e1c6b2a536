/**
 * Whole answers with long pictures inside their JSON. While such an answer is read and written, a placeholder is in the place of each
 * picture, a random text that nobody outside knows: parsing, copying and sending strings of megabytes would block the thread that carries
 * streams. A picture's beginning stays, because it has its format and size. Audio stays as well, because its length is counted.
 */
import type { Random } from '#runtime/clock'
import { nextTurn, turnEvery } from '#runtime/turns'
import { bytewise } from '#wire/bytewise'

/** The long pictures of one answer. */
export interface LongPictures {
  /** The answer's text with placeholders. Called once for each answer of the request. */
  taken(answer: readonly Uint8Array[]): Promise<string>
  /** The bytes of a text with its pictures restored, in order; undefined if it has no placeholder. */
  placed(text: string): readonly Uint8Array[] | undefined
  /** The same for JSON that is stored. */
  restored(json: Uint8Array): Promise<Uint8Array>
}

/** Characters of base64 from which a picture counts as long, and of its beginning that stays. */
const longPicture = 64 * 1024
const keptBeginning = 1024
/** Bytes between two samples: at least one falls into every long picture. */
const stepBytes = longPicture / 4
/** Bytes processed before the event loop gets a turn. */
const sliceBytes = 512 * 1024

/** Characters of base62; with the number, a multiple of the base64 group size. */
const secretLength = 24
const indexLength = 4

const QUOTE = 0x22
/** PNG, JPEG, GIF or WebP, in a data URL or as plain base64. */
const picture = /^(data:image\/[\w.+-]{1,40};base64,)?(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR.{6}XRUJQ)/
const base64 = /^[\w+/=-]*$/

const encoder = new TextEncoder()

export function longPictures(random: Pick<Random, 'base62'>): LongPictures {
  const kept: Uint8Array[] = []
  let secret = ''

  function mark(rest: Uint8Array): string {
    if (kept.length === 0) secret = random.base62(secretLength)
    kept.push(rest)
    return secret + String(kept.length - 1).padStart(indexLength, '0')
  }

  function placed(text: string): readonly Uint8Array[] | undefined {
    if (kept.length === 0 || !text.includes(secret)) return undefined
    const parts: Uint8Array[] = []
    let from = 0
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, from)) {
      const end = at + secretLength + indexLength
      const rest = kept[Number(text.slice(at + secretLength, end))]
      if (!rest) throw new Error('a placeholder without a picture')
      parts.push(encoder.encode(text.slice(from, at)), rest)
      from = end
    }
    return [...parts, encoder.encode(text.slice(from))]
  }

  return {
    async taken(answer) {
      const bytes = await joined(answer)
      const decoder = new TextDecoder()
      let text = ''
      let from = 0
      const say = async (end: number) => {
        for (; from < end; from += sliceBytes) {
          text += decoder.decode(bytes.subarray(from, Math.min(end, from + sliceBytes)), { stream: true })
          if (end - from > sliceBytes) await nextTurn()
        }
      }
      for await (const { start, end } of picturesIn(bytes)) {
        await say(start + keptBeginning)
        text += mark(bytes.subarray(start + keptBeginning, end))
        from = end
      }
      await say(bytes.length)
      return text + decoder.decode()
    },
    placed,
    async restored(json) {
      const parts = placed(new TextDecoder().decode(json))
      return parts ? joined(parts) : json
    },
  }
}

/** The ranges of JSON strings that are long pictures. */
async function* picturesIn(bytes: Uint8Array): AsyncGenerator<{ start: number; end: number }> {
  for (let at = stepBytes; at < bytes.length; ) {
    const end = bytes.indexOf(QUOTE, at)
    if (end === -1) return
    const start = bytes.lastIndexOf(QUOTE, at) + 1
    if (end - start >= longPicture && (await isPicture(bytes, start, end))) yield { start, end }
    at = end + stepBytes
  }
}

async function isPicture(bytes: Uint8Array, start: number, end: number): Promise<boolean> {
  const found = picture.exec(bytewise(bytes, start, start + 128))
  if (!found) return false
  // This cannot occur between two strings of a JSON text, so it is the end of one.
  for (let from = start + (found[1]?.length ?? 0); from < end; from += sliceBytes) {
    if (!base64.test(bytewise(bytes, from, Math.min(end, from + sliceBytes)))) return false
    await nextTurn()
  }
  return true
}

async function joined(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const bytes = new Uint8Array(Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0)).buffer)
  let at = 0
  const turn = turnEvery(sliceBytes)
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += sliceBytes) {
      const part = piece.subarray(from, from + sliceBytes)
      bytes.set(part, at)
      at += part.length
      await turn(part.length)
    }
  }
  return bytes
}
