/**
 * What keeps the files of an instance within their bounds: old days go, then the oldest files, and what no row points at any more goes when
 * a file is written anew. Rows first, files after: at no moment does a row point at what is gone.
 */
import type { Clock } from '#runtime/clock'
import type { BodySettings } from '#shared/console/body'
import { bodiesIn, deleteBodiesBefore, instancesOfBodies, moveBodies, sumSegments } from '#store/bodies/kept-bodies'
import type { Store } from '#store/engine/store'
import { hourName } from './segments.ts'
import type { BodyThread } from './thread.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** What upkeep needs. */
export interface UpkeepParts {
  store: Store
  clock: Pick<Clock, 'now'>
  instance: string
  settings(): Pick<BodySettings, 'days' | 'mebibytes'>
  thread: Pick<BodyThread, 'closed' | 'turn' | 'rewrite' | 'remove'>
  /** Resolves with whether all that was written has its rows. */
  flush(): Promise<boolean>
}

/**
 * One round, to be run again and again; rejects when the database or the disk refuses, and goes on the next time. `turns`: the open file is
 * closed before, so that what was deleted in it goes, too.
 */
export async function keepWithinBounds(parts: UpkeepParts, turns = false): Promise<void> {
  const { store, instance, settings, thread } = parts
  const { mebibytes } = settings()
  await forgetOldDays(parts)
  if (turns) await thread.turn()
  const files = await thread.closed()
  // What was written to these files must have its rows before anything without one is taken for dead.
  if (!(await parts.flush())) return
  const beyond = firstKept(files, mebibytes * mebibyte)
  if (beyond !== undefined) await deleteBodiesBefore(store, instance, beyond)
  await removeDead(parts, files)
}

/** Deletes the rows of days that are over: of every instance, since some have left for good. */
export async function forgetOldDays({ store, clock, settings }: Pick<UpkeepParts, 'store' | 'clock' | 'settings'>): Promise<void> {
  const oldest = hourName(clock.now() - settings().days * dayMs)
  for (const instance of await instancesOfBodies(store)) await deleteBodiesBefore(store, instance, oldest)
}

interface File {
  name: string
  bytes: number
}

/** The name before which files are beyond the bound (bytes); undefined when none is. */
function firstKept(files: readonly File[], bound: number): string | undefined {
  let sum = 0
  const beyond = files.findLast(({ bytes }) => {
    sum += bytes
    return sum > bound
  })
  return beyond && `${beyond.name}~`
}

/** Writes every file of the folder anew that has something that no row points at, and removes those of which nothing is left. */
export async function removeDead({ store, instance, thread }: UpkeepParts, files: readonly File[]): Promise<void> {
  if (files.length === 0) return
  const alive = await sumSegments(store, instance)
  for (const { name, bytes } of files) {
    if (alive.get(name)?.bytes === bytes) continue
    const places = await bodiesIn(store, instance, name)
    if (places.length > 0) await moveBodies(store, instance, name, await thread.rewrite(name, places))
    if ((await bodiesIn(store, instance, name)).length === 0) await thread.remove(name)
  }
}
