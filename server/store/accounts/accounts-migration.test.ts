/** The migration from wallets and holds to accounts, on a database with rows in it, on both engines. */
import { describe, expect, test } from 'bun:test'
import { knownMigrations, migrate } from '#store/engine/migrate'
import { readWallets } from '#store/ledger/ledger'
import { wrongBooks } from '#testing/books/invariants'
import { engines, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'

describe.each([...engines])('from wallets to accounts on %s', (engine) => {
  test('balances stay, what open holds had set aside is free again, leases stay on lease', async () => {
    const base = await throwawayDatabase(engine)
    const { db } = base.store
    for (const statement of ['drop schema drizzle cascade', 'drop schema public cascade', 'create schema public'])
      await runSql(base.store, statement)
    const known = knownMigrations()
    const before = known.findIndex(({ sql }) => sql.some((text) => text.includes('DROP TABLE "holds"')))
    await migrate(db, () => {}, known.slice(0, before))
    for (const statement of [
      `insert into wallets (id, balance, held) values ('a', 1000, 750), ('b', 0, 0)`,
      `insert into holds (id, wallet_id, amount, instance, opened_at) values ('r', 'a', 700, 'i', now())`,
      `insert into entries (wallet_id, amount, kind, ref, actor, reason, at) values ('a', 1000, 'grant', 'grant:a', 'x', 'y', now())`,
      `insert into instances (folder) values ('f')`,
      `insert into leases (instance, wallet_id, amount) values (1, 'a', 50)`,
    ])
      await runSql(base.store, statement)
    await migrate(db, () => {}, known)
    expect(await readWallets(db, ['a', 'b'])).toEqual(
      new Map([
        ['a', { id: 'a', balance: 1000n, held: 0n }],
        ['b', { id: 'b', balance: 0n, held: 0n }],
      ]),
    )
    expect(await db.query.accounts.findMany({ columns: { id: true, free: true }, orderBy: (accounts) => accounts.id })).toEqual([
      { id: 'a', free: 950n },
      { id: 'b', free: 0n },
    ])
    expect(await wrongBooks(base.store)).toEqual([])
    await base.close()
  }, 60_000)
})
