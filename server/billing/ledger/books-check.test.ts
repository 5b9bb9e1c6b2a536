/** The check of the books: right books are exact, and each kind of fault, planted, is named. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeLine } from '#billing/journal/journal-line'
import { booksPlace, here, type Place } from '#testing/books/test-books'
import { engines } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { usageRow } from '#testing/usage-row'
import { checkBooks } from './books-check.ts'

/** Statements that plant a fault, and how the check names it. `undo`: the repair. */
const plants: Record<string, { plant: string[]; undo: string[]; part: string; rule: RegExp; what: RegExp }> = {
  'a balance that is not the sum of its entries': {
    plant: [`update accounts set free = free + 1 where id = 'w1'`],
    undo: [`update accounts set free = free - 1 where id = 'w1'`],
    ...{ part: 'ledger', rule: /^I1 a balance/, what: /^w1$/ },
  },
  'an entry without its row': {
    plant: [
      `insert into entries (wallet_id, amount, kind, ref, actor, reason, at) values ('w1', -5, 'usage', 'usage:ghost', 'k', 'r', now())`,
      `update accounts set free = free - 5 where id = 'w1'`,
    ],
    undo: [`delete from entries where ref = 'usage:ghost'`, `update accounts set free = free + 5 where id = 'w1'`],
    ...{ part: 'rows', rule: /^I6 what an entry took/, what: /ghost/ },
  },
  'a row that charges what no entry took': {
    plant: [`update logs set charged = charged - 1 where request_id = 'r1'`],
    undo: [`update logs set charged = charged + 1 where request_id = 'r1'`],
    ...{ part: 'rows', rule: /^I6 what a row charges/, what: /^r1$/ },
  },
  'a row that charges more than it costs': {
    plant: [`update logs set cost = cost - 1 where request_id = 'r1'`],
    undo: [`update logs set cost = cost + 1 where request_id = 'r1'`],
    ...{ part: 'rows', rule: /^I3 nothing is charged beyond/, what: /^r1$/ },
  },
  'a row that is missing': {
    plant: [`update logs set request_id = 'elsewhere' where request_id = 'r1'`],
    undo: [`update logs set request_id = 'r1' where request_id = 'elsewhere'`],
    ...{ part: 'rows', rule: /^I6 what an entry took/, what: /^usage:r1$/ },
  },
  'sums that are not those of their rows': {
    plant: [
      `create table kept_marks as select * from usage_marks`,
      `delete from usage_marks`,
      `insert into usage_hours ("hour", user_id, key_id, "group", model, channel, requests, errors, fresh, cache_read, cache_write, audio_in, image_in,
        output, reasoning, audio_out, image_out, images, seconds, characters, searches, cost, charged, total_ms, first_token_ms)
        values (date_trunc('hour', now(), 'UTC') + interval '1 day', 'w1', '', 'g', 'm', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, '{}', '{}')`,
    ],
    undo: [
      `delete from usage_hours where charged = 7`,
      `insert into usage_marks overriding system value select * from kept_marks`,
      `drop table kept_marks`,
    ],
    ...{ part: 'sums', rule: /^I6 the sums of an hour/, what: /./ },
  },
  'sums of an hour that goes on that are not those of its rows': {
    plant: [
      `create table kept_hour as select * from usage_parts_since`,
      `update usage_parts_since set "hour" = '-infinity'`,
      `insert into usage_parts ("hour", user_id, key_id, "group", model, channel, requests, errors, fresh, cache_read, cache_write, audio_in, image_in,
        output, reasoning, audio_out, image_out, images, seconds, characters, searches, cost, charged, total_ms, first_token_ms)
        values (date_trunc('hour', now(), 'UTC'), 'w1', '', 'g', 'm', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, '{}', '{}')`,
    ],
    undo: [
      `delete from usage_parts where charged = 7`,
      `update usage_parts_since set "hour" = kept_hour."hour" from kept_hour`,
      `drop table kept_hour`,
    ],
    ...{ part: 'sums', rule: /^I6 the parts of an hour/, what: /./ },
  },
  'rollups that are not those of their hours': {
    plant: [
      `insert into usage_rollups (level, start, user_id, key_id, "group", model, channel, requests, errors, fresh, cache_read, cache_write, audio_in,
        image_in, output, reasoning, audio_out, image_out, images, seconds, characters, searches, cost, charged, total_ms, first_token_ms)
        values ('days', date_trunc('day', now(), 'UTC') + interval '9 days', 'w1', '', 'g', 'm', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 7, '{}', '{}')`,
    ],
    undo: [`delete from usage_rollups where charged = 7`],
    ...{ part: 'sums', rule: /^I6 the rollups of a day/, what: /^days / },
  },
  'a budget that is not what its rows leave of it': {
    plant: [`update accounts set free = free - 3 where kind = 'budget'`],
    undo: [`update accounts set free = free + 3 where kind = 'budget'`],
    ...{ part: 'budgets', rule: /^I8/, what: /^budget:key:k:total:$/ },
  },
  'a code that was redeemed and credited nothing': {
    plant: [
      `insert into codes (id, batch, digest, hint, note, value, created_at, redeemed_at, wallet_id) values ('c1', 'b', 'd', 'h', '', 5, now(), now(), 'w1')`,
    ],
    undo: [`delete from codes`],
    ...{ part: 'ledger', rule: /^I9 a code is credited/, what: /^c1$/ },
  },
  'money of a code that there is not': {
    plant: [
      `insert into entries (wallet_id, amount, kind, ref, actor, reason, at) values ('w1', 5, 'credit', 'code:ghost', 'k', 'r', now())`,
      `update accounts set free = free + 5 where id = 'w1'`,
    ],
    undo: [`delete from entries where ref = 'code:ghost'`, `update accounts set free = free - 5 where id = 'w1'`],
    ...{ part: 'ledger', rule: /^I9 what a code credited/, what: /^code:ghost$/ },
  },
  'a payment that credited nothing': {
    plant: [`insert into credits (reference, wallet_id, amount, asked, reason, at) values ('p1', 'w1', 5, '', 'r', now())`],
    undo: [`delete from credits`],
    ...{ part: 'ledger', rule: /^I9 a payment or refund/, what: /^p1$/ },
  },
  'money of a payment that there is not': {
    plant: [
      `insert into entries (wallet_id, amount, kind, ref, actor, reason, at) values ('w1', 5, 'credit', 'payment:ghost', 'k', 'r', now())`,
      `update accounts set free = free + 5 where id = 'w1'`,
    ],
    undo: [`delete from entries where ref = 'payment:ghost'`, `update accounts set free = free - 5 where id = 'w1'`],
    ...{ part: 'ledger', rule: /^I9 an entry of a payment system/, what: /^payment:ghost$/ },
  },
  'refunds beyond their credit': {
    plant: [
      `insert into credits (reference, wallet_id, amount, asked, reason, refund_of, at) values ('p1', 'w1', 5, '', 'r', null, now()), ('p2', 'w1', -6, '', 'r', 'p1', now())`,
      `insert into entries (wallet_id, amount, kind, ref, actor, reason, at)
        values ('w1', 5, 'credit', 'payment:p1', 'k', 'r', now()), ('w1', -6, 'credit', 'refund:p2', 'k', 'r', now())`,
      `update accounts set free = free - 1 where id = 'w1'`,
    ],
    undo: [
      `delete from credits`,
      `delete from entries where ref in ('payment:p1', 'refund:p2')`,
      `update accounts set free = free + 1 where id = 'w1'`,
    ],
    ...{ part: 'ledger', rule: /^I9 refunds are no more/, what: /^p1$/ },
  },
  'a closed instance with something on lease': {
    plant: [
      `insert into instances (id, folder, state) values (42, 'f', 'closed')`,
      `insert into leases (instance, account_id, amount) values (42, 'w1', 9)`,
      `update accounts set free = free - 9 where id = 'w1'`,
    ],
    undo: [
      `delete from leases where instance = 42`,
      `delete from instances where id = 42`,
      `update accounts set free = free + 9 where id = 'w1'`,
    ],
    ...{ part: 'leases', rule: /^I7/, what: /^w1$/ },
  },
}

