/**
 * The text of the journal: `checksum SP json LF`, in files that end in zeros. A line that was torn does not match its checksum
 * and is counted, not believed. Of one request the last line wins: `s` over `p` over `o`.
 */
import { checksum } from '#runtime/segment'
import type { BookLine } from '#store/leases'

export type JournalLine =
  /** The first line of every file. */
  | { kind: 'v'; version: number; instance: bigint }
  /** A request was opened; nothing has been sent upstream yet. */
  | { kind: 'o'; id: string; accounts: readonly string[]; amount: bigint }
  /** Its hold has grown by this. */
  | { kind: 'g'; id: string; amount: bigint }
  /** What it would be settled with if nothing more is heard of it. */
  | { kind: 'p'; id: string; line: BookLine }
  /** It is over. */
  | { kind: 's'; id: string; line: BookLine }

export const journalVersion = 2
/** The first version knew wallets only. */
export const readableVersions: ReadonlySet<number> = new Set([1, journalVersion])

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const newline = 10

export function encodeLine(line: JournalLine): Uint8Array {
  const json = JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  return encoder.encode(`${checksum(json)} ${json}\n`)
}

/** The end of a request without what nobody is charged by: what the upstream said word for word, what was lost, who was tried. */
export const leanLine = ({ row, ...line }: BookLine): BookLine => {
  const usage = row.usage && { ...row.usage, raw: undefined }
  return { ...line, row: { ...row, ...(usage && { usage }), losses: [], attempts: [] } }
}

/** What a file says, one by one; undefined: a line that says nothing. */
export function* readLines(bytes: Uint8Array): Generator<JournalLine | undefined> {
  const zero = bytes.indexOf(0)
  const end = zero === -1 ? bytes.length : zero
  for (let at = 0; at < end; ) {
    const found = bytes.indexOf(newline, at)
    const stop = found === -1 || found > end ? end : found
    if (stop > at) yield decodeLine(decoder.decode(bytes.subarray(at, stop)))
    at = stop + 1
  }
}

function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(9)
  return text[8] === ' ' && text.slice(0, 8) === checksum(json) ? revived(JSON.parse(json)) : undefined
}

/** Amounts are strings in JSON, and times too. What has our checksum has our form, or that of the first version. */
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
      const upstream = row.upstreamCost == null ? {} : { upstreamCost: BigInt(row.upstreamCost) }
      const known = { ...row, at: new Date(row.at), cost: BigInt(row.cost), ...upstream }
      const line = { row: known, accounts: payersOf(written.line), owed: BigInt(owed), covered: BigInt(covered) }
      return { kind, id, line }
    }
  }
}
