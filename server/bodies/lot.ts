/**
 * Requests on their way to the thread: all of their bodies in one piece of memory, which is handed over, and all of their heads in one text.
 * The text is no JSON, and headers and addresses cross as they are: what costs time is left to the thread, which also blanks what may be a
 * credential before anything is written.
 */
import { type Border, borders } from '#shared/console/body'
import type { Capture, NotedPart, RawHeaders } from './capture.ts'
import type { PartHead, RecordFacts } from './record.ts'
import { safeAddress, safeHeaders, safePath } from './safe-head.ts'

/** What the thread gets. */
export interface Noted {
  bytes: Uint8Array<ArrayBuffer>
  /** The words of every head one after the other, with zero characters between them: none of them may have one. */
  heads: string
}

/** What is known of the records of a lot beside their bodies. */
export type RecordHeads = readonly (RecordFacts & { parts: readonly PartHead[] })[]

const between = '\0'

/** The captures as one piece of memory and one text. */
export function packed(captures: readonly Pick<Capture, 'facts' | 'parts'>[]): Noted {
  const words: (string | number)[] = []
  let size = 0
  for (const { facts, parts } of captures) {
    const { requestId, at, userId, memberId, keyId } = facts
    words.push(requestId, at, userId, memberId ?? '', keyId ?? '', parts.length)
    for (const part of parts) {
      addHead(words, part)
      if (part.chunks.length > 0) size += part.bytes
    }
  }
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
  return { bytes, heads: words.join(between) }
}

function addHead(words: (string | number)[], part: NotedPart): void {
  const { border, call, to, method, address, status, atMs, bytes, leftOut, broken, pieces, headers, frames, leftBytes } = part
  words.push(
    borders.indexOf(border),
    ...[call ?? '', to?.channel ?? '', to?.model ?? '', to?.dialect ?? '', method ?? '', address ?? '', status ?? ''],
    ...[atMs, bytes, leftOut ? 1 : '', broken ?? '', pieces.length === 0 ? '' : pieces.join(' ')],
    ...[frames ? 1 : '', leftBytes ?? ''],
  )
  const count = words.push(0) - 1
  for (const [name, value] of pairsOf(headers)) words.push(name, value)
  words[count] = (words.length - count - 1) / 2
}

const pairsOf = (headers: RawHeaders) => (Symbol.iterator in headers ? headers : Object.entries(headers))

/** The heads in the text of `packed`, without anything that may be a credential. */
export function unpacked(heads: string): RecordHeads {
  if (heads === '') return []
  const words = heads.split(between)
  let at = 0
  const word = () => words[at++] ?? ''
  const records: (RecordFacts & { parts: PartHead[] })[] = []
  while (at < words.length) {
    const [requestId, time, userId, memberId, keyId] = [word(), Number(word()), word(), word(), word()]
    const parts = Array.from({ length: Number(word()) }, () => headFrom(word))
    records.push({ requestId, at: time, userId, memberId: memberId || null, keyId: keyId || null, parts })
  }
  return records
}

function headFrom(word: () => string): PartHead {
  const border = borders[Number(word())] as Border
  const [call, channel, model, dialect, method, address, status] = [word(), word(), word(), word(), word(), word(), word()]
  const [atMs, bytes, leftOut, broken, pieces] = [Number(word()), Number(word()), word(), word(), word()]
  const [frames, leftBytes] = [word(), word()]
  const headers = Array.from({ length: Number(word()) }, () => [word(), word()] as const)
  const known = border === 'client-request' ? pathOf(address) : safeAddress(address)
  return {
    border,
    ...(call !== '' && { call: Number(call) }),
    ...(channel !== '' && { to: { channel, model, dialect } }),
    ...(method !== '' && { method }),
    ...(address !== '' && known !== undefined && { address: known }),
    ...(status !== '' && { status: Number(status) }),
    headers: safeHeaders(headers),
    atMs,
    bytes,
    ...(leftOut !== '' && { leftOut: true as const }),
    ...(broken !== '' && { broken }),
    ...(frames !== '' && { frames: true as const }),
    ...(leftBytes !== '' && { leftBytes: Number(leftBytes) }),
    ...(pieces !== '' && { pieces: pieces.split(' ').map(Number) }),
  }
}

const pathOf = (address: string) => {
  const url = URL.parse(`http://here${address}`)
  return url ? safePath(url) : undefined
}
