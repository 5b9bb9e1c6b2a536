/** The one database under all simulated processes: the embedded engine with the schema of this build, reused by every schedule. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import type { User } from '#accounts/caller'
import { type Directory, openDirectory } from '#accounts/directory'
import * as schema from '#db/schema'
import { type Clock, systemClock } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import { createChanges } from '#store/engine/changes'
import { EmbeddedClient } from '#store/engine/embedded-client'
import { guard } from '#store/engine/guard'
import type { Store } from '#store/engine/store'
import { putEmbeddedDatabase } from '#testing/database/embedded-template'
import { runSql } from '#testing/database/tables'

/** The part of the client that the driver uses. */
export type Client = Pick<EmbeddedClient, 'query' | 'transaction'>

/** The database and its store. */
export interface BooksDatabase {
  client: Client
  /** Bypasses the simulated network. */
  store: Store
  /** Rows in memory, of which simulations need none. */
  directory: Directory
  /** Redeems codes. */
  user: User & Actor
  /** For journals. */
  folder: string
  /** Deletes every account, instance and row. */
  clear(): Promise<void>
  close(): Promise<void>
}

const bare = { createdAt: new Date(0), budget: null, limits: null } as const

/** Opens an empty database for simulations. */
export async function openBooksDatabase(): Promise<BooksDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await putEmbeddedDatabase(folder)
  const client = new EmbeddedClient()
  await client.open(join(folder, 'pglite'))
  const { store } = storeOver(client, systemClock)
  return {
    client,
    store,
    directory: await openDirectory(store),
    user: { ...{ id: '', name: '', role: 'user', group: 'default', groups: ['default'], enabled: true, managed: 'console' }, ...bare },
    folder,
    async clear() {
      // Entries are append-only; replica mode disables the triggers that enforce it.
      await runSql(store, `set session_replication_role = replica`)
      await runSql(
        store,
        'truncate entries, logs, leases, accounts, instances, usage_hours, usage_marks, usage_parts, usage_rollups, usage_rollup_marks, codes, audit',
      )
      await runSql(store, `set session_replication_role = default`)
      await runSql(store, `update recoveries set since = '-infinity', due = '{}'`)
    },
    close: () => client.close().finally(() => rm(folder, { recursive: true, force: true })),
  }
}

/** A store on this client. `announce` notifies the other processes; `received` takes their notifications. */
export function storeOver(client: Client, clock: Clock, announce?: (topic: string, id: string) => Promise<void>) {
  const changes = createChanges({ clock, log: () => {}, ...(announce && { announce }) })
  const store: Store = {
    // The driver's type requires a whole PGlite, but it only calls `query` and `transaction`.
    db: guard(drizzle(client as unknown as PGlite, { schema })),
    engine: 'embedded',
    changes,
    signals: changes.signals,
    alive: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
  return { store, received: changes.received }
}
