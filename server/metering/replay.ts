/**
 * What an earlier run left in its journal goes into the books before this one begins: every request once, whatever of it was
 * written already. Only then does what that run held go back, for nobody else knows what it spent.
 */
import { removeFolder, rename } from '#runtime/folders'
import type { Log } from '#runtime/log'
import { namesIn, readSegments } from '#runtime/segment'
import { type BookLine, closeInstance, isUnwritable, numberForReplay, syncBooks } from '#store/leases'
import type { Store } from '#store/store'
import { decodeLines, type JournalLine, readableVersions } from './journal-line.ts'

export interface Replayed {
  /** Requests whose end was written. */
  settled: number
  /** Requests of which only a part was: settled as far as it was known. */
  interrupted: number
  /** Requests that had no output yet: nothing is charged. */
  opened: number
}

const linesPerCall = 200

/**
 * Replays and removes every journal in the folder; the caller has locked it, so that no living process writes there. Throws when
 * the database does not take it, or when a newer version wrote it: starting then would lose money.
 */
export async function replayJournals(parts: { store: Store; folder: string; log: Log }): Promise<Replayed> {
  const all: Replayed = { settled: 0, interrupted: 0, opened: 0 }
  for (const name of await namesIn(parts.folder)) {
    if (!/^\d+$/.test(name)) continue
    const left = await readJournal(`${parts.folder}/${name}`)
    const done = await replay(parts, BigInt(name), left)
    if (done) await removeFolder(`${parts.folder}/${name}`)
    else await rename(`${parts.folder}/${name}`, `${parts.folder}/${name}.kept`)
    for (const line of left.last.values()) all[states[line.kind]] += 1
    if (left.bad > 1) parts.log.error({ instance: name, lines: left.bad }, 'the journal has lines that cannot be read')
  }
  const found = all.settled + all.interrupted + all.opened
  if (found > 0) parts.log.warn({ ...all }, 'the journal of an earlier run was written into the accounts')
  return all
}

type Last = Extract<JournalLine, { kind: 'o' | 'p' | 's' }>
const states = { s: 'settled', p: 'interrupted', o: 'opened' } as const

interface Left {
  last: Map<string, Last>
  bad: number
}

async function readJournal(folder: string): Promise<Left> {
  const left: Left = { last: new Map(), bad: 0 }
  for await (const bytes of readSegments(folder)) {
    const { lines, bad } = decodeLines(bytes)
    left.bad += bad
    for (const line of lines) {
      if (line.kind === 'v' && !readableVersions.has(line.version)) {
        throw new Error('the journal was written by another version of Parley; start that version once more and stop it in order')
      }
      // The first end of a request is its end; files are read in the order of their writing.
      if (line.kind !== 'v' && line.kind !== 'g' && left.last.get(line.id)?.kind !== 's') left.last.set(line.id, line)
    }
  }
  return left
}

/** False when something could not be written, and the files must be kept for a person to look at. */
async function replay({ store, log }: { store: Store; log: Log }, instance: bigint, { last }: Left): Promise<boolean> {
  let seq = await numberForReplay(store, instance)
  if (seq === undefined) {
    log.error({ instance: instance.toString() }, 'the journal of an earlier run belongs to another database; its files are kept')
    return false
  }
  const lines = [...last.values()].flatMap((entry) => (entry.kind === 'o' ? [] : [entry.line]))
  const write = (some: BookLine[]) => {
    seq = (seq ?? 0n) + 1n
    return syncBooks(store, { instance, seq, lines: some, own: [], ask: [], replay: true })
  }
  let complete = true
  for (let at = 0; at < lines.length; at += linesPerCall) {
    const some = lines.slice(at, at + linesPerCall)
    try {
      await write(some)
    } catch (thrown) {
      if (!isUnwritable(thrown)) throw thrown
      for (const line of some) complete = (await writeAlone(write, line, log)) && complete
    }
  }
  await closeInstance(store, instance)
  return complete
}

async function writeAlone(write: (lines: BookLine[]) => Promise<unknown>, line: BookLine, log: Log): Promise<boolean> {
  try {
    await write([line])
    return true
  } catch (err) {
    if (!isUnwritable(err)) throw err
    log.error({ requestId: line.row.requestId, row: line.row, owed: line.owed.toString(), err }, 'a request could not be settled')
    return false
  }
}
