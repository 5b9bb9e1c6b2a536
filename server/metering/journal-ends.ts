/** What the files of a journal say of the requests in them. */
import { readSegments } from '#runtime/segment'
import type { BookLine } from '#store/leases'
import { type JournalLine, readableVersions, readLines } from './journal-line.ts'

export interface Ends {
  /** Requests that are over. */
  ended: BookLine[]
  /** Only with the last: requests of which the end is not there, as far as they are known. */
  interrupted: BookLine[]
  /** Only with the last: how many had no output yet. */
  opened: number
  /** Only with the last: lines that say nothing. */
  bad: number
}

const linesAtOnce = 200

/**
 * In the order of their writing, some at a time, so that nobody has to hold them all. Throws when a newer version wrote them:
 * reading on would lose money.
 */
export async function* endsIn(folder: string): AsyncGenerator<Ends> {
  const over = new Set<string>()
  const open = new Map<string, BookLine | undefined>()
  let bad = 0
  let ended: BookLine[] = []

  function take(line: JournalLine | undefined): void {
    if (line === undefined) bad += 1
    else if (line.kind === 'v') mustRead(line.version)
    // The first end of a request is its end.
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
