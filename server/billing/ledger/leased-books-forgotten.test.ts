/** A database that forgets its last commits, as after a failover or a power cut: what the journals still have is in the books again. */
import { afterEach, describe, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { createLog } from '#runtime/log'
import { openStore } from '#store/engine/open'
import type { Store } from '#store/engine/store'
import { openWallets, postGrant, readWallets } from '#store/ledger/ledger'
import { chargesIn, leasedOf, wrongBooks } from '#testing/books/invariants'
import { codeOf } from '#testing/books/test-books'
import { engines, sampledEngines, throwawayDatabase } from '#testing/database/database'
import { ownPostgresServer } from '#testing/database/postgres-server'
import { cuttable } from '#testing/upstream/cuttable'
import { usageRow } from '#testing/usage-row'
import { type LeasedBooks, openLeasedBooks } from './leased-books.ts'

const credit = 1_000_000n
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
}, 30_000)

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  undo.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const openBooks = (store: Store, folder: string): Promise<LeasedBooks> =>
  openLeasedBooks({
    ...{ store, clock, random, log: createLog('silent'), folder: `${folder}/journal`, installation: folder },
    ...{ fsync: 'never', maxBytes: 64 * 1024 * 1024, coverMs: 60_000, writeOffMs: 86_400_000, settleWaits: false },
  })

async function grant({ db }: Store, id: string): Promise<void> {
  await openWallets(db, [id])
  await postGrant(db, { walletId: id, amount: credit, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) })
}

/** Holds for a request; if the database does not answer in time, as on a busy machine, it is refused and sent again. */
async function held(books: LeasedBooks, id: string, amount: bigint): Promise<void> {
  let code = ''
  for (let tries = 0; tries < 100; tries++) {
    if (tries > 0) await clock.sleep(100)
    code = await codeOf(books.hold(id, [{ id: 'w' }], amount))
    if (code !== 'books_unavailable') break
  }
  expect(code).toBe('ok')
}

/** Requests of the wallet `w`, and what each is to cost. */
function createCustomer() {
  const costs = new Map<string, bigint>()
  let asked = 0
  return {
    costs,
    async request(books: LeasedBooks): Promise<void> {
      const [id, cost] = [`r${++asked}`, BigInt(asked)]
      await held(books, id, 1000n)
      costs.set(id, cost)
      await books.settle(usageRow({ requestId: id, cost }))
    },
  }
}

async function check(store: Store, costs: ReadonlyMap<string, bigint>): Promise<void> {
  expect(await wrongBooks(store)).toEqual([])
  expect(new Map([...(await chargesIn(store))].sort())).toEqual(new Map([...costs].sort()))
  const spent = [...costs.values()].reduce((sum, cost) => sum + cost, 0n)
  expect((await readWallets(store.db, ['w'])).get('w')?.balance).toBe(credit - spent)
}

/** Waits until everything is in the database: a flush fails while a new instance is being registered, or when it takes too long. */
async function flushed(books: LeasedBooks): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await books.flush()) return
    await clock.sleep(100)
  }
  throw new Error('the books could not be flushed')
}

describe.each(sampledEngines(import.meta.file))('before a start on %s', (engine) => {
  test.each(['in order', 'by kill'])(
    'the run before it ended %s: everything it had is written again',
    async (end) => {
      const base = await throwawayDatabase(engine)
      undo.push(base.close)
      const embedded = join(base.folder, 'pglite')
      const [folder, before] = [await newFolder(), join(await newFolder(), 'pglite')]
      const customer = createCustomer()
      await grant(base.store, 'w')
      const first = await openBooks(base.store, folder)
      for (let n = 0; n < 30; n++) await customer.request(first)
      await first.close()
      await base.store.close()
      if (engine === 'embedded') await cp(embedded, before, { recursive: true })

      const open = (databaseUrl = base.databaseUrl) =>
        openStore({ ...(databaseUrl !== undefined && { databaseUrl }), dataFolder: base.folder, clock, random })
      const doomed = await open()
      const second = await openBooks(doomed, folder)
      for (let n = 0; n < 250; n++) await customer.request(second)
      await flushed(second)
      expect((await chargesIn(doomed)).size).toBe(280)
      if (end === 'in order') await second.close()
      else {
        await held(second, 'open', 1000n)
        second.progress(usageRow({ requestId: 'open', cost: 7n, end: 'cut' }))
        customer.costs.set('open', 7n)
        undo.push(() => second.close())
      }
      await doomed.close()

      // The embedded database is what it was; the other has forgotten everything but the wallet.
      const other = engine === 'postgres' ? await throwawayDatabase('postgres') : undefined
      if (other) {
        undo.push(other.close)
        await grant(other.store, 'w')
      } else {
        await rm(embedded, { recursive: true })
        await cp(before, embedded, { recursive: true })
      }
      const store = await open(other?.databaseUrl)
      undo.push(() => store.close())
      const third = await openBooks(store, folder)
      await check(store, customer.costs)
      await customer.request(third)
      await third.close()
      await check(store, customer.costs)
      expect(await leasedOf(store, 'w')).toBe(0n)
    },
    120_000,
  )
})

test.if(engines.includes('postgres'))(
  'a failover under load: instances that the new server knows less of, or nothing at all, write everything again and go on',
  async () => {
    const server = await ownPostgresServer()
    if (!server) return console.warn('A failover is not tested: the run was given a server, and there are no binaries.')
    const way = await cuttable(server.url)
    undo.push(way.cut)
    const connect = async (databaseUrl: string) => {
      const store = await openStore({ databaseUrl, dataFolder: await newFolder(), clock, random })
      undo.push(() => store.close())
      return store
    }
    const customer = createCustomer()
    const old = await connect(way.url)
    await grant(old, 'w')
    const known = await openBooks(old, await newFolder())
    undo.push(() => known.close())
    for (let n = 0; n < 50; n++) await customer.request(known)
    await flushed(known)

    const copy = await server.copy()
    const unknown = await openBooks(await connect(way.url), await newFolder())
    undo.push(() => unknown.close())
    for (let n = 0; n < 300; n++) await customer.request(n % 2 === 0 ? known : unknown)
    await held(known, 'long', 5000n)
    await held(unknown, 'lost', 5000n)
    await flushed(known)
    await flushed(unknown)
    expect((await chargesIn(old)).size).toBe(350)

    await way.cut()
    way.turnTo(copy)
    await way.mend()
    for (const books of [known, unknown]) {
      let code = ''
      for (let tries = 0; tries < 200; tries++) {
        code = await codeOf(customer.request(books))
        await clock.sleep(code === 'ok' ? 0 : 50)
      }
      expect(code).toBe('ok')
    }
    for (const [books, requestId] of [
      [known, 'long'],
      [unknown, 'lost'],
    ] as const) {
      await books.settle(usageRow({ requestId, cost: 4000n }))
      customer.costs.set(requestId, 4000n)
    }
    await flushed(known)
    await flushed(unknown)
    await Promise.all([known.close(), unknown.close()])
    const store = await connect(copy)
    await check(store, customer.costs)
    expect(await leasedOf(store, 'w')).toBe(0n)
  },
  120_000,
)
