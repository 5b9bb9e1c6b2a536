/**
 * Everything of a database in one file, and back. The first line says what is in it, with the checksum of every table; each line
 * after it brings some rows. The form has a number of its own: a build reads every form up to its own.
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

/** Writes the file, which must not be there yet. */
export async function writeBackup(path: string, snapshot: Snapshot, at: string): Promise<void> {
  const { level, tables, partitions, sequences } = snapshot
  const head: Head = { parley: 'backup', form, at, level, tables, partitions, sequences }
  async function* lines() {
    yield JSON.stringify(head)
    // Rows are JSON already.
    for await (const { table, rows } of snapshot.batches()) yield `${JSON.stringify(table)}:${rows}`
  }
  await writeLines(path, lines())
}

export interface Backup extends Snapshot {
  /** When it was made, RFC 3339. */
  at: string
}

/** Reads the head; the rows follow as they are asked for, and only after the last one is it known that the file is whole. */
export async function openBackup(path: string): Promise<Backup> {
  const lines = readLines(path)
  const first = await lines.next()
  const head = first.done ? undefined : headOf(first.value)
  if (!head) throw new Error(`${path} is no backup of Parley's`)
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
