/**
 * What the thread of kept bodies does: blanks, compresses, seals and writes records, and reads them again. It has the files and nothing
 * else: the key of a record is handed to the main thread, which seals it into its row, and is forgotten here.
 */
import { openSealedBytes, sealBytes } from '#runtime/storage/sealed-bytes'
import type { BodyPlace } from '#store/bodies/kept-bodies'
import { decodeRecord, encodeRecord, type KeptRecord, type PartHead, type RecordFacts } from './record.ts'
import { type RedactRules, redacted } from './redact.ts'
import { fieldPath } from './redact-fields.ts'
import { openSegments, type Segments, type Span } from './segments.ts'

/** Records on their way to the thread: their heads, and all of their bodies one after the other. */
export interface Lot {
  bytes: Uint8Array<ArrayBuffer>
  records: readonly (RecordFacts & { parts: readonly PartHead[] })[]
  rules: { fields: readonly string[]; numbers: boolean }
}

/** A record that was written, with the only key that opens it. */
export interface WrittenRecord extends RecordFacts, Span {
  key: string
  redacted: boolean
}

/** What became of a lot. `fault`: why the disk took no more of it. */
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
  closed(): { name: string; bytes: number }[]
  /** Closes the file that is being written, so that it can be rewritten. */
  turn(): void
  rewrite(from: string, places: readonly BodyPlace[]): BodyPlace[]
  remove(name: string): void
}

/** The functions, on the files of `instance` in a folder. */
export function createBodyWork(folder: string, instance: string): BodyWork {
  const segments = openSegments(folder, instance)
  return {
    keep: (lot) => keep(segments, lot),
    read(span, requestId, key) {
      const sealed = segments.read(span)
      if (!sealed) return 'absent'
      const bytes = openSealedBytes(sealed, key, requestId)
      return (bytes && decodeRecord(bytes)) ?? 'unreadable'
    },
    closed: segments.closed,
    turn: segments.close,
    rewrite: segments.rewrite,
    remove: segments.remove,
  }
}

function keep(segments: Segments, { bytes, records, rules }: Lot): LotResult {
  const written: WrittenRecord[] = []
  const redactRules: RedactRules = { fields: rules.fields.map(fieldPath), numbers: rules.numbers }
  let at = 0
  try {
    for (const { parts, ...facts } of records) {
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
  const changed = redacted(body, rules)
  return changed ? { ...part, body: changed, redacted: true } : { ...part, body }
}
