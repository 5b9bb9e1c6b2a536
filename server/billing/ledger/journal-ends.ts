/** Reads the requests and their ends from the files of a journal. */
import { readSegments } from '#runtime/segment'
import type { BookLine } from '#store/ledger/book-line'
import { type JournalLine, readableVersions, readLines } from './journal-line.ts'

/** One batch. */
export interface Ends {
  /** Requests that have ended. */
  ended: BookLine[]
  /** Only in the last batch: requests without an end, as far as they got. */
  interrupted: BookLine[]
  /** Only in the last batch: how many requests had no output yet. */
  opened: number
  /** Only in the last batch: how many lines could not be read. */
  bad: number
}

const linesAtOnce = 1_000

/** The requests in the order of writing, in batches. Throws when a newer version wrote the files: reading on would lose money. */
export async function* endsIn(folder: string): AsyncGenerator<Ends> {
  const over = new Set<string>()
  const open = new Map<string, BookLine | undefined>()
  let bad = 0
  let ended: BookLine[] = []

  function take(line: JournalLine | undefined): void {
    if (line === undefined) bad += 1
    else if (line.kind === 'v') mustRead(line.version)
    // Only the first end of a request counts.
    else if (line.kind === 'g' || over.has(line.id)) return
    else if (line.kind === 'o') open.set(line.id, undefined)
    else if (line.kind === 'p') open.set(line.id, line.line)
    else {
      open.delete(line.id)
      over.add(line.id)
      ended.push(line.line)
    }
  }

  for await (const bytes of readSegments(folder)) {
    for (const line of readLines(bytes)) {
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
