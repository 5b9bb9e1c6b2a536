/** The accounts of four processes on one PostgreSQL behave as one, whatever arrives concurrently and whichever process is killed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BooksView, openBooksView } from '#testing/books/view'
import { engines } from '#testing/database/database'
import { gate, respondJson, wait } from '#testing/upstream/scripted-answers'

import { chatAnswer } from './support/chat-answer.ts'
import { testModel } from './support/gateway.ts'
import { startTogether, type Together } from './support/together.ts'

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })
/** Nano-dollars: a quarter of the bytes at 1 USD and 1000 tokens at 2 USD per million; an answer costs exactly this much. */
const inputTokens = Math.ceil(Buffer.byteLength(body) / 4)
const costNano = inputTokens * 1000 + 1000 * 2000
const usd = (requests: number) => ((requests * costNano) / 1e9).toFixed(9).replace(/\.?0+$/, '')
const answer = chatAnswer({ prompt_tokens: inputTokens, completion_tokens: 1000, total_tokens: inputTokens + 1000 })

describe.if(engines.includes('postgres'))('money over four processes', () => {
  let together: Together
  let books: BooksView
  let folder: string

  beforeAll(async () => {
    together = await startTogether(4, respondJson(200, answer))
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    books = await openBooksView(together.database.url)
  }, 120_000)
  afterAll(async () => {
    await books?.close()
    await together?.close()
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  const urlOf = (n: number) => together.urls[n % 4] ?? ''
  const balances = (cookie: string) =>
    Promise.all(
      together.urls.map(async (url) => {
        const reply = await fetch(`${url}/api/session`, { headers: { cookie } })
        return ((await reply.json()) as { user: { balance: string } }).user.balance
      }),
    )

  /** The balances as all processes know them: on others than the one that answered, within a second (CONTRACT 4). */
  async function balancesIn(ms: number, cookie: string, expected: string): Promise<string[]> {
    const until = performance.now() + ms
    for (;;) {
      const now = await balances(cookie)
      if (now.every((balance) => balance === expected) || performance.now() > until) return now
      await wait(20)
    }
  }

  /** Sends two hundred requests at once, spread over all processes; answers how many had reached the upstream when all were decided. */
  async function herd(key: string): Promise<number> {
    const held = gate(respondJson(200, answer))
    together.upstream.answer(held.script)
    let refused = 0
    const asked = Array.from({ length: 200 }, async (_, n) => {
      const { status } = await together.ask(urlOf(n), key, body)
      if (status === 429) refused += 1
      return status
    })
    for (let tries = 0; refused + held.waiting() < 200 && tries < 1000; tries++) await wait(20)
    const reached = held.waiting()
    held.open()
    const statuses = await Promise.all(asked)
    together.upstream.answer(respondJson(200, answer))
    expect(statuses.filter((status) => status === 200)).toHaveLength(reached)
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - reached)
    return reached
  }

  /**
   * Sends two hundred requests at once on a key with money for ten: never more pass, and what a busy machine refused, because idle slices
   * of the other processes were returned later than after a quarter of a second, can still be spent completely.
   */
  async function fillTen(key: string): Promise<void> {
    const reached = await herd(key)
    console.log(`of 200 at once on four processes ${reached} reached the upstream, with money for 10`)
    expect(reached).toBeWithin(7, 11)
    let later = reached
    for (let tries = 0; later < 10 && tries < 100; tries++) {
      if ((await together.ask(urlOf(tries), key, body)).status === 200) later += 1
      else await wait(50)
    }
    expect(later).toBe(10)
    expect((await together.ask(urlOf(0), key, body)).status).toBe(429)
  }

  test('L-1 two hundred at once with credit for ten, cold: ten reach the upstream, and never more', async () => {
    const { key, session } = await together.gateway.user('cold', usd(10))
    await together.known(key)
    await fillTen(key)
    expect(await balancesIn(20_000, session.cookie, '0')).toEqual(['0', '0', '0', '0'])
    expect(await books.wrong()).toEqual([])
  }, 60_000)

  test('L-1 the same when all four have slices already, and for a budget', async () => {
    const { key } = await together.gateway.user('warm', usd(14))
    await together.known(key)
    for (const url of together.urls) expect((await together.ask(url, key, body)).status).toBe(200)
    await fillTen(key)
    const { session } = await together.gateway.user('rich', '1000')
    const budget = { total: usd(10), daily: usd(12), timezone: 'Asia/Kolkata' }
    const bounded = await session.call<{ key: string }>('POST', '/api/keys', { name: 'bounded', budget })
    await together.known(bounded.key)
    await fillTen(bounded.key)
    expect(await books.wrong()).toEqual([])
  }, 60_000)

  test('L-2 the same credit a hundred times at once, at all of them: given once', async () => {
    const { id, session } = await together.gateway.user('credited', '1')
    const credit = (n: number) =>
      fetch(`${urlOf(n)}/api/users/${id}/credit`, {
        method: 'POST',
        headers: { cookie: together.gateway.admin.cookie, 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ amount: '2', reason: 'r' }),
      })
    const statuses = await Promise.all(Array.from({ length: 100 }, async (_, n) => (await credit(n)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await balances(session.cookie)).toEqual(['3', '3', '3', '3'])
    expect(await books.wrong()).toEqual([])
  }, 60_000)

  test('L-6, L-9 one is killed in the middle and starts again: every answer is in the books once, and nothing stays on lease', async () => {
    const { key, id } = await together.gateway.user('steady', '1000')
    await together.known(key)
    const doomed = await together.start({ folder })
    const urls = [...together.urls, doomed.url]
    const answered: string[] = []
    let isOver = false
    const load = urls.map(async (url) => {
      while (!isOver) {
        const reply = await together.ask(url, key, body).catch(() => undefined)
        if (reply?.status === 200) answered.push(reply.headers.get('x-request-id') ?? '')
        await reply?.text().catch(() => undefined)
        // The one that is killed is never without a request.
        if (url !== doomed.url) await wait(10)
      }
    })
    await wait(1_000)
    process.kill(doomed.pid, 'SIGKILL')
    await wait(1_000)
    isOver = true
    await Promise.all(load)
    await doomed.stop()
    expect(await books.leased(id)).toBeGreaterThan(0n)
    const again = await together.start({ folder })
    await again.stop()
    for (const program of together.programs) await program.stop()
    await together.gateway.program.stop()
    const charges = await books.charges()
    expect(answered.length).toBeGreaterThan(50)
    expect(answered.filter((one) => charges.get(one) !== BigInt(costNano))).toEqual([])
    expect(await books.wrong()).toEqual([])
    expect(await books.leased(id)).toBe(0n)
    expect(await books.live()).toBe(0)
  }, 60_000)
})
