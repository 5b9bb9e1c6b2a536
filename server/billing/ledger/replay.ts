/**
 * Replays journals of earlier runs before this one begins: every request is written once, whatever of it is in the database already.
 * Only then do the leases of that run go back, for nothing else knows what it spent. The files stay for an hour, in case the database
 * loses its last commits.
 */
import { folderFacts, removeFolder, rename, touch } from '#runtime/folder'
import type { Log } from '#runtime/log'
import { namesIn, trimSegments } from '#runtime/segment'
import type { BooksDatabase } from './books-database.ts'
import type { EncodedLine } from './encoded-line.ts'
import { isHome, markHome, removeMark } from './home-mark.ts'
import { endsIn } from './journal-ends.ts'
import { keepMs } from './journal-files.ts'
import { createBackWriter } from './write-back.ts'

/** How many requests were written. */
export interface Replayed {
  /** Requests that had ended. */
  settled: number
  /** Requests that were cut off: settled as far as they got. */
  interrupted: number
  /** Requests that had no output yet: not charged. */
  opened: number
}

/** What is replayed, and where to. */
export interface ReplayOptions {
  database: BooksDatabase
  /** Where the journals are. Locked by the caller: no other living process writes there. */
  folder: string
  /** The id of this installation. */
  installation: string
  /** Names of journals that are still being written. */
  but: ReadonlySet<string>
  /** The most bytes of journals that are kept although the database has them. */
  maxBytes: number
  /** Milliseconds since 1970. */
  now: number
  log: Log
  /**
   * Set when the folder came from elsewhere, so that no lock proves its processes dead: resolves after a time in which a living one would
   * have called. What is interrupted may then still end.
   */
  listen?: (() => Promise<void>) | undefined
}

/** A journal belongs to a process that lives. */
const stillRuns = (instance: bigint) =>
  new Error(
    `the data folder is a copy, or was moved while it was in use: its Parley (instance ${instance}) still runs. Stop that one first, or start with a data folder of its own`,
  )

/** A start has time for larger calls than a running instance. */
const linesPerCall = 1_000

/** Logged when a replay has written anything. */
export const replayedMessage = 'the journal of an earlier run was written into the accounts'

/** Rejects when the database does not take a journal or a newer version wrote it: starting then would lose money. */
export async function replayJournals(options: ReplayOptions): Promise<Replayed> {
  const { folder, log } = options
  const all: Replayed = { settled: 0, interrupted: 0, opened: 0 }
  for (const name of await journalsIn(options)) {
    const done = await replay(options, BigInt(name))
    if (done === 'strange') await rename(`${folder}/${name}`, `${folder}/${name}.kept`)
    else for (const what of ['settled', 'interrupted', 'opened'] as const) all[what] += done[what]
  }
  if (all.settled + all.interrupted + all.opened > 0) log.warn({ ...all }, replayedMessage)
  await sweepJournals(options)
  return all
}

const journalsIn = async ({ folder, but }: Pick<ReplayOptions, 'folder' | 'but'>) =>
  (await namesIn(folder)).filter((name) => /^\d+$/.test(name) && !but.has(name))

/** `strange`: a line could not be written, and the files must be kept for a person to look at. */
async function replay(
  { database, folder, installation, now, log, listen }: ReplayOptions,
  instance: bigint,
): Promise<Replayed | 'strange'> {
  const path = `${folder}/${instance}`
  if (await isHome(database, path, instance)) return { settled: 0, interrupted: 0, opened: 0 }
  const done: Replayed = { settled: 0, interrupted: 0, opened: 0 }
  let state = (await database.lastCall(instance))?.state
  const wasLive = state === 'live'
  if (wasLive && listen) {
    const before = await database.lastCall(instance)
    await listen()
    if ((await database.lastCall(instance))?.seq !== before?.seq) throw stillRuns(instance)
  }
  let seq: bigint | undefined
  let complete = true
  let isEmpty = true

  async function write(lines: readonly EncodedLine[], mayEnd: boolean) {
    seq = (seq ?? (await database.numberForReplay(instance)) ?? 0n) + 1n
    // The leases of an instance that is live still pay for what it spent; of a closed one they are gone.
    return database.sync({ instance, seq, lines, own: [], ask: [], replay: !wasLive, ...(mayEnd && { interrupted: true }) })
  }
  const missing = (some: readonly EncodedLine[]) => database.missing(some)
  const writerOf = (mayEnd: boolean) => createBackWriter({ missing, write: (some) => write(some, mayEnd) }, log, linesPerCall)
  const writers = { settled: writerOf(false), interrupted: writerOf(wasLive && listen !== undefined) }
  async function finish(kind: keyof typeof writers): Promise<void> {
    const written = await writers[kind].end()
    complete &&= written.complete
    done[kind] = written.lines
  }

  for await (const { ended, interrupted, opened, bad } of endsIn(path)) {
    isEmpty &&= ended.length + interrupted.length + opened + bad === 0
    if (state === undefined && ended.length + interrupted.length > 0) {
      if (!(await database.knowsWallets([...ended, ...interrupted]))) {
        log.error({ instance: instance.toString() }, 'the journal of an earlier run belongs to another database; its files are kept')
        return 'strange'
      }
      await database.restore(instance, installation)
      state = 'closed'
    }
    await writers.settled.add(ended)
    if (interrupted.length > 0) await finish('settled')
    await writers.interrupted.add(interrupted)
    if (wasLive) done.opened += opened
    if (bad > 1) log.error({ instance: instance.toString(), lines: bad }, 'the journal has lines that cannot be read')
  }
  await finish('settled')
  await finish('interrupted')
  if (wasLive) {
    if (seq === undefined) await database.numberForReplay(instance)
    await database.close(instance)
  }
  if (!complete) return 'strange'
  if (isEmpty) await removeFolder(path)
  else if (wasLive || done.settled + done.interrupted > 0) {
    await trimSegments(path)
    await touch(path, now)
  }
  if (!isEmpty) await markHome(database, path, instance)
  return done
}

/** Removes journals that the database has had for an hour, and then the oldest ones while all are larger than `maxBytes`. */
export async function sweepJournals(options: Pick<ReplayOptions, 'folder' | 'but' | 'maxBytes' | 'now'>): Promise<void> {
  const { folder, maxBytes, now } = options
  const found = await Promise.all(
    (await journalsIn(options)).map(async (name) => ({ path: `${folder}/${name}`, facts: await folderFacts(`${folder}/${name}`) })),
  )
  const newest = found.flatMap(({ path, facts }) => (facts ? [{ path, ...facts }] : [])).sort((a, b) => b.changedAt - a.changedAt)
  let bytes = 0
  for (const each of newest) {
    bytes += each.bytes
    if (now - each.changedAt <= keepMs && bytes <= maxBytes) continue
    await removeFolder(each.path)
    await removeMark(each.path)
  }
}
