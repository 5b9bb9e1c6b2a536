/** What asks the requests of a batch, with scripted answers and a clock of the test's own. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Caller } from '#accounts/caller'
import { createJobs, type Jobs } from '#jobs/jobs'
import { systemRandom as random, systemClock } from '#runtime/clock'
import { sealer } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { dumpTables, runSql } from '#testing/database/tables'
import { type HandClock, handClock } from '#testing/hand-clock'
import { createBatchRunner, type LineAsk, pauseAfter, widthFor } from './batch-runner.ts'
import { type Batches, batchKind, createBatches } from './batches.ts'
import { createPlaces } from './places.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const seal = sealer('ab'.repeat(32))
const callerWith = (concurrency?: number) =>
  ({ key: { limits: concurrency === undefined ? null : { concurrency } }, user: { limits: null }, group: { limits: null } }) as Caller

describe.each(sampledEngines(import.meta.file))('a batch on %s', (engine) => {
  let base: Throwaway
  let clock: HandClock
  let jobs: Jobs
  let batches: Batches
  let asked: string[]
  let answer: (line: LineAsk) => ReturnType<Parameters<typeof createBatchRunner>[0]['ask']>
  let caller: Caller | undefined
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    await runSql(base.store, "insert into users (id, name, groups, created_at) values ('ann', 'ann', '{default}', now())")
  }, 60_000)
  afterAll(() => base.close())
  afterEach(async () => {
    await jobs.close()
    await runSql(base.store, 'delete from batches')
    await runSql(base.store, 'delete from jobs')
  })

  /** A batch of these requests, which is being asked. */
  async function begun(...names: string[]): Promise<string> {
    clock = handClock()
    asked = []
    caller = callerWith()
    answer = async ({ body, kept }) => void (await kept(`{"said":${body}}`))
    const work = createJobs({ store: base.store, clock, random, log, instance: 'one', silenceMs: 20_000 })
    jobs = work
    batches = createBatches({ store: base.store, sealer: seal, clock, random, jobs: work, quotas: () => ({ fileBytes: 1_000_000 }) })
    work.define(
      batchKind,
      createBatchRunner({
        ...{ store: base.store, sealer: seal, clock, random, log, batches, places: createPlaces(8, 4) },
        ask(line) {
          asked.push(line.body)
          return answer(line)
        },
        callerOf: () => caller,
        isBusy: () => false,
        files: async () => undefined,
        changed: () => undefined,
      }),
    )
    const open = await batches.open({ tenant: 'ann', keyId: 'key', words: 'messages', endpoint: '/v1/messages' })
    for (const name of names) await open.add({ name, body: `"the secret ${name}"` })
    return (await open.close({ model: 'm' })).id
  }
  /** Settles promises of the database, and advances time, until it has ended. */
  async function ended(id: string, step = 0) {
    for (let turns = 0; turns < 500; turns++) {
      const batch = await batches.find(id, 'ann')
      if (batch?.endedAt) return batch
      await clock.advance(step)
      await systemClock.sleep(2)
    }
    throw new Error('the batch has not ended')
  }
  const results = async (id: string) => {
    const found = []
    for await (const { name, end, answer: told } of batches.results({ id })) found.push([name, end, told?.body])
    return found
  }
  const refusal = (code: ConstructorParameters<typeof GatewayError>[0]) => ({
    error: new GatewayError(code, 'no'),
    answer: { status: 400, body: '{"error":"no"}' },
  })

  test('is asked, answered in its order, and sealed', async () => {
    const id = await begun('a', 'b', 'c')
    await jobs.poll()
    expect((await ended(id)).counts).toEqual({ succeeded: 3, failed: 0, cancelled: 0, expired: 0 })
    expect(await results(id)).toEqual(['a', 'b', 'c'].map((name) => [name, 'succeeded', `{"said":"the secret ${name}"}`]))
    expect(await batches.find(id, 'bob')).toBeUndefined()
    expect(JSON.stringify(await dumpTables(base.store, ['batches', 'batch_lines', 'batch_pieces']))).not.toContain('secret')
  })

  test('tries again what an upstream fails, five times, and what it refuses not at all', async () => {
    const id = await begun('a', 'b')
    answer = async ({ body }) => refusal(body === '"the secret a"' ? 'upstream_error' : 'upstream_rejected')
    await jobs.poll()
    expect((await ended(id, 1000)).counts).toMatchObject({ failed: 2 })
    expect([asked.filter((one) => one.includes('a"')).length, asked.filter((one) => one.includes('b"')).length]).toEqual([5, 1])
    expect(await results(id)).toEqual(['a', 'b'].map((name) => [name, 'failed', '{"error":"no"}']))
  })

  test('waits for money, and for the limits of its key', async () => {
    const id = await begun('a')
    const codes = ['insufficient_quota', 'insufficient_quota', 'rate_limit_exceeded', 'books_unavailable'] as const
    const good = answer
    answer = async (line) => {
      const code = codes[asked.length - 1]
      return code ? refusal(code) : good(line)
    }
    await jobs.poll()
    expect((await ended(id, 5_000)).counts).toMatchObject({ succeeded: 1, failed: 0 })
    expect(asked.length).toBe(5)
  })

  test('gives up what was not asked within a day', async () => {
    const id = await begun('a', 'b')
    answer = async () => refusal('insufficient_quota')
    await jobs.poll()
    // It gets heartbeats all the while.
    for (let hour = 0; hour < 25; hour++) {
      await clock.advance(3_600_000)
      await systemClock.sleep(2)
    }
    expect((await ended(id)).counts).toEqual({ succeeded: 0, failed: 0, cancelled: 0, expired: 2 })
    expect(await results(id)).toEqual([
      ['a', 'expired', undefined],
      ['b', 'expired', undefined],
    ])
  })

  test('ends with its key', async () => {
    const id = await begun('a', 'b')
    caller = undefined
    await jobs.poll()
    expect((await ended(id)).counts).toMatchObject({ cancelled: 2 })
    expect(asked).toEqual([])
  })

  test('writes no answer that another process has to write: its charge is refused', async () => {
    const id = await begun('a')
    const good = answer
    let refused: unknown
    answer = async (line) => {
      await runSql(base.store, `update jobs set runner = 'another'`)
      await good(line).catch((thrown: unknown) => {
        refused = thrown
      })
      return undefined
    }
    await jobs.poll()
    while (refused === undefined) await systemClock.sleep(2)
    expect(String(refused)).toContain('another process')
    expect((await batches.find(id))?.counts).toEqual({ succeeded: 0, failed: 0, cancelled: 0, expired: 0 })
  })

  test('is refused where it would be too much', async () => {
    await begun('a')
    const open = await batches.open({ tenant: 'ann', keyId: 'key', words: 'chat', endpoint: '/v1/responses' })
    expect(open.close({})).rejects.toMatchObject({ code: 'invalid_value' })
    expect(open.add({ name: 'x', body: 'x'.repeat(1024 * 1024 + 1) })).rejects.toMatchObject({ code: 'request_too_large' })
    expect(open.add({ name: 'x', body: 'x'.repeat(1_000_000) })).rejects.toMatchObject({ code: 'quota_exceeded' })
    await open.abandon()
    // One whose requests are still coming is not there.
    const coming = await batches.open({ tenant: 'ann', keyId: 'key', words: 'chat', endpoint: '/v1/responses' })
    expect(await batches.find(coming.id)).toBeUndefined()
    for (let n = 0; n < 48; n++) await batches.open({ tenant: 'ann', keyId: 'key', words: 'chat', endpoint: '/v1/responses' })
    const more = batches.open({ tenant: 'ann', keyId: 'key', words: 'chat', endpoint: '/v1/responses' })
    expect(more).rejects.toMatchObject({ code: 'quota_exceeded' })
    await clock.advance(3_700_000)
    expect(await batches.sweep()).toBe(49)
  })
})

