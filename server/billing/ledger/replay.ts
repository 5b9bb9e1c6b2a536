/**
 * Replays journals of earlier runs before this one begins: every request is written once, whatever of it is in the database already.
 * Only then are the leases of that run returned, since nothing else knows what it spent. The files stay for an hour, in case the database
 * loses its last commits.
 */

import type { EncodedLine } from '#billing/journal/encoded-line'
import { endsIn, type JournalEnd } from '#billing/journal/journal-ends'
import { keepMs } from '#billing/journal/journal-files'
import { folderFacts, removeFolder, rename, touch } from '#runtime/folder'
import type { Log } from '#runtime/log'
import { namesIn, trimSegments } from '#runtime/segment'
import { Forgotten, isFenced } from '#store/ledger/leases'
import type { BooksDatabase } from './books-database.ts'
import { isCompleted, markCompleted, removeMark } from './completed-mark.ts'
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

/** Options of a replay. */
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
   * Set when the folder was moved here, so that no lock proves its processes dead: resolves after a time in which a live one would
   * have called. Interrupted requests may then still end.
   */
  listen?: (() => Promise<void>) | undefined
}

/** A journal belongs to a live process. */
const stillRuns = (instance: bigint) =>
  new Error(
    `the data folder is a copy, or was moved while it was in use: its Parley (instance ${instance}) still runs. Stop that one first, or start with a data folder of its own`,
  )

/** A start can afford larger calls than a running instance. */
const linesPerCall = 1_000
const mostTries = 3

/** Logged when a replay has written anything. */
export const replayedMessage = 'the journal of an earlier run was written into the accounts'

/** Rejects when the database does not take a journal or a newer version wrote it: starting then would lose money. */
export async function replayJournals(options: ReplayOptions): Promise<Replayed> {
  const { folder, log } = options
  const all: Replayed = { settled: 0, interrupted: 0, opened: 0 }
  for (const name of await journalsIn(options)) {
    const done = await replayWhole(options, BigInt(name))
    if (done === 'strange') await rename(`${folder}/${name}`, `${folder}/${name}.kept`)
    else for (const what of ['settled', 'interrupted', 'opened'] as const) all[what] += done[what]
  }
  if (all.settled + all.interrupted + all.opened > 0) log.warn({ ...all }, replayedMessage)
  await sweepJournals(options)
  return all
}

const journalsIn = async ({ folder, but }: Pick<ReplayOptions, 'folder' | 'but'>) =>
  (await namesIn(folder)).filter((name) => /^\d+$/.test(name) && !but.has(name))

/** Repeated when the database lost commits meanwhile, possibly any of those it had just acknowledged. */
async function replayWhole(options: ReplayOptions, instance: bigint): ReturnType<typeof replay> {
  for (let tries = 1; ; tries++) {
    try {
      return await replay(options, instance)
    } catch (thrown) {
      if (!isFenced(thrown) || tries === mostTries) throw thrown
      options.log.error({ instance: instance.toString() }, 'the database has lost commits during a replay; the replay is repeated')
    }
  }
}

/** `strange`: a line could not be written, and the files must be kept for a person to examine. */
async function replay(
  { database, folder, installation, now, log, listen }: ReplayOptions,
  instance: bigint,
): Promise<Replayed | 'strange'> {
  const path = `${folder}/${instance}`
  if (await isCompleted(database, path, instance)) return { settled: 0, interrupted: 0, opened: 0 }
  const done: Replayed = { settled: 0, interrupted: 0, opened: 0 }
  let state = (await database.lastCall(instance))?.state
  const wasLive = state === 'live'
  if (wasLive && listen) {
    const before = await database.lastCall(instance)
    await listen()
    if ((await database.lastCall(instance))?.seq !== before?.seq) throw stillRuns(instance)
  }
  // From here on every answer is compared with this number: a database that has lost it may have lost anything earlier.
  let acknowledged = (await database.numberForReplay(instance)) ?? 0n
  let complete = true
  let isEmpty = true

  async function write(lines: readonly EncodedLine[], mayEnd: boolean) {
    // The leases of an instance that is live still pay for what it spent; of a closed one they are gone.
    const call = {
      instance,
      seq: acknowledged + 1n,
      acknowledged,
      lines,
      own: [],
      ask: [],
      replay: !wasLive,
      ...(mayEnd && { interrupted: true }),
    }
    const answer = await database.sync(call)
    acknowledged = call.seq
    return answer
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
      acknowledged = (await database.numberForReplay(instance)) ?? 0n
      state = 'closed'
    }
    await writers.settled.add(ended)
    if (interrupted.length > 0) await finish('settled')
    const owing = await thatOwe(database, interrupted)
    await writers.interrupted.add(owing)
    if (wasLive) done.opened += opened + interrupted.length - owing.length
    if (bad > 1) log.error({ instance: instance.toString(), lines: bad }, 'the journal has lines that cannot be read')
  }
  await finish('settled')
  await finish('interrupted')
  if (wasLive) await database.close(instance)
  if (((await database.lastCall(instance))?.seq ?? 0n) < acknowledged) throw new Forgotten('the database has lost what was replayed')
  if (!complete) return 'strange'
  if (isEmpty) await removeFolder(path)
  else if (wasLive || done.settled + done.interrupted > 0) {
    await trimSegments(path)
    await touch(path, now)
  }
  if (!isEmpty) await markCompleted(database, path, instance)
  return done
}

/** Those of these requests that are charged. A batch request is sent again unless its answer is stored. */
async function thatOwe(database: BooksDatabase, interrupted: readonly JournalEnd[]): Promise<readonly JournalEnd[]> {
  const asked = interrupted.flatMap(({ id, row: { batch } }) => (batch === undefined ? [] : { id, batch }))
  if (asked.length === 0) return interrupted
  const kept = await database.keptAnswers(asked)
  return interrupted.filter(({ id, row: { batch } }) => batch === undefined || kept.has(id))
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
