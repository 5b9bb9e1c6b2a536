import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { outOfRange, sqlState } from '#store/engine/sql-state'
import { registerInstance } from '#store/ledger/instances'
import { syncBooks } from '#store/ledger/leases'
import { readWallets } from '#store/ledger/ledger'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { createFirstAdmin, createUser, loadUsers, postCredit, type UserRecord } from './users.ts'

const admin = (name: string): UserRecord => ({
  id: `id-${name}`,
  name,
  role: 'admin',
  passwordHash: 'a hash',
  group: 'default',
  groups: ['default'],
  budget: null,
  limits: null,
  enabled: true,
  managed: 'console',
  createdAt: new Date(1_700_000_000_000),
})

describe.each(sampledEngines(import.meta.file))('users on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  test('of many concurrent attempts to be the first administrator, one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      await runSql(base.store, 'truncate users cascade')
      const made = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => createFirstAdmin(base.store, { user: admin(name) })))
      expect(made.filter(Boolean).length).toBe(1)
      expect((await loadUsers(base.store)).length).toBe(1)
    }
  })
  test('an administrator who cannot sign in is not the first', async () => {
    await runSql(base.store, 'truncate users cascade')
    await createFirstAdmin(base.store, { user: { ...admin('mute'), passwordHash: null } })
    expect(await createFirstAdmin(base.store, { user: admin('speaking') })).toBe(true)
    expect(await createFirstAdmin(base.store, { user: admin('late') })).toBe(false)
  })
  test('a wallet takes no more than it can hold, what is on lease included', async () => {
    const { store } = base
    await runSql(store, 'truncate users cascade')
    const { id } = admin('rich')
    const grant = (amount: bigint) => ({ amount, actor: 'a', reason: 'r', at: new Date(1_700_000_000_000) })
    const most = 2n ** 63n - 1n
    await createUser(store, { user: admin('rich'), opening: grant(most - 10n) })
    const instance = await registerInstance(store, { folder: 'f' })
    await syncBooks(store, { instance, seq: 1n, lines: [], own: [], ask: [[{ account: id, need: 1_000n, want: 1_000n }]] })
    const credit = async (amount: bigint) => {
      try {
        return await postCredit(store, id, `k${amount}`, grant(amount), async () => {})
      } catch (thrown) {
        return sqlState(thrown)
      }
    }
    expect(await credit(11n)).toBe(outOfRange)
    expect(await credit(10n)).toBe('posted')
    expect((await readWallets(store.db, [id])).get(id)?.balance).toBe(most)
    expect(await credit(1n)).toBe(outOfRange)
  })
})
