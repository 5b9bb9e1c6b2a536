/**
 * L-6, L-9: `kill -9` at random moments under load, of one process on the embedded engine and of four on PostgreSQL. Every answer is
 * in the books once, and nothing is left out on lease. A deep run has three hundred kills, and met every state of a request.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/engine/open'
import type { Store } from '#store/engine/store'
import { missingInstances } from '#store/ledger/instances'
import { openWallets, postGrant, readWallets } from '#store/ledger/ledger'
import { chargesIn, wrongBooks } from '#testing/books/invariants'
import { type ClientRecord, createKiller, killStates } from '#testing/books/kills'
import { engines, throwawayDatabase } from '#testing/database/database'
import { isDeep, runSeed } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { openLeasedBooks } from './leased-books.ts'

const wallets = ['w1', 'w2', 'w3']
const credit = 400_000n
const killer = createKiller()
/** Kills of each process. The embedded engine takes a second to start, and is let off with fewer. */
const deepPlan = engines.includes('postgres') ? { embedded: [12], postgres: [72, 72, 72, 72] } : { embedded: [30], postgres: [] }
const plan = isDeep ? deepPlan : { embedded: [2], postgres: [4, 2, 2, 2] }

async function replayed(store: Store, folder: string): Promise<void> {
  const books = await openLeasedBooks({
    store,
    clock,
    random,
    log: createLog('silent'),
    folder: `${folder}/journal`,
    installation: folder,
    fsync: 'never',
    maxBytes: 1024 * 1024,
    coverMs: 0,
    writeOffMs: 86_400_000,
    settleWaits: true,
  })
  await books.close()
}

async function check(store: Store, heard: ClientRecord): Promise<void> {
  expect(await wrongBooks(store)).toEqual([])
  const charged = await chargesIn(store)
  const mine = (ids: Iterable<string>) => [...ids]
  const owed = (id: string) => (heard.releasing.has(id) ? 0n : (heard.progress.get(id) ?? 0n))
  expect(mine(heard.progress.keys()).filter((id) => (charged.get(id) ?? -1n) < owed(id))).toEqual([])
  expect(mine(heard.refused).filter((id) => charged.get(id) !== 0n)).toEqual([])
  for (const [id, { balance, held }] of await readWallets(store.db, wallets)) expect([id, held, balance >= 0n]).toEqual([id, 0n, true])
  expect(await missingInstances(store, 0)).toEqual([])
}

describe.each([...engines])('kill -9 on %s', (engine) => {
  test('L-6, L-9 every answer is in the books once', async () => {
    const base = await throwawayDatabase(engine)
    const seededRandom = seeded(runSeed * 20 + (engine === 'embedded' ? 11 : 12))
    const mine = createKiller()
    for (const id of wallets) {
      await openWallets(base.store.db, [id])
      const posting = { ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
      await postGrant(base.store.db, { walletId: id, amount: credit, ...posting })
    }
    // The embedded engine has one process at a time, and is ours to look at only at the end.
    const tables = engine === 'embedded' ? undefined : base.store
    if (engine === 'embedded') await base.store.close()
    const folders = plan[engine].map((kills, n) => ({ kills, folder: tables ? join(base.folder, `${n}`) : base.folder }))
    async function lives({ kills, folder }: { kills: number; folder: string }): Promise<void> {
      for (let n = 0; n < kills; n++) {
        const args = [base.databaseUrl ?? '', n % 3 === 0 ? '0' : '60000', `${seededRandom.below(1_000_000)}`, '0', ...wallets]
        // The journals of all runs of the hour are looked through, so that the last one's turn comes sooner or later.
        if (n % 8 === 3) await mine.kill(folder, args, 'replaying', seededRandom.below(13) ** 2, tables)
        else if (n % 8 === 7) await mine.kill(folder, args, 'replayed', seededRandom.below(4), tables)
        else if (n % 4 === 2) await mine.kill(folder, args, 'ready', seededRandom.below(40), tables)
        else await mine.kill(folder, args, 'done', seededRandom.below(80), tables)
      }
    }
    await Promise.all(folders.map(lives))
    const store = tables ?? (await openStore({ dataFolder: base.folder, clock, random }))
    for (const { folder } of folders) await replayed(store, folder)
    for (const [state, count] of mine.counts) killer.counts.set(state, (killer.counts.get(state) ?? 0) + count)
    console.log(
      `${engine}: ${mine.kills()} kills, ${mine.acknowledged.done.size} answers; ${JSON.stringify(Object.fromEntries(mine.counts))}`,
    )
    expect(mine.acknowledged.done.size).toBeGreaterThan(mine.kills())
    expect(mine.kills()).toBe(folders.reduce((sum, { kills }) => sum + kills, 0))
    await check(store, mine.acknowledged)
    if (store !== base.store) await store.close()
    await base.close()
  }, 300_000)
})

afterAll(() => {
  const never = killStates.filter((state) => killer.counts.get(state) === 0)
  if (isDeep && engines.includes('postgres') && never.length > 0) throw new Error(`no kill met: ${never.join(', ')}`)
})
