/** The one database under all simulated processes: the embedded engine with the schema of this build, reused by every schedule. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import { type Clock, systemClock } from '#runtime/clock'
import { createChanges } from '#store/engine/changes'
import { EmbeddedClient } from '#store/engine/embedded-client'
import { guard } from '#store/engine/guard'
import type { Store } from '#store/engine/store'
import { embeddedTemplate } from '#testing/database/embedded-template'
import { runSql } from '#testing/database/tables'

/** The part of the client that the driver uses. */
export type Client = Pick<EmbeddedClient, 'query' | 'transaction'>

export interface Ground {
  client: Client
  /** Bypasses the simulated network. */
  store: Store
  /** For journals. */
  folder: string
  /** Deletes every account, instance and row. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** An empty database for simulations. */
export async function openGround(): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  await cp(await embeddedTemplate(), join(folder, 'pglite'), { recursive: true })
  const client = new EmbeddedClient()
  await client.open(join(folder, 'pglite'))
  const { store } = storeOver(client, systemClock)
  return {
    client,
    store,
    folder,
    async clear() {
      // Entries are append-only, but not here and now.
      await runSql(store, `set session_replication_role = replica`)
      await runSql(store, 'truncate entries, logs, leases, accounts, instances, usage_hours, usage_marks')
      await runSql(store, `set session_replication_role = default`)
    },
    close: () => client.close().finally(() => rm(folder, { recursive: true, force: true })),
  }
}

/** A store above this client. `announce` tells the others; `heard` is what they tell. */
export function storeOver(client: Client, clock: Clock, announce?: (topic: string, id: string) => Promise<void>) {
  const changes = createChanges({ clock, log: () => {}, ...(announce && { announce }) })
  const store: Store = {
    // The driver's type asks for a whole PGlite; it calls `query` and `transaction`.
    db: guard(drizzle(client as unknown as PGlite, { schema })),
    engine: 'embedded',
    changes,
    signals: changes.signals,
    alive: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
  return { store, heard: changes.heard }
}
