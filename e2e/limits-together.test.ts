/** Limits of one key across four processes on one PostgreSQL, as if they were one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rateCalls } from '#testing/books/limit-calls'
import { engines } from '#testing/database/database'
import { faults, gate, respondJson, wait } from '#testing/upstream/scripted-answers'
import type { Script, ScriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import { type Session, testModel } from './support/gateway.ts'
import { startTogether, type Together } from './support/together.ts'

const answer = chatAnswer({ prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 })
const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 400 })
/** The estimate for a request before its answer: a quarter of its bytes, and its output limit. */
const tokensEach = Math.ceil(Buffer.byteLength(body) / 4) + 400

describe.if(engines.includes('postgres'))('limits over four processes', () => {
  let together: Together
  let upstream: ScriptedUpstream
  let person: Session
  let urls: string[]

  beforeAll(async () => {
    together = await startTogether(4, respondJson(200, answer))
    ;({ upstream, urls } = together)
    person = (await together.gateway.user('person', '1000')).session
  }, 120_000)
  afterAll(() => together?.close(), 60_000)

  /** A new key that every process knows. */
  async function keyWith(limits: Record<string, number>): Promise<string> {
    const { key } = await person.call<{ key: string }>('POST', '/api/keys', { name: JSON.stringify(limits), limits })
    await together.known(key)
    return key
  }
  const ask = (url: string, key: string, signal?: AbortSignal) => together.ask(url, key, body, signal)
  const urlOf = (n: number) => urls[n % urls.length] ?? ''

  /** Sends this many requests at once, spread over all processes; answers the number of each status. */
  async function herd(key: string, count: number): Promise<Record<number, number>> {
    const counted: Record<number, number> = {}
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const response = await ask(urlOf(n), key)
        await response.text()
        counted[response.status] = (counted[response.status] ?? 0) + 1
      }),
    )
    return counted
  }

  /**
   * Sends this many requests at once on a key with room for `most`: never more pass, and those that a busy machine refused, because a
   * process waited too long for its share, still pass one by one, up to the last.
   */
  async function fill(key: string, count: number, most: number): Promise<void> {
    const counted = await herd(key, count)
    let passed = counted[200] ?? 0
    expect(passed + (counted[429] ?? 0) + (counted[503] ?? 0)).toBe(count)
    expect(passed).toBeWithin(Math.floor(most * 0.7), most + 1)
    for (let tries = 0; passed < most && tries < 200; tries++) {
      if ((await ask(urlOf(tries), key)).status === 200) passed += 1
      else await wait(50)
    }
    expect(passed).toBe(most)
  }

  /** The same while the upstream holds every answer until all requests are decided; also answers how many reached it. */
  async function heldHerd(key: string, count: number, expected: number): Promise<{ reached: number; counted: Record<number, number> }> {
    const held = gate(respondJson(200, answer))
    upstream.answer(held.script)
    const all = herd(key, count)
    for (let tries = 0; tries < 400 && held.waiting() < expected; tries++) await wait(25)
    await wait(1_000)
    const reached = held.waiting()
    held.open()
    upstream.answer(respondJson(200, answer))
    return { reached, counted: await all }
  }

  test('requests per minute: of 200 at once exactly 100 pass, and nobody who comes later is let through', async () => {
    const key = await keyWith({ rpm: 100 })
    const before = upstream.requests.length
    await fill(key, 200, 100)
    expect(upstream.requests.length - before).toBe(100)
    const late = await together.start()
    const refused = await ask(late.url, key)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 71)
    await late.stop()
  }, 60_000)

  test('what one process has taken ahead is not lost to the others: exactly 100 all the same', async () => {
    const key = await keyWith({ rpm: 100 })
    for (let n = 0; n < 30; n++) expect((await ask(urlOf(0), key)).status).toBe(200)
    await fill(key, 160, 70)
    expect((await ask(urlOf(1), key)).status).toBe(429)
  }, 60_000)

  test('clients get what is left, over all processes', async () => {
    const key = await keyWith({ rpm: 3 })
    for (const left of ['2', '1', '0']) {
      const response = await ask(urlOf(Number(left)), key)
      expect(response.headers.get('x-ratelimit-limit-requests')).toBe('3')
      expect(response.headers.get('x-ratelimit-remaining-requests')).toBe(left)
    }
  }, 60_000)

  test('at once: of 200 exactly 10 reach the upstream; under load never more than 10 are there', async () => {
    const key = await keyWith({ concurrency: 10 })
    const first = await heldHerd(key, 200, 10)
    expect(first.reached).toBeWithin(7, 11)
    expect(first.counted[200]).toBe(first.reached)

    let open = 0
    let most = 0
    const busy: Script = async (exchange) => {
      open += 1
      most = Math.max(most, open)
      await wait(10 + 40 * Math.random())
      open -= 1
      await respondJson(200, answer)(exchange)
    }
    upstream.answer(busy)
    const statuses: number[] = []
    const until = performance.now() + 2_000
    await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        while (performance.now() < until) {
          const response = await ask(urlOf(n), key)
          await response.text()
          statuses.push(response.status)
          if (response.status !== 200) await wait(20)
        }
      }),
    )
    upstream.answer(respondJson(200, answer))
    const passed = statuses.filter((status) => status === 200).length
    console.log(`requests at once, limit 10: at most ${most} at the upstream, ${passed} of ${statuses.length} passed in 2 s`)
    expect(statuses.every((status) => [200, 429, 503].includes(status))).toBe(true)
    expect(most).toBeLessThanOrEqual(10)
    expect(passed).toBeGreaterThan(50)
  }, 60_000)

  test('tokens per minute: as many pass at once as fit, and what they did not use is there again', async () => {
    const key = await keyWith({ tpm: tokensEach * 25 })
    const first = await heldHerd(key, 100, 25)
    expect(first.reached).toBeWithin(18, 26)
    expect(first.counted[200]).toBe(first.reached)
    // 25 answers of 20 tokens each were used of the limit, at most.
    await wait(500)
    const second = await herd(key, 20)
    expect(second).toEqual({ 200: 20 })
  }, 60_000)

  test('a thousand requests on a warm key: few calls to the database for its limits', async () => {
    const key = await keyWith({ rpm: 1_000_000, tpm: 1_000_000_000, concurrency: 1000 })
    const calls = () => rateCalls(together.database.url)
    const run = (count: number) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let n = 0; n < count / 8; n++) expect((await ask(urlOf(0), key)).status).toBe(200)
        }),
      )
    const start = await calls()
    await run(100)
    const warm = await calls()
    await run(1000)
    const end = await calls()
    console.log(`calls for limits: ${warm - start} for the first 100 requests, ${end - warm} for 1,000 on a warm key`)
    expect(end - warm).toBeLessThan(300)
  }, 120_000)

  test('the places of a killed process come back', async () => {
    const { id, key } = await person.call<{ id: string; key: string }>('POST', '/api/keys', {
      name: 'orphaned',
      limits: { concurrency: 10 },
    })
    await together.known(key)
    const doomed = together.programs[2]
    const url = doomed?.url ?? ''
    urls.splice(urls.indexOf(url), 1)
    upstream.answer(faults.hang)
    const before = upstream.requests.length
    const lost = Array.from({ length: 10 }, () => ask(url, key).catch(() => undefined))
    await upstream.received(before + 9)
    upstream.answer(respondJson(200, answer))
    expect((await ask(urlOf(0), key)).status).toBe(429)
    process.kill(doomed?.pid ?? 0, 'SIGKILL')
    await doomed?.stop()
    await Promise.all(lost)
    const killed = performance.now()
    await wait(1_000)
    expect((await ask(urlOf(0), key)).status).toBe(429)
    // The half minute after which it counts as lost.
    await using sql = new Bun.SQL(together.database.url, { max: 1 })
    const holders = sql`select holder from rate_places where strpos(rate_id, ${id}) > 0`
    const aged = await sql`update rate_holders set seen = seen - interval '30 seconds' where id in (${holders}) returning id`
    expect(aged).toHaveLength(1)
    let status = 429
    while (status === 429 && performance.now() - killed < 90_000) {
      await wait(250)
      status = (await ask(urlOf(1), key)).status
    }
    console.log(`places of a killed process came back after ${((performance.now() - killed) / 1000).toFixed(1)} s`)
    expect(status).toBe(200)
    expect(await heldHerd(key, 30, 10)).toEqual({ reached: 10, counted: { 200: 10, 429: 20 } })
  }, 180_000)
})
