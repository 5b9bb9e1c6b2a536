/**
 * User stories of the console: an operator at night, a holder of a key, an accountant. The fourth, an operator at the first start, is
 * `first-run.e2e.ts`. Each has its own Parley.
 */
import { readFileSync } from 'node:fs'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { test as base, expect } from './support/browser-test.ts'
import { openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { addUser } from './support/playground.ts'

const completion = (model: string) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
})
const refused = respondJson(401, { error: { message: 'no such key', type: 'invalid_request_error' } })

const test = base.extend<{ own: Program; upstream: ScriptedUpstream }>({
  own: async ({ browserName: _ }, use) => {
    const program = await startProgram({ env: administrator })
    await use(program)
    await program.stop()
  },
  baseURL: async ({ own }, use) => use(own.url),
  upstream: async ({ own }, use) => {
    const upstream = await scriptedUpstream()
    const api = await consoleApi(own)
    await api('POST', '/api/channels', {
      name: 'night-shift',
      vendor: 'openai-compatible',
      baseUrl: `${upstream.url}/v1`,
      keys: ['sk-vendor'],
      models: ['gpt-day', 'gpt-loss'],
      costs: { 'gpt-day': { input: '0.5', output: '1' }, 'gpt-loss': { input: '9', output: '9' } },
    })
    for (const model of ['gpt-day', 'gpt-loss']) await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
    await use(upstream)
    await upstream.close()
  },
})

async function ask(program: Program, key: string, model: string): Promise<Response> {
  const answer = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await answer.text()
  return answer
}

test('at night: why do requests fail? Four clicks from the overview to the reset', async ({ page, own, upstream }) => {
  test.setTimeout(120_000)
  await openConsole(page, '/overview')
  await expect(page.getByText('Nothing needs attention.')).toBeVisible()
  // While the page is open, the vendor begins to refuse the key. The page is not reloaded.
  upstream.answer(refused)
  for (let count = 0; count < 3; count++) await ask(own, own.printed('PARLEY_KEY'), 'gpt-day')
  await expect(page.getByText('night-shift: key 1 is resting')).toBeVisible({ timeout: 30_000 })

  // To the requests concerned, to the attempt that failed, to the channel's health, to its reset.
  await page.getByLabel('today').getByRole('link').click()
  await expect(page).toHaveURL(/failed=true/)
  await page.getByRole('link', { name: 'gpt-day' }).first().click()
  const drawer = page.getByRole('complementary', { name: /^Request req_/ })
  await expect(drawer.getByText('night-shift').first()).toBeVisible()
  await expect(drawer.getByText('upstream_auth_failed').first()).toBeVisible()
  await expect(drawer.getByRole('link', { name: 'View channel' })).toHaveAttribute('href', /\/admin\/channels\/ch_/)
  await drawer.getByRole('link', { name: 'View channel' }).click()
  upstream.answer(respondJson(200, completion('gpt-day')))
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByText('Nothing is resting. Every key and model is available.')).toBeVisible()
  expect((await ask(own, own.printed('PARLEY_KEY'), 'gpt-day')).status).toBe(200)
})

test('a holder: what did I spend, on what, why was this refused, and a key for CI with 5 USD a day', async ({ page, own, upstream }) => {
  test.setTimeout(120_000)
  upstream.answer(respondJson(200, completion('gpt-day')))
  await addUser(own, 'holder', 'password of holder', '5')
  const signedIn = await fetch(`${own.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'holder', password: 'password of holder' }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const made = await fetch(`${own.url}/api/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ name: 'laptop', limits: { rpm: 2 } }),
  })
  const { key } = (await made.json()) as { key: string }
  await ask(own, key, 'gpt-day')
  await ask(own, key, 'gpt-day')
  expect((await ask(own, key, 'gpt-day')).status).toBe(429)

  await openConsole(page, '/usage?days=1', { name: 'holder', password: 'password of holder' })
  await expect(page.getByRole('row', { name: 'gpt-day' }).locator('[title="$0.004"]')).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('link', { name: 'gpt-day' }).first().click()
  const drawer = page.getByRole('complementary', { name: /^Request req_/ })
  await expect(drawer.getByText('rate_limit_exceeded').first()).toBeVisible()
  // Never the house's side of it.
  await expect(drawer).not.toContainText('night-shift')
  await page.keyboard.press('Escape')

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Create key' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'CI', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('nightly')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const secret = await page.getByRole('textbox', { name: 'The new key' }).inputValue()
  await expect(page.getByRole('row', { name: /nightly/ })).toContainText('$5.00 a day')
  expect((await ask(own, secret, 'gpt-day')).status).toBe(200)
})

test('the accounts: what was charged by group and model, as CSV too, what it cost, which models lose money', async ({
  page,
  own,
  upstream,
}) => {
  test.setTimeout(120_000)
  for (const model of ['gpt-day', 'gpt-loss']) {
    upstream.answer(respondJson(200, completion(model)))
    await ask(own, own.printed('PARLEY_KEY'), model)
  }
  await openConsole(page, '/usage?days=30&by=group')
  await expect(page.getByRole('row', { name: 'default' }).locator('[title="$0.004"]')).toBeVisible()
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  // Upstream costs: 0.001 and 0.0135 of the 0.002 that each was charged.
  await expect(page.getByRole('row', { name: 'gpt-day' })).toContainText('$0.001')
  await expect(page.getByRole('row', { name: 'gpt-loss' })).toContainText('−$0.0115')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  const csv = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n')
  const api = await consoleApi(own)
  const { data } = (await api('GET', '/api/usage?by=model')) as { data: { model: string; charged: string }[] }
  expect(csv.length).toBe(1 + data.length)
  for (const { model, charged } of data) {
    const line = csv.find((one) => one.includes(model))
    expect([model, line?.includes(charged)]).toEqual([model, true])
  }
  const { user } = (await api('GET', '/api/session')) as { user: { balance: string } }
  expect(Number(user.balance)).toBeCloseTo(100 - data.reduce((sum, { charged }) => sum + Number(charged), 0), 9)
  // Accounts are kept by months.
  await page.getByRole('button', { name: /^Time/ }).click()
  await page.getByRole('menuitemradio', { name: 'This month' }).click()
  await expect(page.getByRole('row', { name: 'gpt-loss' })).toContainText('−$0.0115')
  await page.getByRole('button', { name: /^Time/ }).click()
  await page.getByRole('menuitemradio', { name: 'Last month' }).click()
  await expect(page.getByText('No usage in this period')).toBeVisible()
  await page.goto('/overview')
  await expect(page.getByText('gpt-loss loses money')).toBeVisible()
  await page.getByRole('listitem').filter({ hasText: 'gpt-loss loses money' }).getByRole('link', { name: 'Set price' }).click()
  await expect(page).toHaveURL(/open=gpt-loss/)
})
