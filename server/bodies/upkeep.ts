/**
 * Keeps the files of an instance within their bounds: removes old days, then the oldest files, and rewrites files to drop what no row
 * points to. Rows first, files after: no row ever points to something deleted.
 */
import type { Clock } from '#runtime/clock'
import type { BodySettings } from '#shared/console/body'
import { bodiesIn, deleteBodiesBefore, instancesOfBodies, moveBodies, sumSegments } from '#store/bodies/kept-bodies'
import type { Store } from '#store/engine/store'
import { hourName } from './segments.ts'
import type { BodyThread } from './thread.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** Dependencies of upkeep. */
export interface UpkeepParts {
  store: Store
  clock: Pick<Clock, 'now'>
  instance: string
  settings(): Pick<BodySettings, 'days' | 'mebibytes'>
  thread: Pick<BodyThread, 'closed' | 'turn' | 'rewrite' | 'remove'>
  /** Resolves to whether everything written has its rows. */
  flush(): Promise<boolean>
}

/**
 * One round, to be run repeatedly; rejects when the database or the disk fails, and continues the next time. `turns`: closes the open file
 * first, so that records deleted in it are dropped, too.
 */
export async function keepWithinBounds(parts: UpkeepParts, turns = false): Promise<void> {
  const { store, instance, settings, thread } = parts
  const { mebibytes } = settings()
  await forgetOldDays(parts)
  if (turns) await thread.turn()
  const files = await thread.closed()
  // Everything written to these files must have its rows before anything without one counts as dead.
  if (!(await parts.flush())) return
  const beyond = firstKept(files, mebibytes * mebibyte)
  if (beyond !== undefined) await deleteBodiesBefore(store, instance, beyond)
  await removeDead(parts, files)
}

/** Deletes the rows of expired days: of every instance, since some no longer exist. */
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

/** Rewrites every file of the folder with records that no row points to, and removes those with nothing left. */
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