describe.each([...engines])('on %s', (engine) => {
  let place: Place
  let journal: string

  beforeAll(async () => {
    place = await booksPlace(engine)
    const wallet = await place.wallet(1_000_000n)
    const budget = { limit: 500_000n, of: 'key', ofId: 'k', span: 'total', from: null, until: null } as const
    journal = join(place.base.folder, 'journal')
    const books = await place.begin({ folder: journal, installation: 'i' }, here)
    for (const [id, cost] of [
      ['r1', 100n],
      ['r2', 200n],
    ] as const) {
      await books.hold(id, [{ id: wallet }, { id: 'budget:key:k:total:', budget }], 1_000n)
      await books.settle(usageRow({ requestId: id, at: new Date(), cost, userId: wallet, keyId: 'k' }))
    }
    await books.flush()
  }, 60_000)
  afterAll(() => place?.close())

  const check = (journals = [journal]) => checkBooks({ store: place.store, journals, now: 0 })
  async function run(statements: readonly string[]): Promise<void> {
    await place.store.db.transaction(async (tx) => {
      // Entries are append-only, except for this test.
      for (const statement of ['set local session_replication_role = replica', ...statements]) await runSql({ db: tx }, statement)
    })
  }

  test('right books are exact', async () => {
    expect(await check()).toMatchObject({
      exact: true,
      balance: '0.0009997',
      looked: { wallets: 1, budgets: 1, entries: 3, rows: 2, journals: 1, requestsInJournals: 2, unsettled: 0 },
      parts: { ledger: 0, rows: 0, sums: 0, budgets: 0, leases: 0, journals: 0 },
      faults: [],
      notes: [],
    })
  })

  describe('tables', () => {
    let undo: string[] = []
    afterEach(() => run(undo))
    test.each(Object.entries(plants))('%s is named', async (_, planted) => {
      undo = planted.undo
      await run(planted.plant)
      const report = await check()
      expect(report.exact).toBe(false)
      const part = report.parts[planted.part as keyof typeof report.parts]
      expect(part).toBeGreaterThan(0)
      expect(report.faults).toContainEqual({
        part: planted.part as 'rows',
        rule: expect.stringMatching(planted.rule) as unknown as string,
        what: expect.stringMatching(planted.what) as unknown as string,
        found: expect.any(String) as unknown as string,
      })
    })
  })

  describe('journals', () => {
    /** A journal of this instance with these lines. */
    async function write(instance: bigint, lines: readonly Uint8Array[]): Promise<string> {
      const folder = join(place.base.folder, `planted-${instance}`)
      await mkdir(join(folder, `${instance}`), { recursive: true })
      await writeFile(join(folder, `${instance}`, '000001.log'), Buffer.concat([encodeLine({ kind: 'v', version: 2, instance }), ...lines]))
      return folder
    }
    const ended = (id: string, cost: bigint) => {
      const row = usageRow({ requestId: id, cost })
      return encodeLine({ kind: 's', id, line: { row, accounts: ['w1'], owed: cost, covered: cost } })
    }

    test('what a closed instance wrote and the books have not', async () => {
      const folder = await write(7n, [ended('lost', 5n)])
      expect((await check([journal, folder])).faults).toEqual([
        { part: 'journals', rule: 'J2 what a closed instance wrote is in the books', what: `${folder}/7`, found: '1' },
      ])
    })

    test('a row that costs something else than its journal says', async () => {
      const folder = await write(8n, [ended('r1', 5n)])
      expect((await check([journal, folder])).faults).toEqual([
        { part: 'journals', rule: 'J4 a row costs what its journal says', what: 'r1', found: '100 instead of 5' },
      ])
    })

    test('lines that cannot be read', async () => {
      const folder = await write(9n, [Buffer.from('00000000 {}\n00000000 {}\n')])
      expect((await check([journal, folder])).faults).toEqual([
        { part: 'journals', rule: 'J1 every line can be read', what: `${folder}/9`, found: '2' },
      ])
    })

    test('a journal that a start has put aside', async () => {
      const folder = await write(10n, [])
      await rename(join(folder, '10'), join(folder, '10.kept'))
      expect((await check([journal, folder])).faults).toEqual([
        {
          part: 'journals',
          rule: 'J3 a journal is of this database, and all of it can be written',
          what: `${folder}/10.kept`,
          found: '10.kept',
        },
      ])
    })

    test('that nobody showed, and instances that are missing, are told', async () => {
      // Not the instance of this test, which may call at any moment.
      await run([`insert into instances (id, folder, seen) values (43, 'f', now() - interval '2 hours')`])
      const empty = join(place.base.folder, 'none')
      const { exact, notes } = await check([empty])
      expect(exact).toBe(true)
      expect(notes[0]).toBe(`there is no journal in ${empty}`)
      expect(notes.find((note) => note.startsWith('instance 43'))).toMatch(
        /^instance 43 has been missing for 7\d+ s; its 0 USD on lease wait/,
      )
      expect(notes).toContain('the journal of instance 43 was not looked at')
      await rm(empty, { recursive: true, force: true })
    })
  })
})
