/**
 * Selling on over three processes, two of which are killed and started again in the middle: a herd redeems codes while wallets are spent, and
 * a payment system delivers at least once. Each code and each payment is credited once, and the books are exact.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BooksView, openBooksView } from '#testing/books/view'
import { engines } from '#testing/database/database'
import type { Program } from '#testing/program/program'
import { runSeed } from '#testing/sample'
import { respondJson, wait } from '#testing/upstream/scripted-answers'
import { chatAnswer } from './support/chat-answer.ts'
import { type Session, testModel } from './support/gateway.ts'
import { deliver, type PaymentEvent } from './support/payment-system.ts'
import { soon } from './support/raw-client.ts'
import { startTogether, type Together } from './support/together.ts'

const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1000 })

describe.if(engines.includes('postgres'))('selling over three processes', () => {
  let together: Together
  let books: BooksView
  let folders: string[]
  let doomed: Program[]

  beforeAll(async () => {
    together = await startTogether(1, respondJson(200, chatAnswer()))
    folders = await Promise.all(['a', 'b'].map((name) => mkdtemp(join(tmpdir(), `parley-selling-${name}-`))))
    doomed = await Promise.all(folders.map((folder) => together.start({ folder })))
    books = await openBooksView(together.database.url)
  }, 120_000)
  afterAll(async () => {
    await books?.close()
    for (const program of doomed ?? []) await program.stop()
    await together?.close()
    for (const folder of folders ?? []) await rm(folder, { recursive: true, force: true })
  }, 60_000)

  const urls = () => [together.gateway.url, ...doomed.map(({ url }) => url)]
  const admin = () => together.gateway.admin

  /** Every entry of a wallet. */
  async function entriesOf(id: string): Promise<{ ref: string }[]> {
    const all: { ref: string }[] = []
    for (let after: string | null = ''; after !== null; ) {
      const path: string = `/api/users/${id}/entries?limit=200${after && `&after=${after}`}`
      const page = await admin().call<{ data: { ref: string }[]; next: string | null }>('GET', path)
      all.push(...page.data)
      after = page.next
    }
    return all
  }

  /** Kills both in turns, twice each, while the work continues. */
  async function killing(isOver: () => boolean): Promise<number> {
    let kills = 0
    for (let n = 0; n < 4 && !isOver(); n++) {
      await wait(400)
      const [program, folder] = [doomed[n % 2], folders[n % 2]]
      if (!program || folder === undefined) continue
      process.kill(program.pid, 'SIGKILL')
      kills += 1
      await program.stop()
      doomed[n % 2] = await together.start({ folder })
    }
    return kills
  }

  /** Redeems at this address until an answer comes. */
  async function redeem(url: () => string, { cookie }: Session, code: string): Promise<{ status: number; code?: string }> {
    for (let tries = 0; tries < 200; tries++) {
      try {
        const answer = await fetch(`${url()}/api/codes/redeem`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json' },
          body: JSON.stringify({ code }),
        })
        const said = (await answer.json()) as { error?: { code: string } }
        if (answer.status < 500 && said.error?.code !== 'not_signed_in')
          return { status: answer.status, ...(said.error && { code: said.error.code }) }
      } catch {
        // It was killed.
      }
      await wait(50)
    }
    throw new Error('no answer')
  }

  test('a herd redeems sixty codes at all of them, with kills: each is credited once', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, (_, n) => together.gateway.user(`buyer ${n}`, '1')))
    const plan = await admin().call<{ id: string }>('POST', '/api/plans', { name: 'pro', windows: [{ every: '5h', amount: '1000' }] })
    const { codes } = await admin().call<{ codes: { code: string }[] }>('POST', '/api/codes', {
      count: 60,
      value: '1.000000001',
      plan: plan.id,
      days: 1,
    })
    let over = false
    const spending = people.map(async ({ key }, n) => {
      while (!over) {
        const answer = await together.ask(urls()[n % 3] ?? '', key, body).catch(() => undefined)
        await answer?.text().catch(() => undefined)
        await wait(20)
      }
    })
    const kills = killing(() => over)
    // Attempts under way count as guesses, so everybody redeems one code after the other, each at all three at once.
    const attempts = await Promise.all(
      people.map(async ({ session }, n) => {
        const own: { status: number; code?: string }[][] = []
        for (const { code } of codes.filter((_, place) => place % people.length === n)) {
          const stranger = people[(n + 1) % people.length]?.session ?? session
          const tries = [0, 1, 2, 0, 1, 2].map((place) => redeem(() => urls()[place] ?? '', session, code))
          own.push(await Promise.all(own.length === 5 ? [...tries, redeem(() => urls()[2] ?? '', stranger, code)] : tries))
        }
        return own
      }),
    ).then((all) => all.flat())
    over = true
    console.log(`${await kills} kills, ${attempts.flat().length} attempts at ${codes.length} codes`)
    await Promise.all(spending)
    // A redemption that was committed and killed before its answer has no 201: a retry gets `code_used`.
    for (const answers of attempts) {
      expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1)
      for (const { status, code } of answers) if (status !== 201) expect(['code_used', 'invalid_code']).toContain(code ?? '')
    }
    expect(attempts.filter((answers) => answers.some(({ status }) => status === 201)).length).toBeGreaterThan(50)
    const { data } = await admin().call<{ data: { state: string; redeemedBy: { id: string } }[] }>('GET', '/api/codes?limit=200')
    expect(data.map(({ state }) => state)).toEqual(Array.from({ length: 60 }, () => 'redeemed'))
    // Ten days for the redeemer of ten codes of a day each: codes extend a running plan.
    for (const { id } of people) {
      const days = data.filter(({ redeemedBy }) => redeemedBy.id === id).length
      const { plan } = await admin().call<{ plan: { from: string; until: string } }>('GET', `/api/plan?user=${id}`)
      expect(Math.round((Date.parse(plan.until) - Date.parse(plan.from)) / 86_400_000)).toBe(days)
      const entries = await entriesOf(id)
      expect(entries.filter(({ ref }) => ref.startsWith('code:'))).toHaveLength(days)
    }
    expect(await soon(async () => (await books.wrong()).length === 0, 30_000)).toBe(true)
    expect(await books.wrong()).toEqual([])
  }, 180_000)

  test('a payment system that repeats, reorders and times out, with kills: each payment once, each answer the same', async () => {
    const payer = await together.gateway.user('payer', '0')
    const { key } = await admin().call<{ key: string }>('POST', '/api/management-keys', { name: 'payments', scopes: ['credits'] })
    // Every instance knows the key before it is used, as a payment system's is.
    const isKnown = async (url: string) =>
      (await fetch(`${url}/api/credits`, { headers: { authorization: `Bearer ${key}` } })).status === 200
    for (const url of urls()) expect(await soon(() => isKnown(url), 30_000)).toBe(true)
    const events = Array.from({ length: 40 }, (_, n): PaymentEvent[] => [
      { reference: `ch_${n}`, user: 'payer', amount: '2.5', reason: `order ${n}` },
      ...(n % 4 === 0 ? [{ reference: `re_${n}`, of: `ch_${n}`, amount: '1.25', reason: 'returned' }] : []),
    ]).flat()
    let over = false
    const kills = killing(() => over)
    const told = await deliver(events, { urls, headers: { authorization: `Bearer ${key}` }, seed: runSeed, times: 8 })
    over = true
    console.log(`${await kills} kills, ${told.sent} deliveries of ${events.length} events, ${told.timedOut} without an answer`)
    expect(told.refused).toEqual([])
    expect(told.timedOut).toBeGreaterThan(0)
    for (const { reference } of events) expect([reference, new Set(told.answers.get(reference)).size]).toEqual([reference, 1])
    const { user } = await payer.session.call<{ user: { balance: string } }>('GET', '/api/session')
    expect(user.balance).toBe('87.5')
    const ofOne = await admin().call<{ data: { reference: string }[] }>('GET', '/api/credits?reference=ch_4')
    expect(ofOne.data.map(({ reference }) => reference).sort()).toEqual(['ch_4', 're_4'])
    // Another payment under a reference that is taken is a conflict, at every one of them.
    for (const url of urls()) {
      const again = await fetch(`${url}/api/credits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ reference: 'ch_1', user: 'payer', amount: '3', reason: 'order 1' }),
      })
      expect([again.status, ((await again.json()) as { error: { code: string } }).error.code]).toEqual([409, 'idempotency_conflict'])
    }
    expect(await soon(async () => (await books.wrong()).length === 0, 30_000)).toBe(true)
  }, 180_000)
})
