/**
 * The format of the journal: lines of `checksum SP json LF`, in files padded with zeros. A torn line does not match its checksum; it is
 * counted and skipped. The last line of a request wins: `s` over `p` over `o`.
 */
import { crc32 } from 'node:zlib'
import type { BookLine } from '#store/ledger/book-line'

/** One line. Amounts are nano-dollars. */
export type JournalLine =
  /** The first line of every file. */
  | { kind: 'v'; version: number; instance: bigint }
  /** A request was admitted; nothing has been sent upstream yet. */
  | { kind: 'o'; id: string; accounts: readonly string[]; amount: bigint }
  /** Its hold has grown by `amount`. */
  | { kind: 'g'; id: string; amount: bigint }
  /** What it is settled with if no more lines follow. */
  | { kind: 'p'; id: string; line: BookLine }
  /** It has ended. */
  | { kind: 's'; id: string; line: BookLine }

/** The version that is written. */
export const journalVersion = 2
/** The versions that can be read. Version 1 knew wallets only. */
export const readableVersions: ReadonlySet<number> = new Set([1, journalVersion])

/** Eight hexadecimal digits. */
const checksum = (json: string | Uint8Array): string => crc32(json).toString(16).padStart(8, '0')

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const newline = 10

/** The bytes of one line, its newline included. */
export function encodeLine(line: JournalLine): Uint8Array {
  const json = JSON.stringify(written(line))
  return encoder.encode(`${checksum(json)} ${json}\n`)
}

/**
 * The line with its amounts and times as text, each by its name: `JSON.stringify` takes three times as long with a replacer, or with
 * a `Date`.
 */
function written(line: JournalLine): unknown {
  switch (line.kind) {
    case 'v':
      return { ...line, instance: String(line.instance) }
    case 'o':
    case 'g':
      return { ...line, amount: String(line.amount) }
    case 'p':
    case 's': {
      const { row, owed, covered } = line.line
      const upstreamCost = row.upstreamCost == null ? row.upstreamCost : String(row.upstreamCost)
      const text = { ...row, at: new Date(row.at).toISOString(), cost: String(row.cost), upstreamCost }
      return { ...line, line: { ...line.line, row: text, owed: String(owed), covered: String(covered) } }
    }
  }
}

/** Notes of one request that are always kept. */
const leanNotes = 4

/** The end of a request without what no charge depends on: the raw usage, the losses, the attempts, most notes. */
export const leanLine = ({ row, ...line }: BookLine): BookLine => {
  const usage = row.usage && { ...row.usage, raw: undefined }
  const notes = row.notes && { notes: row.notes.slice(0, leanNotes) }
  return { ...line, row: { ...row, ...(usage && { usage }), ...notes, losses: [], attempts: [] } }
}

/** The lines of a file in bytes, each with its newline; the last one may lack it. */
export function* linesIn(bytes: Uint8Array): Generator<Uint8Array> {
  const zero = bytes.indexOf(0)
  const end = zero === -1 ? bytes.length : zero
  for (let at = 0; at < end; ) {
    const found = bytes.indexOf(newline, at)
    const stop = found === -1 || found > end ? end : found
    if (stop > at) yield bytes.subarray(at, Math.min(stop + 1, end))
    at = stop + 1
  }
}

/** The lines of a file; undefined for a line that cannot be read. */
export function* readLines(bytes: Uint8Array): Generator<JournalLine | undefined> {
  for (const line of linesIn(bytes)) yield readLine(line)
}

/** The line in these bytes; undefined when it cannot be read. */
export function readLine(bytes: Uint8Array): JournalLine | undefined {
  const whole = isWhole(bytes) ? bytes.subarray(0, -1) : bytes
  const json = whole.subarray(9)
  return decoder.decode(whole.subarray(0, 9)) === `${checksum(json)} ` ? revived(JSON.parse(decoder.decode(json))) : undefined
}

/** Whether the bytes of a line have its newline. */
export const isWhole = (bytes: Uint8Array): boolean => bytes.at(-1) === newline

/** In JSON amounts and times are strings. A line with a right checksum has this form, or that of version 1. */
type Written = Payers & {
  kind: JournalLine['kind']
  id: string
  amount: string
  version: number
  instance: string
  line: Payers & { row: BookLine['row'] & { at: string; cost: string }; owed: string; covered: string }
}
interface Payers {
  accounts?: string[]
  wallet?: string
}

const payersOf = ({ accounts, wallet }: Payers): string[] => accounts ?? (wallet === undefined ? [] : [wallet])

function revived(written: Written): JournalLine {
  const { kind, id } = written
  switch (kind) {
    case 'v':
      return { kind, version: written.version, instance: BigInt(written.instance) }
    case 'o':
      return { kind, id, accounts: payersOf(written), amount: BigInt(written.amount) }
    case 'g':
      return { kind, id, amount: BigInt(written.amount) }
    case 'p':
    case 's': {
      const { row, owed, covered } = written.line
      // In place: a copy would cost as much as all the rest.
      const known = Object.assign(row, { at: new Date(row.at), cost: BigInt(row.cost) })
      if (row.upstreamCost != null) row.upstreamCost = BigInt(row.upstreamCost)
      const line = { row: known, accounts: payersOf(written.line), owed: BigInt(owed), covered: BigInt(covered) }
      return { kind, id, line }
    }
  }
}
