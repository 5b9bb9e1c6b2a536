/** Backups on a timer, by the program's settings. */
import { systemClock as clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { type Backups, createBackups, writeBy } from '#store/schema-moves/backups'
import type { Config } from './config.ts'

/** Undefined where none are configured. */
export function backupsOf(config: Config, { worker }: Store, instance: string, log: Log): Backups | undefined {
  const { backupFolder: folder, backupEveryMs: everyMs, backupsKept: keep, backupsForMs: forMs } = config
  if (folder === undefined || !worker) return undefined
  return createBackups({ plan: { folder, everyMs, keep, forMs }, instance, clock, log, write: writeBy(worker) })
}
