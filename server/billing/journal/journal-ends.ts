/** Reads the requests and their ends from the files of a journal. */
import { readSegments } from '#runtime/segment'
import type { BookLine } from '#store/ledger/book-line'
import { type EncodedLine, encodedLine } from './encoded-line.ts'
import { linesIn, readableVersions, readLine } from './journal-line.ts'

/** A request that has ended, from its journal. */
export type JournalEnd = EncodedLine & Pick<BookLine, 'row'>

/** One batch. */
export interface Ends {
  /** Requests that have ended. */
  ended: JournalEnd[]
  /** Only in the last batch: requests without an end, as far as they got. */
  interrupted: JournalEnd[]
  /** Only in the last batch: how many requests had no output yet. */
  opened: number
  /** Only in the last batch: how many lines could not be read. */
  bad: number
}

const linesAtOnce = 1_000

/** The requests in the order of writing, in batches. Throws when a newer version wrote the files: reading on would lose money. */
export async function* endsIn(folder: string): AsyncGenerator<Ends> {
  const over = new Set<string>()
  const open = new Map<string, JournalEnd | undefined>()
  let bad = 0
  let ended: JournalEnd[] = []

  function take(bytes: Uint8Array): void {
    const line = readLine(bytes)
    if (line === undefined) bad += 1
    else if (line.kind === 'v') mustRead(line.version)
    // Only the first end of a request counts.
    else if (line.kind === 'g' || over.has(line.id)) return
    else if (line.kind === 'o') open.set(line.id, undefined)
    // As an end it is encoded differently.
    else if (line.kind === 'p') open.set(line.id, { ...encodedLine(line.line), row: line.line.row })
    else {
      open.delete(line.id)
      over.add(line.id)
      ended.push({ ...encodedLine(line.line, bytes), row: line.line.row })
    }
  }

  for await (const bytes of readSegments(folder)) {
    for (const line of linesIn(bytes)) {
      take(line)
      if (ended.length < linesAtOnce) continue
      yield { ended, interrupted: [], opened: 0, bad: 0 }
      ended = []
    }
  }
  const interrupted = [...open.values()].filter((line) => line !== undefined)
  yield { ended, interrupted, opened: open.size - interrupted.length, bad }
}

function mustRead(version: number): void {
  if (readableVersions.has(version)) return
  throw new Error('the journal was written by another version of Parley; start that version once more and stop it in order')
}
