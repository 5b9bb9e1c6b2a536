/**
 * Readers of long reports who leave, over HTTP: their statement ends in the database at once, and their place goes to the next. Seen in
 * `pg_stat_activity`; a lock on the usage rows makes reports as long as the test wants.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type BlockedReports, blockedReports } from '#testing/database/blocked-reports'
import { engines } from '#testing/database/database'
import { type NewDatabase, newPostgresDatabase } from '#testing/database/postgres-server'
import { wait } from '#testing/upstream/scripted-answers'
import { type Gateway, startGateway } from './support/gateway.ts'

/** One is made at a time, and so many may wait. */
const places = 1 + 100

describe.if(engines.includes('postgres'))('readers of reports on PostgreSQL', () => {
  let database: NewDatabase
  let gateway: Gateway
  let reports: BlockedReports

  beforeAll(async () => {
    database = await newPostgresDatabase()
    gateway = await startGateway('embedded', { env: { DATABASE_URL: database.url } })
    reports = blockedReports(database.url)
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    await reports?.close()
    await database?.drop()
  }, 60_000)

  const address = (format: string) => `${gateway.url}/api/usage?by=model&from=2026-01-01T00:00:00Z&to=2026-12-01T00:00:00Z&format=${format}`
  const read = (format: string, signal?: AbortSignal) =>
    fetch(address(format), { headers: { cookie: gateway.admin.cookie }, ...(signal && { signal }) })
  /** A reader who can leave; `left` is true once they have. */
  function reader(format: string) {
    const leaving = new AbortController()
    const left = read(format, leaving.signal).then(
      () => false,
      () => true,
    )
    return { leave: () => leaving.abort(), left }
  }

  test.each(['json', 'csv', 'focus'])(
    'the statement of a report as %s is cancelled when its reader leaves, and the next reader has the turn',
    async (format) => {
      let next: Promise<Response> | undefined
      await reports.while(async () => {
        const first = reader(format)
        const [begun] = await reports.until(({ length }) => length === 1)
        next = read(format)
        first.leave()
        expect(await first.left).toBe(true)
        // The rows are still locked: only a cancelled statement makes room for another.
        const [following] = await reports.until(({ length, 0: one }) => length === 1 && one !== begun)
        expect(following).toBeDefined()
      })
      expect((await next)?.status).toBe(200)
      await reports.until(({ length }) => length === 0)
    },
    60_000,
  )

  test('with all places taken the next reader hears 503, and when one who waits leaves, there is a place again', async () => {
    await reports.while(async () => {
      const readers = [reader('json')]
      await reports.until(({ length }) => length === 1)
      // Who comes when there is no place is refused: then, and only then, are all of them in their places.
      while (readers.length < places) readers.push(reader('json'))
      /** The refusal of a new report; undefined if it would have to wait. */
      const refusal = async () => {
        const asking = new AbortController()
        const answered = read('json', asking.signal).then(async (reply) => [
          reply.status,
          reply.headers.get('retry-after'),
          await reply.json(),
        ])
        const answer = await Promise.race([answered.catch(() => undefined), wait(300)])
        asking.abort()
        return answer
      }
      let refused = await refusal()
      for (let tries = 0; refused === undefined && tries < 100; tries++) refused = await refusal()
      expect(refused).toEqual([503, '5', { error: expect.objectContaining({ code: 'overloaded' }) }])
      readers.at(-1)?.leave()
      await readers.at(-1)?.left
      // A place is free: one more waits, as those before.
      for (let tries = 0; (await refusal()) !== undefined && tries < 100; tries++);
      expect(await refusal()).toBeUndefined()
      for (const one of readers) one.leave()
      expect(await Promise.all(readers.map(({ left }) => left))).not.toContain(false)
      await reports.until(({ length }) => length === 0)
    })
    expect((await read('json')).status).toBe(200)
  }, 60_000)
})
