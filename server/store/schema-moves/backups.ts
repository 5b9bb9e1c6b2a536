/**
 * Backups on a timer, in one folder: made when the newest one is old enough, removed by number and age. The folder tells when the last
 * one was made, so a restart makes no extra one, and instances that share it make one between them.
 */
import type { Clock } from '#runtime/clock'
import { makeOwnFolder, namesIn, removeFolder } from '#runtime/folder'
import type { Log } from '#runtime/log'
import { serverScript } from '#runtime/package-file'
import type { DatabaseWorker } from '#store/engine/database-worker'
import type { BackupOrder } from './backup-work.ts'

/** When and where; times in milliseconds. */
export interface BackupPlan {
  folder: string
  everyMs: number
  /** Most backups that are kept. */
  keep: number
  /** Older ones are removed, except the newest. */
  forMs: number
}

/** State of backups. */
export interface BackupState {
  everyMs: number
  /** Milliseconds since the epoch; undefined: none, or not checked yet. */
  lastAt: number | undefined
  /** Attempts of this process that failed. */
  failures: number
  /** Longer than half an interval late. */
  isOverdue: boolean
}

/** Backups on a timer. */
export interface Backups {
  /** How often to look, in milliseconds. */
  readonly lookEveryMs: number
  /** Makes one if due, then removes surplus and old ones. Rejects when any of that fails. Call it on a schedule. */
  look(): Promise<void>
  state(): BackupState
}

interface BackupParts {
  plan: BackupPlan
  /** Distinguishes instances that share the folder. */
  instance: string
  clock: Pick<Clock, 'now'>
  log: Pick<Log, 'info'>
  write(order: BackupOrder): Promise<unknown>
}

/** An existing file, with the time in its name. */
interface Kept {
  name: string
  at: number
}

/** Milliseconds after a failure. */
const againMs = 600_000

/** The backup is written by the worker beside the database. */
export const writeBy =
  (worker: DatabaseWorker): BackupParts['write'] =>
  (payload) =>
    worker.call({ module: serverScript('store/schema-moves/backup-work'), name: 'backup', payload })

/** Nothing happens before the first look. */
export function createBackups({ plan, instance, clock, log, write }: BackupParts): Backups {
  const startedAt = clock.now()
  let lastAt: number | undefined
  let failures = 0
  /** After a failure: a full disk is not filled again at once. */
  let notBefore = Number.NEGATIVE_INFINITY

  async function make(): Promise<void> {
    const now = clock.now()
    const at = new Date(now).toISOString()
    const file = `${plan.folder}/${nameAt(at, instance)}`
    await makeOwnFolder(plan.folder)
    await write({ file, at })
    lastAt = now
    log.info({ file }, 'a backup was made')
  }

  return {
    lookEveryMs: Math.min(60_000, plan.everyMs),
    async look() {
      if (clock.now() < notBefore) return
      try {
        const kept = await backupsIn(plan.folder)
        lastAt = kept[0]?.at
        if (lastAt === undefined || clock.now() - lastAt >= plan.everyMs) await make()
        for (const { name } of tooMany(await backupsIn(plan.folder), plan, clock.now())) await removeFolder(`${plan.folder}/${name}`)
      } catch (thrown) {
        failures += 1
        notBefore = clock.now() + Math.min(againMs, plan.everyMs)
        throw thrown
      }
    },
    state: () => ({
      everyMs: plan.everyMs,
      lastAt,
      failures,
      isOverdue: clock.now() - (lastAt ?? startedAt) > 1.5 * plan.everyMs,
    }),
  }
}

/** The newest backup in a folder. Throws an Error of one line when there is none. */
export async function newestBackup(folder: string): Promise<string> {
  const [newest] = await backupsIn(folder)
  if (!newest) throw new Error(`there is no backup in ${folder}`)
  return `${folder}/${newest.name}`
}

/** Complete ones, the newest first. */
async function backupsIn(folder: string): Promise<Kept[]> {
  const found = (await namesIn(folder)).flatMap((name) => {
    const at = timeIn(name)
    return at === undefined ? [] : [{ name, at }]
  })
  return found.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
}

/** Which of them to remove; never the newest. Pure. */
export const tooMany = <K extends Pick<Kept, 'at'>>(
  kept: readonly K[],
  { keep, forMs }: Pick<BackupPlan, 'keep' | 'forMs'>,
  now: number,
): K[] => kept.filter(({ at }, n) => n > 0 && (n >= keep || now - at > forMs))

/** `parley-2026-11-23T23-00-00.000Z-4f2a81.backup`: no colon, which some file systems refuse. */
const nameAt = (at: string, instance: string) => `parley-${at.replaceAll(':', '-')}-${instance.slice(0, 6)}.backup`

function timeIn(name: string): number | undefined {
  const [, day, hour, minute, rest] = /^parley-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)-\w+\.backup$/.exec(name) ?? []
  const at = Date.parse(`${day}${hour}:${minute}:${rest}`)
  return Number.isNaN(at) ? undefined : at
}
