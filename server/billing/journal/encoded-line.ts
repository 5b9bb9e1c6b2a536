/** Finished requests on their way to the database, as the bytes in the journal. */
import type { BookLine } from '#store/ledger/book-line'
import { encodeLine, isWhole, readLines } from './journal-line.ts'

/** A finished request. Amounts are nano-dollars; `BookLine` says what they mean. */
export interface EncodedLine {
  id: string
  /** When it began, in milliseconds since 1970. */
  at: number
  accounts: readonly string[]
  owed: bigint
  covered: bigint
  /** The whole line as the journal writes it. */
  bytes: Uint8Array
}

/** The encoded line; `bytes`: from a journal, if already encoded. */
export const encodedLine = (line: BookLine, bytes?: Uint8Array): EncodedLine => ({
  id: line.row.requestId,
  at: line.row.at.getTime(),
  accounts: line.accounts,
  owed: line.owed,
  covered: line.covered,
  bytes: bytes && isWhole(bytes) ? bytes : encodeLine({ kind: 's', id: line.row.requestId, line }),
})

/** The lines one after the other, in a buffer of their own. */
export function joinedLines(lines: readonly EncodedLine[]): ArrayBuffer {
  const joined = new Uint8Array(lines.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let at = 0
  for (const { bytes } of lines) {
    joined.set(bytes, at)
    at += bytes.length
  }
  return joined.buffer
}

/** Decodes lines. Throws when one of them does not come from `encodedLine`. */
export function decodedLines(bytes: Uint8Array): BookLine[] {
  return [...readLines(bytes)].map((read) => {
    if (read?.kind !== 's') throw new Error('a line on its way to the database cannot be read')
    return read.line
  })
}
