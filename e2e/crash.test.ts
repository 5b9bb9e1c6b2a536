/**
 * `kill -9` under load at random moments, and a restart in the same folder: the books are correct each time, every complete answer is in
 * them once, no hold remains, and whatever is lost was in flight. PARLEY_KILLS sets the number of kills (twice by default, twenty times in
 * a deep run), PARLEY_SEED the moments.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultyDatabase } from '#testing/books/faulty-database'
import { engines } from '#testing/database/database'
import { type Program, startProgram } from '#testing/program/program'
import { isDeep, runSeed } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { goodStream, truth, wires } from './support/faults/wires.ts'
import { soon } from './support/raw-client.ts'

const kills = Number(process.env.PARLEY_KILLS ?? (isDeep ? 20 : 2))
const seed = runSeed
const model = 'gpt-test'
const key = 'sk-of-the-payer'
/** Nano-dollars per answer, and the balance. */
const costOfOne = 2_000_000n
const credit = 10_000n * costOfOne

const wire = wires.chat
const config = (upstream: string) =>
  JSON.stringify({
    channels: [{ name: 'only', vendor: 'openai-compatible', baseUrl: upstream, keys: ['sk-vendor'], models: [model] }],
    prices: { [model]: { input: '1', output: '2' } },
    users: [{ name: 'payer', balance: String(Number(credit) / 1e9) }],
    keys: [{ name: 'of payer', user: 'payer', key }],
  })

/** Sends requests until stopped or until the server is gone; tells the id of each complete answer, and returns the number of the others. */
async function line(program: Program, isStream: boolean, over: AbortSignal, tell: (id: string) => void): Promise<number> {
  let broken = 0
  while (!over.aborted) {
    try {
      const answer = await fetch(`${program.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream: isStream, max_tokens: 1000, messages: [{ role: 'user', content: 'hi' }] }),
      })
      const text = await answer.text()
      const id = answer.headers.get('x-request-id') ?? ''
      if (answer.status === 200 && (!isStream || text.endsWith('data: [DONE]\n\n'))) tell(id)
      else broken += 1
    } catch {
      broken += 1
    }
  }
  return broken
}

test.if(engines.includes('postgres'))(
  `kill -9 at ${kills} moments under load: the books are whole after each, and what was answered is in them`,
  async () => {
    const database = await faultyDatabase()
    const folder = mkdtempSync(join(tmpdir(), 'parley-crash-'))
    const upstream = await scriptedUpstream(async (exchange) => {
      const isStream = exchange.request.text().includes('"stream":true')
      await (isStream ? stream(goodStream(wire), { everyMs: 5 }) : respondJson(200, JSON.parse(wire.whole(truth))))(exchange)
    })
    const random = seeded(seed)
    const options = { folder, config: config(upstream.url), env: { DATABASE_URL: database.url } }
    const answered = new Set<string>()
    let lost = 0
    const lines = 8
    let program = await startProgram(options)
    try {
      for (let round = 0; round < kills; round++) {
        const over = new AbortController()
        const first = Promise.withResolvers<void>()
        const tell = (id: string) => {
          answered.add(id)
          first.resolve()
        }
        const asking = Array.from({ length: lines }, (_, number) => line(program, number % 2 === 0, over.signal, tell))
        // A slow machine may take seconds for the first answer; without one, a kill would show little.
        await Promise.race([first.promise, wait(30_000)])
        await wait(300 + random.below(1_500))
        process.kill(program.pid, 'SIGKILL')
        over.abort()
        for (const broken of await Promise.all(asking)) lost += broken
        await program.stop()
        program = await startProgram(options)

        const rows = async () => new Set((await database.run<{ id: string }>('select request_id as id from logs')).map(({ id }) => id))
        const missing = async () => {
          const there = await rows()
          return [...answered].filter((id) => !there.has(id))
        }
        expect([round, await soon(async () => (await missing()).length === 0, 30_000)]).toEqual([round, true])
        await soon(async () => (await database.wrongs()).length === 0, 30_000)
        expect([round, await database.wrongs()]).toEqual([round, []])
        const held = async () => (await database.run<{ sum: string }>('select coalesce(sum(held), 0)::text as sum from leases'))[0]?.sum
        expect([round, await soon(async () => (await held()) === '0', 30_000)]).toEqual([round, true])
      }
      const twice = await database.run('select ref from entries group by ref having count(*) > 1')
      expect(twice).toEqual([])
      const [spent] = await database.run<{ sum: string }>('select coalesce(sum(charged), 0)::text as sum from logs')
      console.log(`${kills} kills, seed ${seed}: ${answered.size} answered, ${lost} in flight`)
      expect(answered.size).toBeGreaterThan(0)
      expect(lost).toBeLessThanOrEqual(kills * lines)
      // Complete answers are charged by their true usage, those in flight at most by what was delivered.
      expect(BigInt(spent?.sum ?? 0) >= BigInt(answered.size) * costOfOne).toBe(true)
      expect(BigInt(spent?.sum ?? 0) <= BigInt(answered.size + lost) * costOfOne).toBe(true)
    } finally {
      await program.stop()
      await upstream.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000 + kills * 60_000,
)
