/** What the books promise of leases, whatever runs at once, on both engines. The invariants are asked of the tables after every test. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import { findLog } from '#store/usage/logs'
import { wrongBooks } from '#testing/books/invariants'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { usageRow } from '#testing/usage-row'
import type { BookLine } from './book-line.ts'
import { closeInstance, missingInstances, numberForReplay, registerInstance } from './instances.ts'
import { isFenced, knowsWallets, linesNotInBooks, resyncLeases, type SyncCall, syncBooks } from './leases.ts'
import { type NewLog, openWallets, postGrant, readWallets } from './ledger.ts'

const at = new Date(1_700_000_000_000)
const row = (requestId: string, more: Partial<NewLog> = {}): NewLog => usageRow({ requestId, ...more })
const line = (requestId: string, account: string, owed: bigint, covered: bigint): BookLine => ({
  row: row(requestId, { cost: owed }),
  accounts: [account],
  owed,
  covered,
})

async function refused(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return false
  } catch (thrown) {
    return isFenced(thrown)
  }
}

describe.each([...engines])('leases on %s', (engine) => {
  let base: Throwaway
  let wallets = 0
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  async function wallet(amount: bigint): Promise<string> {
    const id = `w${++wallets}`
    await openWallets(base.store.db, [id])
    await postGrant(base.store.db, { walletId: id, amount, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at })
    return id
  }
  const call = (fields: Partial<SyncCall> & Pick<SyncCall, 'instance' | 'seq'>) =>
    syncBooks(base.store, { lines: [], own: [], ask: [], ...fields })
  const resynced = (instance: bigint, seq: bigint, acknowledged = 0n) =>
    resyncLeases(base.store, { instance, seq, acknowledged, folder: 'f' })
  const balance = async (id: string) => {
    const found = (await readWallets(base.store.db, [id])).get(id)
    return [found?.balance, found?.held]
  }
  const charged = async (id: string) =>
    returned<{ charged: string }>(await base.store.db.execute(sql`select charged::text as charged from logs where request_id = ${id}`))[0]
      ?.charged

  afterEach(async () => {
    expect(await wrongBooks(base.store)).toEqual([])
    // What a test makes the database lose pauses takes, which is the subject of `recoveries.test.ts`.
    await base.store.db.execute(sql`update recoveries set since = '-infinity', due = '{}'`)
    await base.store.db.execute(sql`update instances set telling = false`)
  })

  test('takes what is needed, up to what is wanted, and leaves half for others', async () => {
    const id = await wallet(1000n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    const first = await call({ instance, seq: 1n, ask: [[{ account: id, need: 10n, want: 50n }]] })
    expect(first.accounts.get(id)).toEqual({ leased: 50n, free: 950n })
    const live = BigInt(first.live)
    const second = await call({ instance, seq: 2n, ask: [[{ account: id, need: 10n, want: 5000n }]] })
    expect(second.accounts.get(id)?.leased).toBe(50n + 950n / (2n * live))
    const third = await call({ instance, seq: 3n, ask: [[{ account: id, need: 2000n, want: 2000n }]] })
    expect(third.accounts.get(id)?.leased).toBe(second.accounts.get(id)?.leased)
    expect(await call({ instance, seq: 4n, ask: [[{ account: 'nobody', need: 0n, want: 1n }]] })).toMatchObject({
      accounts: new Map(),
      refused: new Map([[0, 'nobody']]),
    })
    await closeInstance(base.store, instance)
    expect(await balance(id)).toEqual([1000n, 0n])
  })

  test('settles out of the lease once, and the rest out of what is free', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call({ instance, seq: 1n, ask: [[{ account: id, need: 60n, want: 60n }]] })
    const lines = [
      line(`${id}-a`, id, 20n, 20n),
      line(`${id}-b`, id, 70n, 30n),
      line(`${id}-c`, id, 70n, 10n),
      line(`${id}-a`, id, 20n, 20n),
    ]
    const answer = await call({ instance, seq: 2n, lines })
    expect(answer.accounts.get(id)).toMatchObject({ leased: 0n, free: 0n })
    expect(await Promise.all(['a', 'b', 'c'].map((name) => charged(`${id}-${name}`)))).toEqual(['20', '70', '10'])
    await call({ instance, seq: 3n, lines })
    expect(await balance(id)).toEqual([0n, 0n])
  })

  test('one wallet that cannot pay does not touch another of the same call', async () => {
    const [poor, rich] = [await wallet(10n), await wallet(1000n)]
    const instance = await registerInstance(base.store, { folder: 'f' })
    const ask = [[{ account: poor, need: 11n, want: 11n }], [{ account: rich, need: 11n, want: 11n }]]
    const answer = await call({ instance, seq: 1n, ask })
    expect([answer.accounts.get(poor)?.leased, answer.accounts.get(rich)?.leased]).toEqual([0n, 11n])
    const lines = [line(`${poor}-1`, poor, 30n, 0n), line(`${rich}-1`, rich, 30n, 11n)]
    await call({ instance, seq: 2n, lines })
    expect([await charged(`${poor}-1`), await charged(`${rich}-1`)]).toEqual(['10', '30'])
  })

  test('rows without a wallet, with text that the database cannot hold, and with everything in them', async () => {
    const instance = await registerInstance(base.store, { folder: 'f' })
    const full = row('odd', {
      model: 'a\0b\ud800',
      keyId: 'k',
      key: 'name',
      error: { code: 'c', message: 'm' },
      usage: JSON.parse('{"raw":{"x":"12"}}'),
      provenance: 'provider',
      losses: [{ field: 'f', what: 'dropped', reason: 'r' }],
      firstTokenMs: 3,
    })
    await call({ instance, seq: 1n, lines: [{ row: full, accounts: [], owed: 0n, covered: 0n }] })
    const found = await findLog(base.store, 'odd')
    expect(found).toEqual({
      ...full,
      model: 'a\uFFFDb\uFFFD',
      charged: 0n,
      upstreamModel: null,
      channel: null,
      price: null,
      upstreamCost: null,
      upstreamPrice: null,
      lines: null,
      memberId: null,
    } as typeof found)
  })

  test('a call that comes late, or comes after the end, does nothing', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call({ instance, seq: 5n, ask: [[{ account: id, need: 40n, want: 40n }]] })
    expect(await resynced(instance, 7n, 5n)).toEqual({ forgot: false, leases: new Map([[id, 40n]]) })
    expect(await refused(call({ instance, seq: 6n, own: [{ account: id, back: 40n, held: 0n }] }))).toBe(true)
    expect(await balance(id)).toEqual([100n, 0n])
    expect(await closeInstance(base.store, instance, 60_000)).toBe(false)
    expect(await missingInstances(base.store, 60_000)).not.toContain(instance)
    expect(await closeInstance(base.store, instance)).toBe(true)
    expect(await closeInstance(base.store, instance)).toBe(false)
    expect(await resynced(instance, 8n, 7n)).toEqual({ forgot: false, leases: undefined })
    expect(await refused(call({ instance, seq: 9n }))).toBe(true)
    expect(await balance(id)).toEqual([100n, 0n])
  })

  test('what an instance has on lease that is not seen any more cannot be spent, and is told as held', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call({ instance, seq: 1n, ask: [[{ account: id, need: 40n, want: 40n }]] })
    await call({ instance, seq: 2n, own: [{ account: id, back: 0n, held: 10n }] })
    expect(await balance(id)).toEqual([100n, 10n])
    await base.store.db.execute(sql`update instances set seen = clock_timestamp() - interval '2 minutes' where id = ${instance}`)
    expect(await balance(id)).toEqual([100n, 40n])
    await closeInstance(base.store, instance)
    expect(await balance(id)).toEqual([100n, 0n])
  })

  test('a database that has lost commits reports that, and does nothing', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call({ instance, seq: 5n, ask: [[{ account: id, need: 40n, want: 40n }]] })
    expect(await refused(call({ instance, seq: 7n, acknowledged: 6n, lines: [line(`${id}-1`, id, 30n, 30n)] }))).toBe(true)
    expect(await charged(`${id}-1`)).toBeUndefined()
    expect(await resynced(instance, 8n, 6n)).toEqual({ forgot: true, leases: new Map([[id, 40n]]) })
    await call({ instance, seq: 9n, acknowledged: 8n, lines: [line(`${id}-1`, id, 30n, 30n)] })
    expect(await charged(`${id}-1`)).toBe('30')
    const lost = 12_345_678_901n
    expect(await resynced(lost, 3n, 2n)).toEqual({ forgot: true, leases: undefined })
    expect(await resynced(lost, 4n)).toEqual({ forgot: false, leases: undefined })
    await call({ instance: lost, seq: 5n, replay: true, lines: [line(`${id}-2`, id, 30n, 30n)] })
    expect(await charged(`${id}-2`)).toBe('30')
    await closeInstance(base.store, instance)
    expect(await balance(id)).toEqual([40n, 0n])
  })

  test('lines without a usage row are distinguished from the others', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    const [one, two] = [line(`${id}-1`, id, 1n, 0n), line(`${id}-2`, id, 1n, 0n)]
    await call({ instance, seq: 1n, lines: [one] })
    expect(await linesNotInBooks(base.store, [one, two])).toEqual([two])
    expect(await linesNotInBooks(base.store, [])).toEqual([])
    expect(await knowsWallets(base.store, [line('x', 'nobody', 1n, 0n)])).toBe(false)
    expect(await knowsWallets(base.store, [line('x', 'nobody', 1n, 0n), one])).toBe(true)
    expect(await knowsWallets(base.store, [])).toBe(true)
    await closeInstance(base.store, instance)
  })

  test('what an earlier run left is settled out of its lease, or out of what is free when that is gone', async () => {
    const id = await wallet(100n)
    const instance = await registerInstance(base.store, { folder: 'f' })
    await call({ instance, seq: 1n, ask: [[{ account: id, need: 40n, want: 40n }]] })
    const seq = await numberForReplay(base.store, instance)
    if (seq === undefined) throw new Error('no such instance')
    expect(seq).toBeGreaterThan(1n)
    await call({ instance, seq: seq + 1n, replay: true, lines: [line(`${id}-1`, id, 30n, 30n)] })
    expect(await balance(id)).toEqual([70n, 0n])
    await closeInstance(base.store, instance)
    const late = [line(`${id}-1`, id, 30n, 30n), line(`${id}-2`, id, 80n, 80n)]
    await call({ instance, seq: seq + 2n, replay: true, lines: late })
    expect(await charged(`${id}-2`)).toBe('70')
    expect(await balance(id)).toEqual([0n, 0n])
  })

  test('lanes and sweeps at once: no deadlock, every sum right', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => wallet(100_000n)))
    const random = seeded(7)
    const pick = () => ids[random.below(ids.length)] ?? ''
    async function lane(name: string): Promise<void> {
      const instance = await registerInstance(base.store, { folder: 'f' })
      for (let seq = 1n; seq <= 40n; seq++) {
        const [a, b, c] = [pick(), pick(), pick()]
        const known = (await resynced(instance, seq * 2n)).leases ?? new Map<string, bigint>()
        const covered = known.get(a) ?? 0n
        const own = b === a ? [] : [{ account: b, back: known.get(b) ?? 0n, held: 0n }]
        const lines = [line(`${name}-${seq}`, a, covered + 3n, covered)]
        await call({ instance, seq: seq * 2n + 1n, lines, own, ask: [[{ account: c, need: 7n, want: 90n }]] })
      }
      await closeInstance(base.store, instance)
    }
    // The embedded engine has one session: more lanes would only wait.
    await Promise.all(Array.from({ length: engine === 'embedded' ? 2 : 8 }, (_, index) => lane(`${engine}-${index}`)))
  }, 60_000)
})
