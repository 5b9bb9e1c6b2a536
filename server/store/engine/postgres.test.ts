import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { settings } from '#db/schema'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { engines, throwawayDatabase } from '#testing/database/database'
import { knownMigrations, migrate } from './migrate.ts'
import { openStore } from './open.ts'
import { returned } from './rows.ts'

/** A second store on the same database, through a wire that can be cut and mended. */
async function neighbour(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const listener = (client: Socket) => {
    const server = dial(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  }
  const listen = (port: number) =>
    new Promise<Server>((resolve) => {
      const server: Server = createServer(listener).listen(port, '127.0.0.1', () => resolve(server))
    })
  let server = await listen(0)
  const { port } = server.address() as { port: number }
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const url = Object.assign(new URL(databaseUrl), { port: String(port) }).href
  const store = await openStore({ databaseUrl: url, dataFolder: folder, clock, random })
  return {
    store,
    cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
    async mend() {
      server = await listen(port)
    },
    async close() {
      await store.close()
      server.close()
      for (const socket of sockets) socket.destroy()
      await rm(folder, { recursive: true })
    },
  }
}

async function until(true_: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await true_()) return
    await clock.sleep(25)
  }
  throw new Error('it never came')
}

describe.if(engines.includes('postgres'))('two stores on one PostgreSQL database', () => {
  test('receive each other’s changes and not their own, whatever the id looks like', async () => {
    const base = await throwawayDatabase('postgres')
    const other = await neighbour(base.databaseUrl ?? '')
    const heard: string[] = []
    base.store.changes.subscribe('prices', async (id) => void heard.push(`base ${id}`))
    other.store.changes.subscribe('prices', async (id) => void heard.push(`other ${id}`))
    await base.store.changes.publish('prices', 'meta/llama:3 "ü"')
    await base.store.changes.publish('groups', 'nobody listens')
    await other.store.changes.publish('prices', 'back')
    await until(() => heard.length >= 4)
    await clock.sleep(100)
    expect(heard.sort()).toEqual(['base back', 'base meta/llama:3 "ü"', 'other back', 'other meta/llama:3 "ü"'])
    await other.close()
    await base.close()
  }, 60_000)

  test('a cut connection is books_unavailable, and comes back by itself with everything read again', async () => {
    const base = await throwawayDatabase('postgres')
    const other = await neighbour(base.databaseUrl ?? '')
    const heard: (string | undefined)[] = []
    other.store.changes.subscribe('settings', async (id) => void heard.push(id))
    other.cut()
    for (const attempt of [
      () => other.store.db.select().from(settings),
      () => other.store.db.execute(sql`select 1`),
      () => other.store.db.transaction((tx) => tx.select().from(settings)),
    ]) {
      expect(await Promise.resolve(attempt()).catch((thrown: unknown) => thrown)).toMatchObject({
        code: 'books_unavailable',
        retryAfter: 1,
      })
    }
    expect(await other.store.alive(500)).toBe(false)
    await other.mend()
    await until(() => other.store.alive(500))
    await until(() => heard.includes(undefined))
    await base.store.changes.publish('settings', 'after')
    await until(() => heard.includes('after'))
    await other.close()
    await base.close()
  }, 60_000)
})

test.if(engines.includes('postgres'))(
  'a migration that waits for a report lets everybody else pass, and comes again',
  async () => {
    const base = await throwawayDatabase('postgres')
    const { db } = base.store
    const [reads, over, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const report = db.transaction(async (tx) => {
      await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`)
      await tx.execute(sql`select count(*) from settings`)
      reads.resolve()
      await over.promise
    })
    await reads.promise
    const known = knownMigrations()
    const next = {
      sql: ['alter table settings add column note text'],
      folderMillis: (known.at(-1)?.folderMillis ?? 0) + 1,
      hash: 'h',
      bps: true,
    }
    const migrated = migrate(db, () => {}, [...known, next], {
      async sleep() {
        asked.resolve()
        await over.promise
      },
    })
    const waits = () => db.execute(sql`select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'`)
    while (returned(await waits()).length === 0);
    // Later queries wait behind the migration as long as it waits; rejected when that exceeds the query timeout.
    await db.select().from(settings)
    await asked.promise
    over.resolve()
    await report
    await migrated
    expect(returned(await db.execute(sql`select note from settings`))).toEqual([])
    await base.close()
  },
  60_000,
)
