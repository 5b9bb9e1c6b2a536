/**
 * The thread for kept bodies: blanks, compresses, seals and writes records, and reads them. It has the files and no keys but
 * those of the records that it is writing or reading.
 */
import { openSealedBytes, sealBytes } from '#runtime/storage/sealed-bytes'
import type { Border } from '#shared/console/body'
import type { BodyPlace } from '#store/bodies/kept-bodies'
import { type Noted, unpacked } from './lot.ts'
import { decodeRecord, encodeRecord, type KeptRecord, type PartHead, type RecordFacts, recordLine } from './record.ts'
import { type RedactRules, redacted } from './redact.ts'
import { fieldPath } from './redact-fields.ts'
import { openSegments, type SegmentOptions, type Segments, type Span } from './segments.ts'

/** Records on their way to the thread, and what to blank in them. */
export interface Lot extends Noted {
  rules: { fields: readonly string[]; numbers: boolean }
}

/** A record that was written, with the only key that opens it. */
export interface WrittenRecord extends RecordFacts, Span {
  key: string
  redacted: boolean
}

/** The rows of the records of a lot that were written, from the first on, each as JSON of a `BodyRecord`. `fault` as in `LotResult`. */
export interface KeptRows {
  rows: string[]
  fault?: string
}

/** The result of a lot. `fault`: why the disk took no more of it. */
export interface LotResult {
  written: WrittenRecord[]
  fault?: string
}

/** Why a record cannot be read. */
export type Unread = 'absent' | 'unreadable'

/** The functions of the thread. They block. */
export interface BodyWork {
  keep(lot: Lot): LotResult
  read(span: Span, requestId: string, key: string): KeptRecord | Unread
  /** The record as a line of `recordLine`: on the thread that carries requests a large one would delay the others. */
  line(span: Span, requestId: string, key: string, head: string, borders: readonly Border[]): Uint8Array<ArrayBuffer> | Unread
  /** Bytes in the folder. */
  bytes(): number
  closed(): { name: string; bytes: number }[]
  /** Closes the open file, so that it can be rewritten. */
  turn(): void
  rewrite(from: string, places: readonly BodyPlace[]): BodyPlace[]
  remove(name: string): void
}

/** The functions, on the files of `instance` in a folder. */
export function createBodyWork(folder: string, instance: string, options?: SegmentOptions): BodyWork {
  const segments = openSegments(folder, instance, options)
  function read(span: Span, requestId: string, key: string): KeptRecord | Unread {
    const sealed = segments.read(span)
    return sealed ? openRecord(sealed, requestId, key) : 'absent'
  }
  return {
    keep: (lot) => (segments.isFull() ? { written: [], fault: spoolFull } : keep(segments, lot)),
    read,
    line(span, requestId, key, head, borders) {
      const record = read(span, requestId, key)
      return typeof record === 'string' ? record : recordLine(head, record, borders)
    },
    bytes: segments.bytes,
    closed: segments.closed,
    turn: segments.close,
    rewrite: segments.rewrite,
    remove: segments.remove,
  }
}

/** The fault of a lot for which the folder has no room until files are uploaded to the bucket. */
export const spoolFull = 'SPOOL_FULL'

/** The record in sealed bytes. */
export function openRecord(sealed: Uint8Array, requestId: string, key: string): KeptRecord | 'unreadable' {
  const bytes = openSealedBytes(sealed, key, requestId)
  return (bytes && decodeRecord(bytes)) ?? 'unreadable'
}

function keep(segments: Segments, { bytes, heads, rules }: Lot): LotResult {
  const written: WrittenRecord[] = []
  const redactRules: RedactRules = { fields: rules.fields.map(fieldPath), numbers: rules.numbers }
  let at = 0
  try {
    for (const { parts, ...facts } of unpacked(heads)) {
      const bodies = parts.map((part) => {
        const from = at
        at += part.leftOut ? 0 : part.bytes
        return blanked(part, bytes.subarray(from, at), redactRules)
      })
      const { sealed, key } = sealBytes(encodeRecord({ ...facts, parts: bodies }), facts.requestId)
      const isRedacted = bodies.some((part) => part.redacted)
      written.push({ ...facts, ...segments.append(sealed, facts.at), key, redacted: isRedacted })
    }
    return { written }
  } catch (thrown) {
    return { written, fault: thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown) }
  }
}

function blanked(part: PartHead, body: Uint8Array, rules: RedactRules): KeptRecord['parts'][number] {
  const changed = part.frames ? blankedFrames(body, part.pieces ?? [], rules) : redacted(body, rules)
  return changed ? { ...part, body: changed, redacted: true } : { ...part, body }
}

/** The redacted frames, each examined separately; undefined when there is nothing to blank. Changes the bytes in place. */
function blankedFrames(body: Uint8Array, pieces: readonly number[], rules: RedactRules): Uint8Array | undefined {
  let isChanged = false
  let from = 0
  for (let n = 0; n < pieces.length; n += 2) {
    const to = pieces[n] ?? from
    const frame = redacted(body.subarray(from, to), rules)
    if (frame) body.set(frame, from)
    isChanged ||= frame !== undefined
    from = to
  }
  return isChanged ? body : undefined
}
