/**
 * Keeps a bucket of kept bodies within its bounds. Files are moved there when they are closed and all their rows are in the database, so
 * what no row points to in the bucket is dead, whoever wrote it. Every instance maintains its own files; what another one has left dead for
 * some time, because it is gone, is taken over. Two instances that take over the same file do no harm: the rows move once, and the copy to
 * which none has moved is dead.
 */
import type { Random } from '#runtime/clock'
import { bodiesIn, deleteBodiesIn, knownInstances, moveBodies, sumSegments } from '#store/bodies/kept-bodies'
import { instanceOf } from './segments.ts'
import type { BodyThread } from './thread.ts'
import { forgetOldDays, removeDead, type UpkeepParts } from './upkeep.ts'

const mebibyte = 1024 * 1024
/** Milliseconds after which dead bytes of another instance are taken over: it would have removed them within a minute or so. */
const leftMs = 600_000

/** Dependencies of bucket upkeep. */
export interface BucketUpkeepParts extends UpkeepParts {
  random: Pick<Random, 'hex'>
  thread: UpkeepParts['thread'] & Pick<BodyThread, 'upload' | 'stored' | 'rewriteStored' | 'removeStored'>
}

/** Result of a round: bytes and files in the bucket, of all instances. */
export interface BucketRound {
  bytes: number
  files: number
}

interface File {
  name: string
  bytes: number
}

/** Upkeep of a bucket. Both reject when the bucket, the database or the disk fails, and continue the next time. */
export interface BucketUpkeep {
  /** Moves closed files to the bucket. `turns`: closes the open one first. */
  upload(turns: boolean): Promise<void>
  /** The same, then one maintenance round over the bucket. */
  round(turns: boolean): Promise<BucketRound>
}

/** Upkeep of a bucket, which remembers what others have left dead. */
export function createBucketUpkeep(parts: BucketUpkeepParts): BucketUpkeep {
  const { store, clock, instance, settings, thread, random } = parts
  let leftDead = new Map<string, number>()

  async function upload(turns: boolean): Promise<void> {
    await forgetOldDays(parts)
    if (turns) await thread.turn()
    const files = await thread.closed()
    if (!(await parts.flush())) return
    await removeDead(parts, files)
    const whole = await thread.closed()
    if (await parts.flush()) for (const { name } of whole) await thread.upload(name)
  }

  async function round(turns: boolean): Promise<BucketRound> {
    await upload(turns)
    const files = await withinBound(await thread.stored())
    const mine = files.filter(({ name }) => instanceOf(name) === instance)
    await removeDeadStored(mine, instance)
    await takeOver(files.filter(({ name }) => instanceOf(name) !== instance))
    const left = await thread.stored()
    return { bytes: left.reduce((sum, { bytes }) => sum + bytes, 0), files: left.length }
  }

  /** Deletes the rows of the oldest files beyond the bound; resolves to all files. */
  async function withinBound(files: File[]): Promise<File[]> {
    let sum = 0
    const bound = settings().mebibytes * mebibyte
    for (const { name, bytes } of files.toReversed()) {
      sum += bytes
      if (sum > bound) await deleteBodiesIn(store, instanceOf(name), name)
    }
    return files
  }

  /** Rewrites every file with dead records, and removes those with nothing left. */
  async function removeDeadStored(files: readonly File[], of: string): Promise<void> {
    if (files.length === 0) return
    const alive = await sumSegments(store, of)
    for (const { name, bytes } of files) {
      if (alive.get(name)?.bytes === bytes) continue
      const places = await bodiesIn(store, of, name)
      if (places.length > 0) {
        const to = `${name.slice(0, 10)}-${instance}-${random.hex(4)}.bodies`
        await moveBodies(store, of, name, await thread.rewriteStored(name, to, places), instance)
      }
      if ((await bodiesIn(store, of, name)).length === 0) await thread.removeStored(name)
    }
  }

  async function takeOver(files: readonly File[]): Promise<void> {
    const owners = await knownInstances(store, [...new Set(files.map(({ name }) => instanceOf(name)))])
    const dead = new Map<string, number>()
    // Leaves alone what another installation stores in the same place.
    for (const owner of owners) {
      const its = files.filter(({ name }) => instanceOf(name) === owner)
      const alive = await sumSegments(store, owner)
      const found = its.filter(({ name, bytes }) => alive.get(name)?.bytes !== bytes)
      for (const { name } of found) dead.set(name, leftDead.get(name) ?? clock.now())
      const overdue = found.filter(({ name }) => clock.now() - (dead.get(name) ?? 0) >= leftMs)
      await removeDeadStored(overdue, owner)
    }
    leftDead = dead
  }

  return { upload, round }
}
