import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Log } from '#runtime/log'
import { type ErrorCode, GatewayError } from '#shared/errors'
import { loadPrices } from '#store/channels/prices'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { createPrices } from './prices.ts'

const by = { id: 'someone', name: 'Someone' }

let database: Throwaway
let lines: string[] = []
const note = (_fields: object, message: string) => void lines.push(message)
const log: Log = { debug: note, info: note, warn: note, error: note }

describe.each(sampledEngines(import.meta.file))('on %s', (engine) => {
  beforeAll(async () => {
    database = await throwawayDatabase(engine)
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    lines = []
    await runSql(database.store, `truncate prices`)
  })

  const book = (demo = false) => createPrices({ store: database.store, log, demo: () => demo })
  const token = { input: '1', output: '2' }

  async function refusal(work: Promise<unknown>): Promise<[ErrorCode, string | undefined]> {
    try {
      await work
    } catch (thrown) {
      if (thrown instanceof GatewayError) return [thrown.code, thrown.param]
      throw thrown
    }
    throw new Error('not refused')
  }

  test('a price is there at once, for other instances from the database, and gone when it is deleted', async () => {
    const prices = await book()
    await prices.put(by, 'vendor/model', token)
    expect(prices.get('vendor/model')).toMatchObject({ fields: token, managed: 'console', rates: { input: 1_000_000_000n } })
    expect((await book()).get('vendor/model')?.rates.output).toBe(2_000_000_000n)
    await prices.put(by, 'vendor/model', { request: '0.5' })
    expect(prices.get('vendor/model')?.fields).toEqual({ request: '0.5' })
    await prices.remove(by, 'vendor/model')
    expect(prices.get('vendor/model')).toBeUndefined()
    expect(await refusal(prices.remove(by, 'vendor/model'))).toEqual(['not_found', undefined])
  })

  test('a price that cannot be resolved is not stored', async () => {
    const prices = await book()
    expect(await refusal(prices.put(by, 'm', { output: '1' }))).toEqual(['missing_field', 'input'])
    expect(await loadPrices(database.store)).toEqual([])
  })

  test('the demo model has a price while its channel is there, unless one is set', async () => {
    const prices = await book(true)
    expect(prices.get('parley-demo')).toMatchObject({ fields: { input: '1', output: '2' }, managed: 'file' })
    const all = [...prices.all()].map((price) => price.model)
    expect(all).toContain('parley-demo')
    expect(all.every((model) => model.startsWith('parley-demo'))).toBe(true)
    await prices.put(by, 'parley-demo', { input: '7', output: '7' })
    expect([...prices.all()].map((price) => price.model)).toHaveLength(all.length)
    expect([...prices.all()].filter(({ model }) => model === 'parley-demo').map((price) => price.fields.input)).toEqual(['7'])
    await prices.remove(by, 'parley-demo')
    expect(prices.get('parley-demo')?.fields.input).toBe('1')
    expect((await book(false)).get('parley-demo')).toBeUndefined()
  })

  test('the file: idempotent, disabled when it leaves, read-only, never over the console', async () => {
    const prices = await book()
    await prices.declare([
      { model: 'a', fields: token },
      { model: 'b', fields: { ...token, tiers: [{ above: 5, input: '3' }] } },
    ])
    const rows = await loadPrices(database.store)
    let written = 0
    database.store.changes.subscribe('prices', async () => void written++)
    await prices.declare([
      { model: 'b', fields: { output: '2', tiers: [{ input: '3', above: 5 }], input: '1' } },
      { model: 'a', fields: token },
    ])
    expect(written).toBe(0)
    expect(await loadPrices(database.store)).toEqual(rows)
    expect(await refusal(prices.put(by, 'a', token))).toEqual(['managed_by_file', undefined])
    expect(await refusal(prices.remove(by, 'a'))).toEqual(['managed_by_file', undefined])

    await prices.declare([{ model: 'a', fields: token }])
    expect(prices.get('b')).toBeUndefined()
    expect((await loadPrices(database.store)).map((row) => [row.model, row.enabled])).toEqual([
      ['a', true],
      ['b', false],
    ])

    await prices.put(by, 'b', { request: '1' })
    expect(
      await refusal(
        prices.declare([
          { model: 'a', fields: { input: '9', output: '9' } },
          { model: 'b', fields: token },
        ]),
      ),
    ).toEqual(['name_taken', '1.model'])
    expect(await refusal(prices.declare([{ model: 'c', fields: { output: '9' } }]))).toEqual(['missing_field', '0.input'])
    expect(prices.get('a')?.fields).toEqual(token)
    await prices.declare([])
    expect([...prices.all()].map((price) => price.model)).toEqual(['b'])
  })

  test('a stored price that cannot be read takes its model off the list and nothing else', async () => {
    await runSql(
      database.store,
      `insert into prices (model, price) values ('good', '{"request": "1"}'), ('bad', '{"input": "x", "output": "1"}')`,
    )
    const prices = await book()
    expect([...prices.all()].map((price) => price.model)).toEqual(['good'])
    expect(lines).toHaveLength(1)
  })
})
