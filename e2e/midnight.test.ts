/**
 * Midnight for a running program on PostgreSQL: many keys have a daily budget each, all of them ask in the last hour of the day and again
 * in the first seconds of the next, in which all windows begin, while keys in use continue. No request that can be paid is refused, none
 * that cannot is served, and keys in use are not affected.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type BooksView, openBooksView } from '#testing/books/view'
import { budgetedKey, openedWindows, putBudgetedKeys } from '#testing/database/budgeted-keys'
import { engines } from '#testing/database/database'
import { type NewDatabase, newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, startProgram } from '#testing/program/program'
import { standingClock } from '#testing/program/standing-clock'
import { isDeep } from '#testing/sample'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatAnswer } from './support/chat-answer.ts'
import type { Crowd, CrowdOutcome } from './support/crowd.ts'

const keyCount = isDeep ? 20_000 : 400
/** The number of concurrent keys: the traffic of a normal day, not a flood. */
const callers = 32
/** The guarantee for a key in use, and the limit asserted on a shared machine. */
const [promisedMs, slack] = [50, 20]
/** Keys in use: one without a budget, one whose window begins as well. */
const warmKeys = ['sk-warm-free', 'sk-warm-bounded']
/** So many requests a day are what each budget has room for. */
const perDay = 3
/** The last of the keys have used up their budgets before midnight. */
const spentKeys = 3

const bodyFor = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })
const body = bodyFor('gpt-calm')
/** Nano-dollars at 1 and 2 USD per million: a quarter of the bytes, and 1000 tokens. What is held and charged is the same. */
const tokens = Math.ceil(Buffer.byteLength(body) / 4)
const cost = BigInt(tokens * 1_000 + 1_000 * 2_000)
const usage = { prompt_tokens: tokens, completion_tokens: 1000, total_tokens: tokens + 1000 }

const day = 86_400_000
const midnight = new Date((Math.floor(Date.now() / day) + 1) * day)
const standsAt = new Date(midnight.getTime() - 1_500)

const declared = (calm: string, crowded: string) => `
channels:
  - { name: calm, vendor: openai-compatible, baseUrl: "${calm}/v1", keys: [sk-vendor], models: [gpt-calm] }
  - { name: crowded, vendor: openai-compatible, baseUrl: "${crowded}/v1", keys: [sk-vendor], models: [gpt-many] }
prices:
  gpt-calm: { input: 1, output: 2 }
  gpt-many: { input: 1, output: 2 }
users:
  - { name: warm, balance: 1000 }
keys:
  - { name: free, user: warm, key: sk-warm-free }
  - { name: bounded, user: warm, key: sk-warm-bounded, budget: { daily: 500 } }
`

describe.if(engines.includes('postgres'))('midnight', () => {
  let database: NewDatabase
  let upstream: ScriptedUpstream
  let crowd: Worker
  let program: Program
  let books: BooksView

  const told = <Answer>(message: Crowd | { usage: object }) =>
    new Promise<Answer>((resolve, reject) => {
      crowd.onmessage = ({ data }) => resolve(data)
      crowd.onerror = reject
      crowd.postMessage(message)
    })

  beforeAll(async () => {
    database = await newPostgresDatabase()
    books = await openBooksView(database.url)
    upstream = await scriptedUpstream(respondJson(200, chatAnswer(usage)))
    crowd = new Worker(new URL('./support/crowd.ts', import.meta.url))
    const today = new Date(midnight.getTime() - day)
    await putBudgetedKeys(database.url, { count: keyCount, limit: cost * BigInt(perDay), balance: cost * 1_000n, day: today })
    const config = declared(upstream.url, await told<string>({ usage }))
    program = await startProgram({ config, env: { ...standingClock(standsAt), DATABASE_URL: database.url, PARLEY_DEMO: 'off' } })
  }, 120_000)
  afterAll(async () => {
    await program?.stop()
    crowd?.terminate()
    await upstream?.close()
    await books?.close()
    await database?.drop()
  }, 60_000)

  async function ask(key: string): Promise<{ status: number; ms: number }> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const begun = performance.now()
    const answer = await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body })
    await answer.text()
    return { status: answer.status, ms: performance.now() - begun }
  }

  /** A key in use asks over and over; answers what became of its requests. */
  function warm(key: string): () => Promise<{ count: number; statuses: number[]; p50: number; p99: number }> {
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    let isOver = false
    const asking = (async () => {
      while (!isOver) {
        answers.push(await ask(key))
        await wait(10)
      }
    })()
    return async () => {
      isOver = true
      await asking
      const times = answers.map(({ ms }) => ms).sort((a, b) => a - b)
      const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))] ?? 0)
      return { count: times.length, statuses: [...new Set(answers.map(({ status }) => status))], p50: at(0.5), p99: at(0.99) }
    }
  }

  test(
    'the windows of tomorrow are open when it begins: everybody is served, and keys in use go on',
    async () => {
      const all = Array.from({ length: keyCount }, (_, n) => budgetedKey(n + 1))
      const spent = all.slice(-spentKeys)
      for (const key of spent) {
        for (let n = 0; n < perDay; n++) expect((await ask(key)).status).toBe(200)
        expect((await ask(key)).status).toBe(429)
      }
      for (const key of warmKeys) expect((await ask(key)).status).toBe(200)
      // A program that was started shortly before midnight opens them at once.
      while ((await openedWindows(database.url, midnight)) < keyCount) await wait(100)

      const [last = ''] = spent
      const others = all.slice(0, -spentKeys)
      /** Every key asks once; what became of that, and of the keys in use beside it. */
      async function everybody(keys: readonly string[]) {
        const beside = warmKeys.map(warm)
        const begun = performance.now()
        const outcome = await told<CrowdOutcome>({ url: program.url, keys, callers, body: bodyFor('gpt-many') })
        const wallMs = Math.round(performance.now() - begun)
        return { wallMs, outcome, warm: await Promise.all(beside.map((end) => end())) }
      }
      const before = await everybody(others)
      process.kill(program.pid, 'SIGUSR2')
      // A key whose budget is used up is refused until midnight, and from then on served.
      let refused = 0
      while ((await ask(last)).status === 429) refused += 1
      expect(refused).toBeGreaterThan(0)
      const after = await everybody([...others, ...spent.slice(1)])
      console.log(JSON.stringify({ keys: keyCount, callers, before, after }))

      expect(before.outcome).toEqual({ 200: others.length })
      expect(after.outcome).toEqual({ 200: keyCount - 1 })
      for (const { count, statuses, p99 } of [...before.warm, ...after.warm]) {
        expect(count).toBeGreaterThan(0)
        expect(statuses).toEqual([200])
        expect(p99).toBeLessThan(slack * promisedMs)
      }
      // The new day has room for as much as the old one, and no more.
      for (const key of spent) {
        for (let n = 1; n < perDay; n++) expect((await ask(key)).status).toBe(200)
        expect((await ask(key)).status).toBe(429)
      }
      await program.stop()
      expect(await books.wrong()).toEqual([])
    },
    isDeep ? 600_000 : 120_000,
  )
})
