/**
 * Non-text content that a request contains or asks for. It is counted, and often priced, differently from text, which matters for the
 * hold and for judging the upstream's figures.
 */

/** Pieces of one kind. */
export interface Brought {
  pieces: number
  /** Their bytes in the body; almost none for those referenced by URL or id. */
  bytes: number
  /** How many of them are referenced by URL or id. */
  elsewhere: number
}

/** Non-text content of a request. */
export interface NonTextContent {
  images: Brought
  sounds: Brought
  /** Documents, videos, and unknown types. */
  files: Brought
  /** A part has a cache breakpoint with this lifetime. */
  cached?: '5m' | '1h'
  /** Requested kinds of output, lower case; absent = the model decides. */
  modalities?: readonly string[]
  /** Maximum number of hosted searches, if given. */
  searches?: number
  /** True when the model gets more input than the body contains: tools run by the upstream, stored state. */
  unseen?: boolean
}

const none = (): Brought => ({ pieces: 0, bytes: 0, elsewhere: 0 })

/** No non-text content. */
export const nothingBeside = (): NonTextContent => ({ images: none(), sounds: none(), files: none() })

const places = { image: 'images', audio: 'sounds' } as const

/** A URL, or the id of a stored file. */
const elsewhere = /^(?:https?:|gs:|file[-_/])/i
const deepest = 4

/** Counts a piece by its kind (`image`, `audio`, anything else is a file), and the length of its strings. */
export function bring(beside: NonTextContent, kind: string, piece: unknown): void {
  const brought = beside[kind === 'image' || kind === 'audio' ? places[kind] : 'files']
  const { bytes, away } = measured(piece, 0)
  brought.pieces += 1
  brought.bytes += bytes
  if (away) brought.elsewhere += 1
}

/** The content as a part of the head; empty when there is none. */
export function besideOf(beside: NonTextContent): { beside?: NonTextContent } {
  const { images, sounds, files, ...wishes } = beside
  const isNothing = images.pieces + sounds.pieces + files.pieces === 0 && Object.keys(wishes).length === 0
  return isNothing ? {} : { beside }
}

/** Lists are skipped: their items are pieces of their own, or text. */
function measured(value: unknown, depth: number): { bytes: number; away: boolean } {
  if (typeof value === 'string') return { bytes: value.length, away: elsewhere.test(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth >= deepest) return { bytes: 0, away: false }
  const inner = Object.values(value).map((one) => measured(one, depth + 1))
  return { bytes: inner.reduce((sum, one) => sum + one.bytes, 0), away: inner.some(({ away }) => away) }
}
