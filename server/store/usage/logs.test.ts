import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import type { NewLog } from '#store/ledger/ledger'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { insertLog, insertPackedLogs, usageRow } from '#testing/usage-row'
import { findLog, type LogsAsked, pageLogs } from './logs.ts'

describe.each(sampledEngines(import.meta.file))('usage rows on %s', (engine) => {
  let base: Throwaway
  const write = (requestId: string, userId: string, ms: number) =>
    insertLog(base.store, {
      requestId,
      userId,
      at: new Date(1_700_000_000_000 + ms),
      group: 'g',
      model: 'm',
      operation: 'generate',
      dialect: 'chat',
      stream: true,
      status: 200,
      end: 'complete',
      cost: 12n,
      losses: [],
      totalMs: 1,
      attempts: [{ channel: 'c', key: null, phase: 'done', status: 200, cause: null, ms: 1 }],
    })
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    // Three rows in each millisecond, so that the order needs the second column.
    for (let i = 0; i < 21; i++) await write(`req-${String(i).padStart(2, '0')}`, i % 2 === 0 ? 'even' : 'odd', Math.floor(i / 3))
  }, 60_000)
  afterAll(() => base.close())

  async function walk(limit: number, userId?: string, between?: (page: number) => Promise<void>): Promise<string[]> {
    const ids: string[] = []
    let after: string | undefined
    for (let page = 0; ; page++) {
      const got = await pageLogs(base.store, { limit, ...(userId ? { filter: { user: userId } } : {}), ...(after ? { after } : {}) })
      expect(got.rows.length).toBeLessThanOrEqual(limit)
      ids.push(...got.rows.map((row) => row.requestId))
      if (got.next === null) return ids
      after = got.next
      await between?.(page)
    }
  }
  const all = Array.from({ length: 21 }, (_, i) => `req-${String(20 - i).padStart(2, '0')}`)

  test.each([1, 2, 3, 7, 20, 21, 200])('pages of %i bring every row once, newest first', async (limit) => {
    expect(await walk(limit)).toEqual(all)
  })

  test('one user sees only their own', async () => {
    expect(await walk(4, 'odd')).toEqual(all.filter((id) => Number(id.slice(4)) % 2 === 1))
    expect(await walk(4, 'nobody')).toEqual([])
    expect((await findLog(base.store, 'req-03', 'odd'))?.cost).toBe(12n)
    expect(await findLog(base.store, 'req-03', 'even')).toBeUndefined()
    expect((await findLog(base.store, 'req-03'))?.attempts[0]?.channel).toBe('c')
  })

  test('rows that come in between two pages shift nothing', async () => {
    expect(await walk(5, 'odd', (page) => write(`new-${page}`, 'odd', 1_000 + page))).toEqual(
      all.filter((id) => Number(id.slice(4)) % 2 === 1),
    )
  })

  test('failed requests are those that usage counts as errors; they are found by the channel that was tried', async () => {
    const from = new Date(1_600_000_000_000)
    const put = (requestId: string, more: Partial<NewLog>) => usageRow({ requestId, at: from, userId: 'failing', ...more })
    const tried = (channel: string) => ({ channel, key: null, phase: 'connect' as const, status: 502, cause: 'upstream_error', ms: 1 })
    const rows = [
      put('cut', { end: 'cut', channel: 'dead' }),
      put('left', { end: 'aborted', status: 499, channel: 'dead' }),
      put('saved', { channel: 'alive', attempts: [tried('dead')] }),
      put('nobody', { end: 'error', status: 502, attempts: [tried('dead'), tried('other')] }),
      put('elsewhere', { end: 'error', status: 502, attempts: [tried('dead "2"')] }),
    ]
    await insertPackedLogs(base.store, rows)
    await insertLog(base.store, put('old', { end: 'error', status: 502, attempts: [tried('dead')] }))
    const ids = async (failed: boolean, channel?: string) => {
      const asked = { filter: channel === undefined ? {} : { channel }, conditions: { failed }, to: new Date(1_600_000_000_001), limit: 50 }
      return (await pageLogs(base.store, asked)).rows.map((row) => row.requestId)
    }
    expect(await ids(true)).toEqual(['old', 'nobody', 'elsewhere', 'cut'])
    expect(await ids(false)).toEqual(['saved', 'left'])
    expect(await ids(true, 'dead')).toEqual(['old', 'nobody', 'cut'])
    expect(await ids(true, 'dead "2"')).toEqual(['elsewhere'])
    expect(await ids(false, 'dead')).toEqual(['left'])
    await base.store.db.execute(sql`delete from logs where user_id = 'failing'`)
  })

  test.each(['', 'x', '1', '.a', '99999999999999999.a', "1.' or 1=1", '1.\u0000'])('refuses %j as a place to go on from', async (after) => {
    const thrown = await pageLogs(base.store, { limit: 1, after }).catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(GatewayError)
    expect(thrown).toMatchObject({ code: 'invalid_value', param: 'after' })
  })

  test('filters and spans find what they name, in pages', async () => {
    const at = (ms: number) => new Date(1_700_000_000_000 + ms)
    const ids = async (asked: Omit<LogsAsked, 'limit'>) =>
      (await pageLogs(base.store, { ...asked, limit: 50 })).rows.map((row) => row.requestId)
    expect(await ids({ from: at(2), to: at(4) })).toEqual(all.slice(9, 15))
    expect(await ids({ filter: { user: 'odd', model: 'm', group: 'g' }, to: at(1) })).toEqual(['req-01'])
    for (const filter of [{ model: 'x' }, { group: 'x' }, { key: 'x' }, { channel: 'x' }]) expect(await ids({ filter })).toEqual([])
    const first = await pageLogs(base.store, { filter: { user: 'even' }, to: at(3), limit: 2 })
    expect(await ids({ filter: { user: 'even' }, to: at(3), after: first.next ?? '' })).toEqual(['req-04', 'req-02', 'req-00'])
  })

  test.each([
    ['every row', sql`true`, 'pkey'],
    ['of one user', sql`user_id = 'odd'`, 'user_id'],
    ['of one key', sql`key_id = 'k'`, 'key_id'],
  ])('a page is read off an index, %s', async (_, condition, index) => {
    await base.store.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`)
      await tx.execute(sql`set local enable_bitmapscan = off`)
      await tx.execute(sql`set local enable_sort = off`)
      const plan = await tx.execute(sql`explain select * from logs where ${condition} order by at desc, request_id desc limit 3`)
      const text = JSON.stringify(returned(plan))
      expect(text).toContain(`logs_default_${index}`)
      // One by time alone still has to put rows of one instant in order.
      expect(text.replaceAll('Incremental Sort', '')).not.toContain('Sort  (')
      expect(text).not.toContain('Seq Scan')
    })
  })

  test('one row is found by its id without reading others', async () => {
    await base.store.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`)
      const plan = JSON.stringify(returned(await tx.execute(sql`explain select * from logs where request_id = 'x'`)))
      expect(plan).toContain('request_id')
      expect(plan).not.toContain('Seq Scan')
    })
  })
})
