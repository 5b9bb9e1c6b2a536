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

export function encodeLine(line: JournalLine): Uint8Array {
  const json = JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  return encoder.encode(`${checksum(json)} ${json}\n`)
}

/** What a file says, and how many of its lines say nothing. */
export function decodeLines(bytes: Uint8Array): { lines: JournalLine[]; bad: number } {
  const end = bytes.indexOf(0)
  const texts = decoder.decode(end === -1 ? bytes : bytes.subarray(0, end)).split('\n')
  const lines: JournalLine[] = []
  let bad = 0
  for (const text of texts) {
    if (text === '') continue
    const json = text.slice(9)
    if (text[8] === ' ' && text.slice(0, 8) === checksum(json)) lines.push(revived(JSON.parse(json)))
    else bad += 1
  }
  return { lines, bad }
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
