/** The checks of the books work: each invariant is violated once, in a database without its constraints. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { putUsageRow } from '#testing/usage-row'
import { wrongBooks } from './invariants.ts'

const faults: [rule: string, statement: string][] = [
  ['I1', `update accounts set free = free + 1 where id = 'w'`],
  ['I2', `update leases set held = amount + 1`],
  ['I3 nothing is overdrawn', `update accounts set free = -1 where id = 'w'`],
  ['I3 nothing is charged beyond its cost', `update logs set cost = charged - 1`],
  ['I4 a request has one row', `update logs set request_id = 'r'`],
  ['I6 what a row charges', `update logs set charged = charged + 1 where request_id = 'r'`],
  ['I6 what an entry took', `update logs set request_id = 'another' where request_id = 'r'`],
  ['I7', `update instances set state = 'closed'`],
  ['I8', `update accounts set free = free - 1 where id = 'b'`],
]

let base: Throwaway
beforeAll(async () => {
  base = await throwawayDatabase('embedded')
  const at = new Date(1_700_000_000_000)
  for (const prepare of [
    'alter table accounts drop constraint accounts_not_overdrawn',
    'alter table leases drop constraint leases_not_negative',
    `insert into accounts (id, free) values ('w', 90)`,
    `insert into accounts (id, kind, free, "limit", "of", of_id) values ('b', 'budget', 93, 100, 'user', 'w')`,
    `insert into instances (id, folder) values (1, 'f')`,
    `insert into leases (instance, account_id, amount) values (1, 'w', 3)`,
    `insert into entries (wallet_id, amount, kind, ref, actor, reason, at)
     values ('w', 100, 'grant', 'grant:w', 'x', 'y', now()), ('w', -7, 'usage', 'usage:r', 'x', 'y', now())`,
  ])
    await runSql(base.store, prepare)
  await putUsageRow(base.store, { requestId: 'r', at, userId: 'w', cost: 7n })
  await putUsageRow(base.store, { requestId: 's', at: new Date(at.getTime() + 1), userId: 'w' })
  await runSql(base.store, `update logs set charged = 7 where request_id = 'r'`)
}, 60_000)
afterAll(() => base.close())

test.each(faults)(
  '%s',
  async (rule, statement) => {
    expect(await wrongBooks(base.store)).toEqual([])
    // The embedded engine has one connection, so the check sees the uncommitted change; the rollback removes it.
    await runSql(base.store, 'begin')
    await runSql(base.store, statement)
    const found = (await wrongBooks(base.store)).map((wrong) => JSON.stringify(wrong))
    await runSql(base.store, 'rollback')
    expect(found.some((wrong) => wrong.includes(`"rule":"${rule}`))).toBe(true)
  },
  60_000,
)
