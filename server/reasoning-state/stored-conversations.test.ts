import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Turn } from '#canonical/conversation'
import { sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { createUser, deleteUser } from '#store/accounts/users'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { createConversations, type Exchange } from './stored-conversations.ts'

const days = 86_400_000
const turn = (text: string, role: Turn['role'] = 'user'): Turn => ({ role, parts: [{ kind: 'text', text }] })
const exchange = (n: number): Exchange => ({
  turns: [turn(`question ${n}`), turn(`answer ${n}`, 'assistant')],
  items: [{ type: 'message', n }],
  response: { id: `resp_${n}`, output: [`answer ${n}`] },
})

/** What a promise rejects with. `expect().rejects` blocks messages from the embedded engine's worker. */
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown) => thrown,
  )

describe.each(sampledEngines(import.meta.file))('kept conversations on %s', (engine) => {
  let base: Throwaway
  const clock = handClock()
  const kept = () => createConversations({ store: base.store, sealer: sealer('ab'.repeat(32)), clock })
  const user = (id: string) => ({
    user: {
      id,
      name: id,
      role: 'admin' as const,
      passwordHash: 'a hash',
      group: 'default',
      groups: ['default'],
      budget: null,
      limits: null,
      enabled: true,
      managed: 'console' as const,
      createdAt: new Date(clock.now()),
    },
  })
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    for (const id of ['anna', 'berta', 'clara']) await createUser(base.store, user(id))
  }, 60_000)
  afterAll(() => base.close())

  /** A conversation of `count` exchanges; returns its ids. */
  async function chain(prefix: string, count: number, tenant = 'anna'): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}_${n}`)
    for (const [n, id] of ids.entries()) await kept().keep(tenant, id, ids[n - 1], exchange(n))
    return ids
  }

  test('are loaded whole, oldest first, from any of their answers on', async () => {
    const ids = await chain('whole', 5)
    const last = await kept().load('anna', 'whole_4')
    expect(last?.turns).toEqual(ids.flatMap((_, n) => exchange(n).turns))
    expect(last?.items).toEqual(ids.map((_, n) => ({ type: 'message', n })))
    expect(last).toMatchObject({ id: 'whole_4', previousId: 'whole_3', response: exchange(4).response, createdAt: new Date(clock.now()) })
    expect((await kept().load('anna', 'whole_2'))?.turns).toHaveLength(6)
    expect(await kept().find('anna', 'whole_4')).toEqual({
      ...exchange(4),
      id: 'whole_4',
      previousId: 'whole_3',
      createdAt: new Date(clock.now()),
    })
  })

  test('may branch, and an id is kept once', async () => {
    await chain('branch', 2)
    await kept().keep('anna', 'branch_other', 'branch_0', exchange(7))
    await kept().keep('anna', 'branch_other', undefined, exchange(8))
    expect((await kept().load('anna', 'branch_other'))?.items).toEqual([...exchange(0).items, ...exchange(7).items])
  })

  test('belong to one tenant', async () => {
    await chain('mine', 2)
    expect(await kept().load('berta', 'mine_1')).toBeUndefined()
    expect(await kept().find('berta', 'mine_1')).toBeUndefined()
    expect(await kept().forget('berta', 'mine_1')).toBe(false)
    // The same id of another tenant is another response, and links do not cross tenants.
    await kept().keep('berta', 'mine_1', 'mine_0', exchange(9))
    expect(await kept().load('berta', 'mine_1')).toBeUndefined()
    expect((await kept().load('anna', 'mine_1'))?.turns).toHaveLength(4)
    await kept().keep('berta', 'mine_0', undefined, exchange(8))
    expect((await kept().load('berta', 'mine_1'))?.items).toEqual([...exchange(8).items, ...exchange(9).items])
  })

  test('end after thirty days', async () => {
    await chain('ends', 1)
    await clock.advance(30 * days - 1)
    expect(await kept().find('anna', 'ends_0')).toBeDefined()
    await kept().keep('anna', 'ends_1', 'ends_0', exchange(1))
    expect((await kept().load('anna', 'ends_1'))?.turns).toHaveLength(4)
    await clock.advance(1)
    expect(await kept().find('anna', 'ends_0')).toBeUndefined()
    expect(await kept().forget('anna', 'ends_0')).toBe(false)
    expect(await kept().find('anna', 'ends_1')).toBeDefined()
    expect(await kept().load('anna', 'ends_1')).toBeUndefined()
  })

  test('that lost a part are found, but never loaded as if they were whole', async () => {
    await chain('gap', 3)
    expect(await kept().forget('anna', 'gap_1')).toBe(true)
    expect(await kept().forget('anna', 'gap_1')).toBe(false)
    expect(await kept().find('anna', 'gap_1')).toBeUndefined()
    expect(await kept().load('anna', 'gap_2')).toBeUndefined()
    expect((await kept().find('anna', 'gap_2'))?.turns).toEqual(exchange(2).turns)
    expect((await kept().load('anna', 'gap_0'))?.turns).toEqual(exchange(0).turns)
  })

  test('are sealed, and do not open in another row', async () => {
    await chain('sealed', 2)
    const dump = await dumpTables(base.store, ['stored_responses'])
    for (const word of ['question', 'answer', 'message']) expect(dump).not.toContain(word)
    await runSql(
      base.store,
      `update stored_responses set sealed = (select sealed from stored_responses where id = 'sealed_0') where id = 'sealed_1'`,
    )
    expect(await refusal(kept().find('anna', 'sealed_1'))).toMatchObject({ code: 'internal_error' })
  })

  test('above 32 MiB are refused, alone and together', async () => {
    const large = (bytes: number): Exchange => ({ turns: [turn('x'.repeat(bytes))], items: [], response: null })
    const mib = 1024 * 1024
    expect(await refusal(kept().keep('anna', 'large', undefined, large(33 * mib)))).toMatchObject({ code: 'request_too_large' })
    await kept().keep('anna', 'large_0', undefined, large(16 * mib))
    await kept().keep('anna', 'large_1', 'large_0', large(15 * mib))
    await kept().keep('anna', 'large_2', 'large_1', large(2 * mib))
    expect((await kept().load('anna', 'large_1'))?.turns).toHaveLength(2)
    expect(await refusal(kept().load('anna', 'large_2'))).toBeInstanceOf(GatewayError)
    expect((await kept().find('anna', 'large_2'))?.turns).toHaveLength(1)
    await runSql(base.store, `delete from stored_responses where id like 'large%'`)
  }, 60_000)

  test('of many pieces come back as they were; one that was never finished is nobody’s', async () => {
    const texts = ['ä漢😀'.repeat(300_000), '😀'.repeat(400_000), `"\\\u0000`.repeat(150_000)]
    const whole = (text: string): Exchange => ({ turns: [turn(text)], items: [{ text }], response: { text } })
    for (const [n, text] of texts.entries()) await kept().keep('anna', `pieces_${n}`, n === 0 ? undefined : `pieces_${n - 1}`, whole(text))
    for (const [n, text] of texts.entries()) expect((await kept().find('anna', `pieces_${n}`))?.items).toEqual([{ text }])
    expect((await kept().load('anna', 'pieces_2'))?.items).toEqual(texts.map((text) => ({ text })))
    const stored = await dumpTables(base.store, ['stored_pieces'])
    expect(stored).not.toContain('😀')
    const sealed = await kept().stored('anna')
    expect(sealed.bytes).toBeGreaterThan(texts.join('').length * 2)
    // A piece in another place does not open, and a missing one is not taken for the end.
    await runSql(base.store, `update stored_pieces set place = -place where id = 'pieces_0' and place < 3`)
    expect(await kept().find('anna', 'pieces_0')).toBeUndefined()
    expect(await kept().load('anna', 'pieces_2')).toBeUndefined()
    await runSql(base.store, `update stored_pieces set place = 3 + place where id = 'pieces_0' and place < 0`)
    expect(await refusal(kept().find('anna', 'pieces_0'))).toMatchObject({ code: 'internal_error' })
    for (const n of texts.keys()) expect(await kept().forget('anna', `pieces_${n}`)).toBe(true)
    expect(await dumpTables(base.store, ['stored_pieces'])).not.toContain('pieces_')
  }, 60_000)

  test('above a thousand exchanges are refused, and a circle ends', async () => {
    await chain('long', 1)
    const sealed = (await kept().find('anna', 'long_0')) && `(select sealed from stored_responses where id = 'long_0')`
    const link = `'link_' || n, 'anna', 'link_' || (n - 1), now(), timestamptz '2100-01-01', ${sealed}`
    await runSql(
      base.store,
      `insert into stored_responses (id, tenant, previous_id, created_at, expires_at, sealed) select ${link} from generate_series(1, 1005) n`,
    )
    expect(await refusal(kept().load('anna', 'link_1005'))).toMatchObject({ code: 'request_too_large' })
    await runSql(base.store, `update stored_responses set previous_id = 'link_1005' where id = 'link_1'`)
    expect(await refusal(kept().load('anna', 'link_3'))).toMatchObject({ code: 'request_too_large' })
    await runSql(base.store, `delete from stored_responses where id like 'link%'`)
  })

  test('a thousand exchanges are loaded', async () => {
    await chain('thousand', 1_000)
    expect((await kept().load('anna', 'thousand_999'))?.turns).toHaveLength(2_000)
    await kept().keep('anna', 'thousand_1000', 'thousand_999', exchange(0))
    expect(await refusal(kept().load('anna', 'thousand_1000'))).toMatchObject({ code: 'request_too_large' })
  }, 60_000)

  test.each(['', 'a\u0000b', 'resp 1', 'x'.repeat(201), 'резp', "' or true --"])('the id %j is nobody’s', async (id) => {
    expect(await kept().load('anna', id)).toBeUndefined()
    expect(await kept().find('anna', id)).toBeUndefined()
    expect(await kept().forget('anna', id)).toBe(false)
  })

  test('go with their user', async () => {
    await chain('gone', 2, 'clara')
    expect(await deleteUser(base.store, 'clara')).toBe('done')
    expect(await dumpTables(base.store, ['stored_responses'])).not.toContain('clara')
  })

  test('have a quota for each tenant, in answers and in bytes, that says what it is', async () => {
    const quotas = { conversations: 3, conversationBytes: 1_000_000 }
    const limited = (more = {}) =>
      createConversations({ store: base.store, sealer: sealer('ab'.repeat(32)), clock, quotas: () => ({ ...quotas, ...more }) })
    const here = limited()
    await createUser(base.store, user('dora'))
    for (let n = 0; n < 3; n++) {
      expect(await refusal(here.demandRoom('dora'))).toBeUndefined()
      await here.keep('dora', `q_${n}`, undefined, exchange(n))
    }
    expect(await refusal(here.demandRoom('dora'))).toMatchObject({
      code: 'quota_exceeded',
      param: 'store',
      message: 'The quota for stored answers of a user is 3 answers. Delete some, or send store: false.',
    })
    expect(await refusal(here.demandRoom('anna'))).toMatchObject({ code: 'quota_exceeded' })
    const { count, bytes } = await here.stored('dora')
    expect(count).toBe(3)
    const byBytes = limited({ conversations: 100, conversationBytes: bytes })
    expect(await refusal(byBytes.demandRoom('dora'))).toMatchObject({ code: 'quota_exceeded', message: expect.stringContaining('bytes') })
    expect(await here.forget('dora', 'q_0')).toBe(true)
    expect(await refusal(here.demandRoom('dora'))).toBeUndefined()
    expect(await byBytes.stored('dora')).toEqual({ count: 3, bytes })
    await clock.advance(60_000)
    expect((await byBytes.stored('dora')).count).toBe(2)
  })
})
