/** Notes what a request holds beside text, while its head is read. */
import type { Brought, NonTextContent } from '#canonical/non-text-content'

const none = (): Brought => ({ pieces: 0, bytes: 0, elsewhere: 0 })

/** Nothing yet, to be added to. */
export const nothingBeside = (): NonTextContent => ({ images: none(), sounds: none(), files: none() })

const places = { image: 'images', audio: 'sounds' } as const

/** An address, or the name of something that an account keeps. */
const elsewhere = /^(?:https?:|gs:|file[-_/])/i
const deepest = 4

/** Notes a piece by its kind (`image`, `audio`, anything else is a file), and how long its strings are. */
export function bring(beside: NonTextContent, kind: string, piece: unknown): void {
  const brought = beside[kind === 'image' || kind === 'audio' ? places[kind] : 'files']
  const { bytes, away } = measured(piece, 0)
  brought.pieces += 1
  brought.bytes += bytes
  if (away) brought.elsewhere += 1
}

/** As a part of the head; nothing where there is nothing beside text. */
export function besideOf(beside: NonTextContent): { beside?: NonTextContent } {
  const { images, sounds, files, ...wishes } = beside
  const isNothing = images.pieces + sounds.pieces + files.pieces === 0 && Object.keys(wishes).length === 0
  return isNothing ? {} : { beside }
}

/** Lists are left out: what stands in them are pieces of their own, or text. */
function measured(value: unknown, depth: number): { bytes: number; away: boolean } {
  if (typeof value === 'string') return { bytes: value.length, away: elsewhere.test(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= deepest) return { bytes: 0, away: false }
  const inner = Object.values(value).map((one) => measured(one, depth + 1))
  return { bytes: inner.reduce((sum, one) => sum + one.bytes, 0), away: inner.some(({ away }) => away) }
}
