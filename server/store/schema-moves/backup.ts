/**
 * Backup of a whole database to one file, and back. The first line describes the content, with a checksum for every table; each
 * following line holds rows. The format is versioned: a build reads every version up to its own.
 */
import { readLines, writeLines } from '#runtime/checksummed-lines'
import type { Batch, Contents, Snapshot } from './snapshot.ts'

const form = 1

interface Head extends Contents {
  parley: 'backup'
  form: number
  /** RFC 3339. */
  at: string
}

/** Writes the backup; the file must not exist yet. */
export async function writeBackup(path: string, snapshot: Snapshot, at: string): Promise<void> {
  const { level, tables, partitions, sequences } = snapshot
  const head: Head = { parley: 'backup', form, at, level, tables, partitions, sequences }
  async function* lines() {
    yield JSON.stringify(head)
    // Rows are already JSON.
    for await (const { table, rows } of snapshot.batches()) yield `${JSON.stringify(table)}:${rows}`
  }
  await writeLines(path, lines())
}

/** An opened backup. */
export interface Backup extends Snapshot {
  /** Time of the backup, RFC 3339. */
  at: string
}

/** Reads the first line; rows are read on demand, and only after the last one is the file known to be complete. */
export async function openBackup(path: string): Promise<Backup> {
  const lines = readLines(path)
  const first = await lines.next()
  const head = first.done ? undefined : headOf(first.value)
  if (!head) throw new Error(`${path} is not a Parley backup`)
  if (head.form > form) throw new Error(`${path} was written by a newer Parley; use that version, or a later one`)
  async function* batches(): AsyncGenerator<Batch> {
    for await (const line of lines) {
      const colon = line.indexOf(':')
      yield { table: JSON.parse(line.slice(0, colon)), rows: line.slice(colon + 1) }
    }
  }
  return { ...head, batches }
}

function headOf(line: string): Head | undefined {
  try {
    const head = JSON.parse(line)
    return head?.parley === 'backup' && typeof head.form === 'number' ? head : undefined
  } catch {
    return undefined
  }
}
