/**
 * True numbers: what pages show, what the API says, and what the ledger holds by SQL are the same to the nano-dollar; and the command
 * line's report, too. On PostgreSQL, whose ledger is read beside the running program.
 */
import { openBooksView } from '#testing/books/view'
import { type NewDatabase, newPostgresDatabase } from '#testing/database/postgres-server'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { test as base, expect } from './support/browser-test.ts'
import { openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

const test = base.extend<{ ledger: NewDatabase; own: Program }>({
  ledger: async ({ browserName: _ }, use) => {
    const database = await newPostgresDatabase()
    await use(database)
    await database.drop()
  },
  own: async ({ ledger }, use) => {
    const program = await startProgram({ env: { ...administrator, DATABASE_URL: ledger.url } })
    await use(program)
    await program.stop()
  },
  baseURL: async ({ own }, use) => use(own.url),
})

/** Prices whose products need every place of a nano-dollar, and rounding. */
const prices = { odd: { input: '0.333333333', output: '7.777777777' }, even: { input: '1.25', output: '10' } }
const usd = (nano: bigint) => {
  const digits = String(nano).padStart(10, '0')
  const [whole, places] = [digits.slice(0, -9), digits.slice(-9).replace(/0+$/, '')]
  return places === '' ? whole : `${whole}.${places}`
}
const nano = (text: string) => {
  const [whole = '0', places = ''] = text.replace('$', '').split('.')
  return BigInt(whole + places.padEnd(9, '0'))
}
const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n)

test('overview, usage, requests and keys equal the API, and both the ledger', async ({ page, own, ledger }) => {
  test.setTimeout(180_000)
  const upstream = await scriptedUpstream()
  const api = await consoleApi(own)
  await api('POST', '/api/channels', {
    name: 'numbers',
    vendor: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    keys: ['sk-vendor'],
    models: Object.keys(prices),
  })
  for (const [model, price] of Object.entries(prices)) await api('PUT', `/api/prices/${model}`, price)
  const keys = new Map<string, string>()
  for (const name of ['one', 'two']) keys.set(name, ((await api('POST', '/api/keys', { name })) as { key: string }).key)
  const { user: before } = (await api('GET', '/api/session')) as { user: { balance: string } }

  let n = 0
  for (const secret of keys.values()) {
    for (const model of ['odd', 'even', 'odd']) {
      n += 1
      const usage = { prompt_tokens: 1000 + 7 * n, completion_tokens: 13 * n, total_tokens: 1000 + 20 * n }
      const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }]
      upstream.answer(respondJson(200, { id: 'c', object: 'chat.completion', created: 1, model, choices, usage }))
      const answer = await fetch(`${own.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await answer.text()
      expect(answer.status).toBe(200)
    }
  }

  // The ledger, by SQL.
  const books = await openBooksView(ledger.url)
  await expect.poll(async () => (await books.charges()).size).toBe(n)
  const charges = await books.charges()
  expect(await books.wrong()).toEqual([])
  await books.close()
  const total = sum([...charges.values()])

  // The API.
  type Row = { requestId: string; model: string; key: string; charged: string; cost: string }
  const rows = ((await api('GET', '/api/logs?limit=200')) as { data: Row[] }).data
  expect(new Map(rows.map((row) => [row.requestId, nano(row.charged)]))).toEqual(charges)
  const by = (of: 'model' | 'key', name: string) => usd(sum(rows.filter((row) => row[of] === name).map((row) => nano(row.charged))))
  const report = async (query: string) => ((await api('GET', `/api/usage${query}`)) as { data: { charged: string; model?: string }[] }).data
  expect((await report('')).map(({ charged }) => charged)).toEqual([usd(total)])
  expect((await report('?by=model')).map(({ model, charged }) => [model, charged])).toEqual(
    ['even', 'odd'].map((model) => [model, by('model', model)]),
  )
  const overview = (await api('GET', '/api/overview')) as { now: { charged: string } }
  expect(overview.now.charged).toBe(usd(total))
  for (const model of Object.keys(prices)) {
    const of = (await api('GET', `/api/overview?model=${model}`)) as { now: { charged: string } }
    expect([model, of.now.charged]).toEqual([model, by('model', model)])
  }
  for (const name of keys.keys()) {
    const of = (await api('GET', `/api/overview?key=${name}`)) as { now: { charged: string } }
    expect([name, of.now.charged]).toEqual([name, by('key', name)])
  }
  type Line = { kind: string; amount: string; entries?: number }
  const { id: wallet } = ((await api('GET', '/api/session')) as { user: { id: string } }).user
  const lines = ((await api('GET', `/api/users/${wallet}/entries?by=day&limit=200`)) as { data: Line[] }).data
  const days = lines.filter(({ kind }) => kind === 'usage')
  expect(sum(days.map(({ amount }) => -nano(amount.replace('-', ''))))).toBe(-total)
  expect(days.reduce((all, { entries = 0 }) => all + entries, 0)).toBe(n)
  const { user: after } = (await api('GET', '/api/session')) as { user: { balance: string } }
  expect(nano(before.balance) - nano(after.balance)).toBe(total)
  for (const [name, key] of keys) {
    const facts = (await (await fetch(`${own.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })).json()) as { spent: string }
    expect([name, facts.spent]).toEqual([name, by('key', name)])
  }

  // The pages, which have the exact amount where they show it shorter.
  const exact = (amount: string) => page.locator(`[title="$${amount}"]`).first()
  await openConsole(page, '/overview')
  await expect(exact(usd(total))).toBeVisible()
  const [[model]] = Object.entries(prices) as [[string, unknown]]
  const models = page.locator('.card', { has: page.getByRole('heading', { name: 'Top models' }) })
  await models.getByRole('link', { name: model }).click()
  await expect(page).toHaveURL(new RegExp(`model=${model}`))
  await expect(page.locator('.stat', { hasText: 'Spend' }).locator(`[title="$${by('model', model)}"]`)).toBeVisible()
  await page.reload()
  await expect(page.locator('.stat', { hasText: 'Spend' }).locator(`[title="$${by('model', model)}"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.locator('.stat', { hasText: 'Spend' }).locator(`[title="$${usd(total)}"]`)).toBeVisible()
  await page.goto(`/admin/users/${wallet}`)
  for (const { amount } of days) await expect(page.locator(`[title="$${amount}"]`).first()).toBeVisible()
  await page.goto('/usage?days=1')
  await expect(exact(usd(total))).toBeVisible()
  for (const model of Object.keys(prices))
    await expect(page.getByRole('row', { name: model }).locator(`[title="$${by('model', model)}"]`)).toBeVisible()
  await page.goto('/usage?days=1&by=key')
  for (const name of keys.keys()) await expect(page.getByRole('row', { name }).locator(`[title="$${by('key', name)}"]`)).toBeVisible()
  await page.goto('/requests')
  for (const { cost } of rows) await expect(page.locator(`[title="$${cost}"]`).first()).toBeVisible()
  const [row] = rows
  await page.goto(`/requests/${row?.requestId}`)
  await expect(exact(row?.cost ?? '')).toBeVisible()
  await upstream.close()
})
