/**
 * `kill -9` in the middle of a replay: the next process, here or on another instance, continues the job. Every item was sent at most once,
 * those in progress are reported as interrupted, and the books are exact.
 */
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReplayDetail, ReplayRow } from '#shared/console/replay'
import { engines } from '#testing/database/database'
import { type Program, startProgram } from '#testing/program/program'
import { openStoredView } from '#testing/survival/stored-view'
import { gate } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { databaseOn, type Session, signInAt } from './support/gateway.ts'
import { soon } from './support/raw-client.ts'

const model = 'gpt-test'
const password = 'a long password'
const key = 'sk-of-the-payer'
const requests = 6
/** USD of one answer. */
const costOfOne = 0.002
const vendor = chatVendor({
  reply: () => ({ text: ['one answer'], finish: 'stop', usage: { prompt_tokens: 1000, completion_tokens: 500 } }),
})

const config = (upstream: string) =>
  JSON.stringify({
    channels: [{ name: 'only', vendor: 'openai-compatible', baseUrl: `${upstream}/v1`, keys: ['sk-vendor'], models: [model] }],
    prices: { [model]: { input: '1', output: '2' } },
    users: [{ name: 'payer', role: 'admin', password, balance: '1' }],
    keys: [{ name: 'of payer', user: 'payer', key, logBodies: true }],
  })

/** The text of a kept request of the payer's, which identifies it. */
const ask = async ({ url }: Program, text: string) => {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 500, messages: [{ role: 'user', content: text }] }),
  })
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

const detail = (by: Session, id: string) => by.call<ReplayDetail>('GET', `/api/replays/${id}`)

for (const engine of engines)
  for (const successor of engine === 'postgres' ? ['the same instance', 'another instance'] : ['the same instance'])
    test(`on ${engine}, ${successor} goes on with a job`, async () => {
      const database = await databaseOn(engine)
      const upstream = await scriptedUpstream(vendor)
      const folder = mkdtempSync(join(tmpdir(), 'parley-replay-'))
      const bodies = join(folder, 'bodies')
      for (const instance of ['one', 'two']) mkdirSync(join(folder, instance))
      const env = { ...database.env, PARLEY_BODIES: bodies, PARLEY_MASTER_KEY: 'cd'.repeat(32), PARLEY_TAKEOVER: '2s' }
      const program = await startProgram({ folder: join(folder, 'one'), env, config: config(upstream.url) })
      const running: Program[] = [program]
      try {
        const ids = await Promise.all(Array.from({ length: requests }, (_, n) => ask(program, `question ${n}`)))
        const held = gate(vendor)
        const sent = upstream.requests.length
        upstream.answer((exchange) => (upstream.requests.length > sent + 2 ? held.script(exchange) : vendor(exchange)))
        const payer = await signInAt(program.url, 'payer', password)
        const job = await payer.call<ReplayRow>('POST', '/api/replays', { requestIds: ids, targets: [{}] })
        expect(await soon(() => held.waiting() === 2)).toBe(true)
        process.kill(program.pid, 'SIGKILL')
        await program.stop()
        upstream.answer(vendor)

        const next = await startProgram({
          folder: join(folder, successor === 'the same instance' ? 'one' : 'two'),
          env,
          config: config(upstream.url),
        })
        running.push(next)
        // The journal of the one that was killed is read by its own next start.
        if (successor === 'another instance') {
          const other = await signInAt(next.url, 'payer', password)
          expect(await soon(async () => (await detail(other, job.id)).state === 'done', 40_000)).toBe(true)
          running.push(await startProgram({ folder: join(folder, 'one'), env, config: config(upstream.url) }))
        }
        const again = await signInAt(next.url, 'payer', password)
        expect(await soon(async () => (await detail(again, job.id)).state === 'done', 40_000)).toBe(true)
        const { items, results } = await detail(again, job.id)
        expect(items).toEqual({ waiting: 0, running: 0, done: 4, failed: 0, skipped: 0, interrupted: 2 })

        const asked = upstream.requests.slice(sent).map((request) => request.text())
        expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
        expect(asked).toHaveLength(requests)
        expect(new Set(results.map(({ replayId }) => replayId)).size).toBe(requests)
        // Not charged: the upstream had not sent anything yet.
        expect(results.filter(({ state }) => state === 'interrupted').map(({ result }) => result?.charged ?? '0')).toEqual(['0', '0'])
        const { user } = await again.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
        expect([Number(user.balance), user.held]).toEqual([1 - (requests + 4) * costOfOne, '0'])
      } finally {
        for (const one of running) await one.stop()
        await upstream.close()
      }
      const view = await openStoredView(
        engine === 'postgres' ? { databaseUrl: database.env.DATABASE_URL ?? '' } : { dataFolder: join(folder, 'one/data') },
      )
      try {
        expect(await view.wrongBooks()).toEqual([])
      } finally {
        await view.close()
        await database.drop()
        rmSync(folder, { recursive: true, force: true })
      }
    }, 120_000)
