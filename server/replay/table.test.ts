/** An export reads a job once, however many lines it has. Counted on the connection. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import { createUser, type UserRecord } from '#store/accounts/users'
import { insertReplay, type ReplayItemRecord } from '#store/replays/replays'
import { sampledEngine, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { countStatements } from '#testing/database/statements'
import { createReplays, type Replayer, type ReplayParts } from './replays.ts'

let place: Throwaway
const at = new Date('2026-01-02T03:04:05Z')
const body = (content: object) => new TextEncoder().encode(JSON.stringify(content))
const record = {
  ...{ requestId: 'r', at: at.getTime(), userId: 'u', keyId: null },
  parts: [
    {
      ...{ border: 'client-request', method: 'POST', address: '/v1/chat/completions', headers: [], atMs: 0, bytes: 1 },
      body: body({ model: 'm' }),
    },
    {
      ...{ border: 'client-answer', status: 200, headers: [], atMs: 0, bytes: 1 },
      body: body({ choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }] }),
    },
  ],
}
beforeAll(async () => {
  place = await throwawayDatabase(sampledEngine(import.meta.file))
  await createUser(place.store, { user: { id: 'u', name: 'u', groups: ['default'], createdAt: at } as UserRecord })
}, 60_000)
afterAll(() => place.close())

test('a job of two hundred lines is read in as many statements as one of four', async () => {
  const by = { id: 'u', role: 'user' } as Replayer
  const bodies = { read: async () => ({ record }), readable: async (_: unknown, ids: string[]) => new Map(ids.map((id) => [id, at])) }
  const parts = { store: place.store, bodies, random: systemRandom, clock: {}, accounts: {}, jobs: { define() {} } }
  const { table } = createReplays(parts as unknown as ReplayParts)
  const statements = countStatements(place.store)
  async function sentFor(id: string, count: number): Promise<number> {
    const job = { id, userId: 'u', at, group: 'default', targets: [{}], requests: count, ceiling: 0n, expected: 0n, state: 'done' as const }
    const rest = { error: null, exact: true, expected: 0n, charged: 0n, original: null, result: null, difference: null }
    const items = Array.from({ length: count }, (_, n): ReplayItemRecord => {
      return { jobId: id, n, originalId: `req_${n}`, target: 0, state: 'done', replayId: `${id}_${n}`, begunAt: at, ...rest }
    })
    await insertReplay(place.store, { ...job, teamId: null, stopAsked: false, finishedAt: at }, items)
    const before = statements.sent()
    const read = await table(by, id)
    for (const { n } of read.job.results) expect((await read.answers(n)).replayAnswer?.text).toBe('Yes.')
    return statements.sent() - before
  }
  try {
    expect(await sentFor('rep_long', 200)).toBe(await sentFor('rep_short', 4))
  } finally {
    statements.stop()
  }
}, 30_000)
