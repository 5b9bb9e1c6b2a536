/** Backups on the thread beside the database, so that streams never wait for one. Called by `backups.ts`. */
import type { WorkPlace } from '#store/engine/worker-calls'
import { writeBackup } from './backup.ts'
import { withSnapshot } from './snapshot.ts'

/** The file to write, and its timestamp (RFC 3339). */
export interface BackupOrder {
  file: string
  at: string
}

/** On the embedded engine everything else waits until it ends. */
export const work = ({ db }: WorkPlace) => ({
  backup: ({ file, at }: BackupOrder): Promise<void> => withSnapshot(db, (snapshot) => writeBackup(file, snapshot, at)),
})
