/** Sources of an answer: Gemini's grounding and citation metadata, where ranges are bytes of UTF-8. */
import type { Citation } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { type Body, numeric, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'

/** A source and the bytes of the answer's text that it supports, when known. */
export interface PlacedSource {
  citation: Citation
  bytes: { start: number; end: number } | undefined
}

/** Every source that a candidate names. `startOfPart` returns the byte at which its n-th part begins. */
export function readCitations(candidate: Body, startOfPart: (index: number) => number): PlacedSource[] {
  const grounding = pickObject(candidate, 'groundingMetadata')
  const recited = pickObject(candidate, 'citationMetadata')
  return [...(grounding ? readGrounding(grounding, startOfPart) : []), ...(recited ? readRecited(recited) : [])]
}

function readGrounding(grounding: Body, startOfPart: (index: number) => number): PlacedSource[] {
  const sources = pickObjects(grounding, 'groundingChunks').map(readSource)
  const supports = pickObjects(grounding, 'groundingSupports')
  if (supports.length === 0) return sources.flatMap((source) => (source ? [{ citation: source, bytes: undefined }] : []))
  return supports.flatMap((support) => {
    const segment = pickObject(support, 'segment') ?? {}
    const citedText = pickText(segment, 'text')
    const bytes = rangeOf(segment, startOfPart(numeric(pick(segment, 'partIndex')) ?? 0))
    const indices = pick(support, 'groundingChunkIndices')
    return (Array.isArray(indices) ? indices : []).flatMap((index: unknown) => {
      const source = typeof index === 'number' ? sources[index] : undefined
      return source ? [{ citation: { ...source, ...(citedText !== undefined && { citedText }) }, bytes }] : []
    })
  })
}

/** The kinds of sources that are read. */
export const sourceKinds = ['web', 'maps', 'retrievedContext', 'image'] as const

/** The fields read of each kind of source; `domain` is the host of its URL. */
const sourceFields = {
  web: ['uri', 'title', 'domain'],
  maps: ['uri', 'title'],
  retrievedContext: ['uri', 'title'],
  image: ['sourceUri', 'title'],
} as const satisfies Record<(typeof sourceKinds)[number], readonly string[]>
const recitedFields = ['uri', 'title', 'startIndex', 'endIndex']

/** An upstream that invents fields must not fill the log. */
const mostDetails = 32

/** The paths of other fields of a candidate's sources than URL, title and position. Each is listed once, however many sources have it. */
export function detailsOf(candidate: Body): string[] {
  const [grounding, recited] = [pickObject(candidate, 'groundingMetadata'), pickObject(candidate, 'citationMetadata')]
  if (!grounding && !recited) return []
  const found = new Set<string>()
  const look = (piece: Body, known: readonly string[], path: string) => {
    for (const name of Object.keys(piece).map(camelCase)) if (!known.includes(name)) found.add(`${path}.${name.slice(0, 64)}`)
  }
  if (grounding && pick(grounding, 'webSearchQueries') !== undefined) found.add('groundingMetadata.webSearchQueries')
  for (const chunk of grounding ? pickObjects(grounding, 'groundingChunks') : [])
    for (const kind of sourceKinds) look(pickObject(chunk, kind) ?? {}, sourceFields[kind], `groundingMetadata.groundingChunks.${kind}`)
  for (const support of grounding ? pickObjects(grounding, 'groundingSupports') : [])
    look(support, ['segment', 'groundingChunkIndices'], 'groundingMetadata.groundingSupports')
  for (const source of recited ? pickObjects(recited, 'citations') : []) look(source, recitedFields, 'citationMetadata.citations')
  return [...found].slice(0, mostDetails)
}

/** A name as proto3 JSON writes it. */
const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function readSource(chunk: Body): Citation | undefined {
  const kind = sourceKinds.find((one) => pickObject(chunk, one) !== undefined)
  const source = kind && pickObject(chunk, kind)
  if (!source) return undefined
  const url = pickText(source, kind === 'image' ? 'sourceUri' : 'uri')
  const title = pickText(source, 'title')
  const named = title !== undefined && { title }
  // A document of the caller's own need not have an address on the web.
  if (kind === 'retrievedContext') return { kind: 'document', ...(url?.startsWith('https://') && { url }), ...named }
  return url === undefined ? undefined : { kind: 'web', url, ...named }
}

function readRecited(recited: Body): PlacedSource[] {
  const sources = [...pickObjects(recited, 'citations'), ...pickObjects(recited, 'citationSources')]
  return sources.flatMap((source) => {
    const url = pickText(source, 'uri')
    if (url === undefined) return []
    const title = pickText(source, 'title')
    return [{ citation: { kind: 'web', url, ...(title !== undefined && { title }) }, bytes: rangeOf(source, 0) }]
  })
}

/** A start of zero is left out by proto3 JSON. */
function rangeOf(range: Body, base: number): PlacedSource['bytes'] {
  const start = numeric(pick(range, 'startIndex')) ?? 0
  const end = numeric(pick(range, 'endIndex'))
  return end !== undefined && Number.isSafeInteger(start) && start >= 0 && end > start
    ? { start: base + start, end: base + end }
    : undefined
}

/** `start` and `end` are in `bytes` here; the original form of a source is not used. */
type Source = WrittenFields<
  Citation,
  { url: 'written'; title: 'written'; citedText: 'written'; start: 'written'; end: 'written'; opaque: 'notNeeded'; raw: 'notNeeded' }
>

/** Grounding metadata that names the same sources; sources without a URL are left out. */
export function writeGrounding(placed: readonly PlacedSource[]): Body | undefined {
  const chunks: Body[] = []
  const supports: Body[] = []
  const indexOf = new Map<string, number>()
  for (const { citation, bytes } of placed) {
    const { url, title, citedText }: Source = citation
    if (url === undefined) continue
    let index = indexOf.get(url)
    if (index === undefined) {
      index = chunks.push({ web: { uri: url, ...(title !== undefined && { title }) } }) - 1
      indexOf.set(url, index)
    }
    if (!bytes && citedText === undefined) continue
    const segment = { ...(bytes && { startIndex: bytes.start, endIndex: bytes.end }), ...(citedText !== undefined && { text: citedText }) }
    supports.push({ segment, groundingChunkIndices: [index] })
  }
  if (chunks.length === 0) return undefined
  return { groundingChunks: chunks, ...(supports.length > 0 && { groundingSupports: supports }) }
}

/** The text of one answer, measured in both units. */
export interface TextPositions {
  add(text: string): void
  /** Length so far. */
  readonly units: number
  readonly bytes: number
  /** Undefined when it is not known. */
  toUnits(byte: number): number | undefined
  toBytes(unit: number): number | undefined
}

/** `keepsText` = positions are known in any text, not only in ASCII. */
export function textPositions(keepsText: boolean): TextPositions {
  const kept: string[] = []
  let units = 0
  let bytes = 0
  let whole: Buffer | undefined

  const text = () => {
    whole ??= Buffer.from(kept.join(''))
    return whole
  }
  return {
    add(piece) {
      units += piece.length
      bytes += Buffer.byteLength(piece)
      if (keepsText) kept.push(piece)
      whole = undefined
    },
    get units() {
      return units
    },
    get bytes() {
      return bytes
    },
    toUnits(byte) {
      if (byte > bytes) return undefined
      if (units === bytes) return byte
      return keepsText ? text().subarray(0, byte).toString().length : undefined
    },
    toBytes(unit) {
      if (unit > units) return undefined
      if (units === bytes) return unit
      return keepsText ? Buffer.byteLength(text().toString().slice(0, unit)) : undefined
    },
  }
}