test.each([
  [undefined, 4],
  [1, 1],
  [3, 1],
  [5, 2],
  [100, 4],
])('of a key with %p at once, %p are asked at once', (limit, width) => {
  expect(widthFor(callerWith(limit))).toBe(width)
})

test('pauses are those that were told, and grow', () => {
  const told = (retryAfter: number) => new GatewayError('rate_limit_exceeded', 'no', { retryAfter })
  expect([pauseAfter(told(7), 1), pauseAfter(told(700), 1)]).toEqual([7_000, 60_000])
  const failed = new GatewayError('upstream_error', 'no')
  expect([1, 2, 3, 4, 5].map((tries) => pauseAfter(failed, tries))).toEqual([2_000, 4_000, 8_000, 16_000, undefined])
  expect(pauseAfter(new GatewayError('invalid_request', 'no'), 1)).toBeUndefined()
})

test('places are few, and fewer for one user; who waits longest goes first', async () => {
  const places = createPlaces(3, 2)
  const order: string[] = []
  const take = (user: string) =>
    places.take(user).then((leave) => {
      order.push(user)
      return leave
    })
  const [first] = await Promise.all([take('ann'), take('ann')])
  const third = take('ann')
  const other = await take('bob')
  const fourth = take('cay')
  expect(order).toEqual(['ann', 'ann', 'bob'])
  first()
  first()
  await third
  expect(order).toEqual(['ann', 'ann', 'bob', 'ann'])
  other()
  await fourth
  expect(order.at(-1)).toBe('cay')
})
