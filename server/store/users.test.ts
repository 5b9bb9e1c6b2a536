import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database'
import { runSql } from '#testing/tables'
import { createFirstAdmin, loadUsers, type UserRecord } from './users.ts'

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

describe.each([...engines])('users on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  test('of many who want to be the first administrator at the same moment, one is', async () => {
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
})
