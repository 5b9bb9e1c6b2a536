/** A database that answers but accepts no rows, as with a full disk: once requests are refused because of it, `/readyz` says so. */
import { expect, test } from 'bun:test'
import { engines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { startGateway, testModel } from './support/gateway.ts'

test.if(engines.includes('postgres'))(
  'not ready while the journal is full, and ready again as soon as it is not',
  async () => {
    const database = await newPostgresDatabase()
    const upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
    const other = new Bun.SQL(database.url)
    const gateway = await startGateway('embedded', {
      env: { DATABASE_URL: database.url, PARLEY_JOURNAL_MAX: '1MiB', PARLEY_LEASE_COVER: '10m' },
    })
    async function ask(): Promise<string> {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Hi' }] }),
      })
      const { error } = (await answer.json()) as { error?: { code: string } }
      return error?.code ?? String(answer.status)
    }
    const crowd = () => Promise.all(Array.from({ length: 64 }, ask))
    async function ready(): Promise<string> {
      const answer = await fetch(`${gateway.url}/readyz`)
      return `${answer.status} ${((await answer.json()) as { status: string }).status}`
    }
    async function readyAgain(): Promise<string> {
      for (let tries = 0; (await ready()) !== '200 ready' && tries < 600; tries++) await wait(50)
      return ready()
    }
    try {
      await gateway.channel('only', upstream.url)
      await gateway.price(testModel, { input: '0', output: '0', request: '0.000001' })
      // Until there is a lease for all that follows, so that nothing but the journal ends it.
      for (let round = 0; round < 30; round++) {
        await crowd()
        await wait(100)
      }
      expect([await ask(), await ready()]).toEqual(['200', '200 ready'])
      const lock = await other.reserve()
      try {
        await lock.unsafe('begin')
        await lock.unsafe('lock table logs, entries, unsettled in share mode')
        const codes = new Set<string>()
        for (let round = 0; !codes.has('journal_full') && round < 200; round++) for (const code of await crowd()) codes.add(code)
        expect([...codes]).toEqual(['200', 'journal_full'])
        // Requests under way give their room back.
        for (let round = 0; (await ask()) === '200' && round < 200; round++);
        expect(await ready()).toBe('503 unavailable')
      } finally {
        await lock.unsafe('rollback')
        lock.release()
      }
      expect(await readyAgain()).toBe('200 ready')
      expect(await ask()).toBe('200')
    } finally {
      await gateway.close()
      await other.end()
      await upstream.close()
      await database.drop()
    }
  },
  120_000,
)
