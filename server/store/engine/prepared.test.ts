/** Prepared statements behave as any other on both engines, again and again, in transactions and after faults. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { preparedStatement, runPrepared } from './prepared.ts'
import { returned } from './rows.ts'
import { sqlState } from './sql-state.ts'
import type { Db } from './store.ts'

const quotient = preparedStatement('test_quotient', `select ($1::bigint / $2::integer)::text as quotient, $3::text[] ->> 0 as nothing`)
const share = preparedStatement('test_share', `select ($1::bigint / $2::integer)::text as share, ($3::text[])[2] as second`)

describe.each([...engines])('prepared statements on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  const shareOf = async (db: Db, ...values: string[]) => returned(await runPrepared(db, share, values))

  test('answer the same every time, whatever the texts are', async () => {
    for (let n = 0; n < 8; n++) {
      expect(await shareOf(base.store.db, `${n * 4}`, '2', '{a,"b\\"\\\\ü"}')).toEqual([{ share: `${n * 2}`, second: 'b"\\ü' }])
    }
    expect(await shareOf(base.store.db, '-9000000000000000000', '1', '{a,NULL}')).toEqual([{ share: '-9000000000000000000', second: null }])
  })

  test('a fault has its SQLSTATE, and the next run is as before', async () => {
    const stateOf = (work: Promise<unknown>) => work.then(() => 'none', sqlState)
    expect(await stateOf(runPrepared(base.store.db, share, ['1', '0', '{}']))).toBe('22012')
    expect(await stateOf(runPrepared(base.store.db, share, ['1', 'x', '{}']))).toBe('22P02')
    expect(await stateOf(runPrepared(base.store.db, quotient, ['1', '1', '{}']))).toBe('42883')
    expect(await shareOf(base.store.db, '1', '1', '{}')).toEqual([{ share: '1', second: null }])
  })

  test('in a transaction', async () => {
    expect(await base.store.db.transaction((tx) => shareOf(tx, '6', '3', '{}'))).toEqual([{ share: '2', second: null }])
  })
})
