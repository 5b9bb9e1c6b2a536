/**
 * Requests on their way to the thread: all bodies in one buffer, which is transferred, and all heads in one JSON text,
 * which costs this side less than copies of the objects. Headers and addresses are passed unprocessed: expensive work is left to the
 * thread, which also blanks possible credentials before anything is written.
 */
import type { Capture } from './capture.ts'
import type { NotedPart, RawHeaders } from './noted-part.ts'
import type { PartHead, RecordFacts } from './record.ts'
import { safeAddress, safeHeaders, safePath } from './safe-head.ts'

/** A message to the thread. */
export interface Noted {
  bytes: Uint8Array<ArrayBuffer>
  /** A `RawRecord` for each request, as JSON. */
  heads: string
}

/** The facts of the records of a lot, without their bodies. */
export type RecordHeads = readonly (RecordFacts & { parts: readonly PartHead[] })[]

interface RawRecord {
  facts: RecordFacts
  parts: RawHead[]
}
interface RawHead extends Omit<NotedPart, 'chunks' | 'headers'> {
  /** Names and values, alternating. */
  headers: string[]
}

/** The captures as one buffer and one text. */
export function packed(captures: readonly Pick<Capture, 'facts' | 'parts'>[]): Noted {
  const heads = JSON.stringify(captures.map(({ facts, parts }) => ({ facts, parts: parts.map(rawHead) })))
  let size = 0
  for (const { parts } of captures) for (const { bytes, chunks } of parts) if (chunks.length > 0) size += bytes
  const bytes = new Uint8Array(size)
  const view = Buffer.from(bytes.buffer)
  let at = 0
  for (const { parts } of captures) {
    for (const { chunks } of parts) {
      for (const chunk of chunks) {
        if (typeof chunk === 'string') at += view.write(chunk, at, 'utf8')
        else {
          bytes.set(chunk, at)
          at += chunk.byteLength
        }
      }
    }
  }
  return { bytes, heads }
}

/** Each field by name: a copy without `chunks` by rest or spread takes several times as long. */
function rawHead(part: NotedPart): { [Name in keyof Required<RawHead>]: RawHead[Name] | undefined } {
  const { border, call, to, method, address, status, atMs, bytes, leftOut, broken, pieces, frames, leftBytes, headers } = part
  const flat = flatHeaders(headers)
  return { border, call, to, method, address, status, atMs, bytes, leftOut, broken, pieces, frames, leftBytes, headers: flat }
}

function flatHeaders(headers: RawHeaders): string[] {
  const flat: string[] = []
  // Their own loop is faster than an iterator.
  if (headers instanceof Headers) headers.forEach((value, name) => void flat.push(name, value))
  else if (Symbol.iterator in headers) for (const [name, value] of headers) flat.push(name, value)
  else for (const name of Object.keys(headers)) flat.push(name, headers[name] ?? '')
  return flat
}

/** The heads in the text of `packed`, without possible credentials. */
export function unpacked(heads: string): RecordHeads {
  return (JSON.parse(heads) as RawRecord[]).map(({ facts, parts }) => ({ ...facts, parts: parts.map(headOf) }))
}

function headOf({ address, pieces, headers, ...head }: RawHead): PartHead {
  const known = address && (head.border === 'client-request' ? pathOf(address) : safeAddress(address))
  const pairs = Array.from({ length: headers.length / 2 }, (_, n) => [headers[2 * n] ?? '', headers[2 * n + 1] ?? ''] as const)
  return { ...head, ...(known && { address: known }), headers: safeHeaders(pairs), ...(pieces.length > 0 && { pieces }) }
}

const pathOf = (address: string) => {
  const url = URL.parse(`http://here${address}`)
  return url ? safePath(url) : undefined
}
