/** `kill -9` at random moments under load, on both engines: every answer is in the books once, and nothing is left out on lease. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock as clock, systemDice as dice } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { missingInstances } from '#store/leases'
import { openWallet, postGrant, readWallets } from '#store/ledger'
import { openStore } from '#store/open'
import type { Store } from '#store/store'
import { chargesIn, wrongBooks } from '#testing/books-checks'
import { engines, throwawayDatabase } from '#testing/database'
import { seeded } from '#testing/seeded'
import { openLeasedBooks } from './leased-books.ts'

const script = join(import.meta.dirname, '../testing/books-run.ts')
const wallets = ['w1', 'w2', 'w3']
const credit = 60_000n

interface Heard {
  done: Map<string, bigint>
  progress: Map<string, bigint>
}

/** Runs it, kills it `ms` after it is ready, and notes what it had said. */
async function life(args: string[], ms: number, heard: Heard): Promise<void> {
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  let text = ''
  let killed: Promise<void> | undefined
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    text += decoder.decode(bytes, { stream: true })
    if (!killed && text.includes('ready')) killed = clock.sleep(ms).then(() => child.kill('SIGKILL'))
  }
  await child.exited
  for (const [, what, id = '', cost = '0'] of text.matchAll(/^(done|progress) (\w+) (\d+)$/gm)) {
    if (what === 'done') heard.done.set(id, BigInt(cost))
    else heard.progress.set(id, BigInt(cost))
  }
}

async function replayed(store: Store, folder: string): Promise<void> {
  const books = await openLeasedBooks({
    store,
    clock,
    dice,
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

async function check(store: Store, heard: Heard): Promise<void> {
  expect(await wrongBooks(store)).toEqual([])
  const charged = await chargesIn(store)
  const wrong = [...heard.done].filter(([id, cost]) => charged.get(id) !== cost)
  expect(wrong).toEqual([])
  const lost = [...heard.progress].filter(([id]) => !charged.has(id))
  expect(lost).toEqual([])
  for (const [id, { balance, held }] of await readWallets(store.db, wallets)) expect([id, held, balance >= 0n]).toEqual([id, 0n, true])
  expect(await missingInstances(store, 0)).toEqual([])
}

describe.each([...engines])('kill -9 on %s', (engine) => {
  test('every answer is in the books once', async () => {
    const base = await throwawayDatabase(engine)
    const random = seeded(11)
    const heard: Heard = { done: new Map(), progress: new Map() }
    for (const id of wallets) {
      await openWallet(base.store.db, id)
      const posting = { ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
      await postGrant(base.store.db, { walletId: id, amount: credit, ...posting })
    }
    const url = base.databaseUrl ?? ''
    // The embedded engine has one process at a time, and it must be ours to look at only at the end.
    const folders = engine === 'embedded' ? [base.folder] : ['a', 'b'].map((name) => join(base.folder, name))
    if (engine === 'embedded') await base.store.close()
    const lives = engine === 'embedded' ? 4 : 6
    async function livesOf(folder: string): Promise<void> {
      for (let n = 0; n < lives; n++) {
        await life([folder, url, n % 2 === 0 ? '0' : '60000', String(n), ...wallets], 100 + random.below(500), heard)
      }
    }
    await Promise.all(folders.map(livesOf))
    const store = engine === 'embedded' ? await openStore({ dataFolder: base.folder, clock, dice }) : base.store
    for (const folder of folders) await replayed(store, folder)
    expect(heard.done.size).toBeGreaterThan(100)
    expect(heard.progress.size).toBeGreaterThan(heard.done.size)
    await check(store, heard)
    if (store !== base.store) await store.close()
    await base.close()
  }, 120_000)
})
