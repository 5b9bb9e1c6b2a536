/** Lists of the console: the range of the overview, budgets, users chosen together, days of the audit, and the last day of a channel. */
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi, removeChannels } from './support/playground.ts'

const model = 'gpt-lists'
let upstream: ScriptedUpstream
let key = ''

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  upstream.answer(
    respondJson(200, {
      ...{ id: 'c', object: 'chat.completion', created: 1, model },
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    }),
  )
  const api = await consoleApi(program)
  await api('POST', '/api/channels', {
    ...{ name: 'lists', vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: ['sk-vendor'], models: [model] },
  })
  await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
  key = ((await api('POST', '/api/keys', { name: 'budgeted', budget: { daily: '1' } })) as { key: string }).key
  for (const name of ['bulk-one', 'bulk-two']) await api('POST', '/api/users', { name })
  await api('POST', '/api/groups', { name: 'bulk' })
  const answer = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
})

test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

test('the overview is of today, seven or thirty days, and shows what is left of budgets', async ({ page }) => {
  await openConsole(page, '/overview')
  await expect(page.getByRole('heading', { name: 'Spend by hour' })).toBeVisible()
  const budgets = page.locator('.card', { has: page.getByRole('heading', { name: 'Budgets' }) })
  await expect(budgets.getByRole('link', { name: 'Key budgeted, a day' })).toBeVisible()
  await expect(budgets.getByRole('meter')).toHaveAttribute('aria-valuenow', '0')
  await expect(budgets).toContainText('of $1.00')
  const spend = await page.locator('.stat', { hasText: 'Spend' }).locator('dd').first().innerText()
  for (const days of [7, 30]) {
    await page
      .getByRole('button', { name: `${days} days` })
      .or(page.getByRole('radio', { name: `${days} days` }))
      .first()
      .click()
    await expect(page.getByRole('heading', { name: 'Spend by day' })).toBeVisible()
    expect(new URL(page.url()).searchParams.get('days')).toBe(String(days))
    // All of it is of today.
    await expect(page.locator('.stat', { hasText: 'Spend' }).locator('dd').first()).toHaveText(spend)
    await expectClean(page, `overview of ${days} days`)
  }
  await page.goBack()
  expect(new URL(page.url()).searchParams.get('days')).toBe('7')
})

test('users that are chosen are turned off together, put into a group, and say when they were last used', async ({ page, program }) => {
  await openConsole(page, '/admin/users')
  await expect(
    page
      .getByRole('row', { name: /admin/ })
      .getByText('just now')
      .or(page.getByText(/min ago/))
      .first(),
  ).toBeVisible()
  for (const name of ['bulk-one', 'bulk-two']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
  const bar = page.getByRole('toolbar', { name: '2 chosen' })
  await expect(bar).toBeVisible()
  await expectClean(page, 'users chosen')
  await bar.getByRole('button', { name: 'Turn off' }).click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(dialog).toContainText('bulk-one, bulk-two')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.locator('.toast')).toContainText('2 users changed.')
  await expect(bar).toHaveCount(0)
  for (const name of ['bulk-one', 'bulk-two']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
  await bar.getByRole('button', { name: /Add to group/ }).click()
  await page
    .getByRole('menuitemradio', { name: 'bulk', exact: true })
    .or(page.getByRole('menuitem', { name: 'bulk', exact: true }))
    .first()
    .click()
  await expect(bar).toHaveCount(0)
  const api = await consoleApi(program)
  const { data } = (await api('GET', '/api/users?limit=200')) as { data: { name: string; enabled: boolean; groups: string[] }[] }
  for (const name of ['bulk-one', 'bulk-two'])
    expect(data.find((row) => row.name === name)).toMatchObject({ enabled: false, groups: ['default', 'bulk'] })
})

test('the audit stands under its days', async ({ page }) => {
  await openConsole(page, '/admin/audit')
  await expect(page.locator('tr.day')).toHaveText([/^Today, \d+ \w+$/])
  await expectClean(page, 'audit under its days')
})

test('a channel shows its last day by the hour', async ({ page }) => {
  await openConsole(page, '/admin/channels')
  const slices = page.getByRole('img', { name: 'Last 24 hours by the hour: 1 requests, 0 failed' })
  await expect(slices.first()).toBeVisible()
  await expect(slices.first().locator('i')).toHaveCount(24)
  await expect(slices.first().locator('i.good')).toHaveCount(1)
  await expectClean(page, 'channels with their last day')
})

test('dialogs open when the network is gone', async ({ page, context, tolerate }) => {
  tolerate(/ERR_INTERNET_DISCONNECTED|Failed to load resource/)
  await openConsole(page, '/keys')
  await page.waitForLoadState('networkidle')
  // What may be wanted is fetched once the page has been there for a while.
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /create-dialog/.test(name)))
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  await page
    .getByRole('button', { name: 'Create key' })
    .or(page.getByRole('button', { name: /New key|Create a key/ }))
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await context.setOffline(false)
})
