/** Lists of the console: the range of the overview, budgets, users chosen together, days of the audit, the last day of a channel, and alerts. */
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

const model = 'gpt-lists'
let upstream: ScriptedUpstream
let key = ''
/** Whether the destination of alerts refuses messages. */
let refuses = false

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  const completion = respondJson(200, {
    ...{ id: 'c', object: 'chat.completion', created: 1, model },
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  })
  const alert = (exchange: Parameters<typeof completion>[0]) => respondJson(refuses ? 500 : 200, {})(exchange)
  upstream.answer((exchange) => (exchange.request.target === '/alerts' ? alert : completion)(exchange))
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
  await expect(budgets.getByRole('link', { name: 'Key budgeted, daily' })).toBeVisible()
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
  await page.getByRole('button', { name: /^User all/ }).click()
  await page.getByRole('menuitemradio', { name: 'bulk-one' }).click()
  await expect(page.locator('.stat', { hasText: 'Spend' }).locator('dd').first()).toHaveText('$0')
  expect(new URL(page.url()).searchParams.get('user')).toBe('bulk-one')
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
  for (const name of ['bulk-one', 'bulk-two']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  const bar = page.getByRole('toolbar', { name: '2 selected' })
  await expect(bar).toBeVisible()
  await expectClean(page, 'users chosen')
  await bar.getByRole('button', { name: 'Turn off' }).click()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  await expect(dialog).toContainText('bulk-one, bulk-two')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.locator('.toast')).toContainText('2 users changed.')
  await expect(bar).toHaveCount(0)
  for (const name of ['bulk-one', 'bulk-two']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
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
  await page.getByRole('button', { name: /^Time/ }).click()
  await page.getByRole('menuitemradio', { name: 'Custom dates' }).click()
  await page.getByLabel('To, inclusive').fill('2020-01-01')
  await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible()
  await expectClean(page, 'audit of another time')
  await page.getByLabel('To, inclusive').fill(new Date().toISOString().slice(0, 10))
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  expect(await savedText(saved)).toMatch(/^id,at,actor,.*\r\n\d+,/)
})

test('beside an open change the audit fits, and its row is marked under the pointer too', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await openConsole(page, '/admin/audit')
  const table = page.getByRole('table', { name: 'Audit' })
  await expect(table.getByRole('columnheader', { name: 'Who' })).toBeVisible()
  await table.getByRole('link').first().click()
  await page.getByRole('complementary').waitFor()
  await expect(table.getByRole('columnheader', { name: 'Who' })).toBeHidden()
  const marked = table.locator('tr[aria-selected="true"] td').first()
  const colours = () =>
    marked.evaluate((cell) => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.background = 'var(--soft)'
      const soft = getComputedStyle(probe).backgroundColor
      probe.remove()
      return [cell.matches(':hover'), getComputedStyle(cell).backgroundColor === soft]
    })
  await table.getByRole('link').first().hover()
  await marked.hover()
  await expect.poll(colours).toEqual([true, true])
})

test('a change in the audit names what its ids stand for', async ({ page, program }) => {
  const api = await consoleApi(program)
  const { id: team } = (await api('POST', '/api/teams', { name: 'audited team' })) as { id: string }
  const { id: user } = (await api('POST', '/api/users', { name: 'audited user', password: 'a long password' })) as { id: string }
  await api('POST', `/api/teams/${team}/members`, { user })
  await openConsole(page, '/admin/audit?action=member')
  const row = page.locator('tr[data-row]').first()
  await expect(row).toContainText('teamId audited team')
  await expect(row.getByTitle(new RegExp(`teamId audited team \\(${team}\\)`))).toBeVisible()
  await row.getByRole('link', { name: 'Member added' }).click()
  const drawer = page.getByRole('complementary', { name: 'Member added' })
  const link = drawer.getByRole('link', { name: 'audited team' })
  await expect(link).toHaveAttribute('title', team)
  await expectClean(page, 'a change with names')
  await link.click()
  await expect(page).toHaveURL(new RegExp(`/admin/teams\\?open=${team}`))
  await api('DELETE', `/api/teams/${team}`)
  await api('DELETE', `/api/users/${user}`)
})

test('a channel shows the attempts of its last hour', async ({ page }) => {
  await openConsole(page, '/admin/channels')
  const slices = page.getByRole('img', { name: 'Last hour: 1 attempts, 0 failed' })
  await expect(slices.first()).toBeVisible()
  await expect(slices.first().locator('i')).toHaveCount(24)
  await expect(slices.first().locator('i.good')).toHaveCount(1)
  await expectClean(page, 'channels with their last hour')
})

test('a place of alerts is added, tested, switched off and removed; what was given up is tried again and leads to its channel', async ({
  page,
  program,
}) => {
  test.setTimeout(120_000)
  const api = await consoleApi(program)
  const deliveries = async (state: string) => ((await api('GET', `/api/alerts?state=${state}`)) as { data: { answer: string }[] }).data
  await openConsole(page, '/admin/alerts')
  await expect(page.getByText('No destinations yet')).toBeVisible()
  await expectClean(page, 'alerts, none')

  await page.getByRole('button', { name: 'Add destination' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('ops')
  await dialog.getByLabel('Address').fill(`${upstream.url}/alerts`)
  await dialog.getByLabel('Receives').selectOption('some')
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  await expect(dialog).toContainText('Choose a kind')
  await dialog.getByRole('checkbox', { name: /^Failed channel tests/ }).check()
  await expectClean(page, 'a place is added')
  await dialog.getByRole('button', { name: 'Add destination' }).click()
  const secret = page.getByRole('region', { name: 'Secret of the webhook' })
  await expect(secret.getByRole('textbox')).toHaveValue(/^whsec_/)
  await expectClean(page, 'the secret of a place')
  const saved = page.waitForEvent('download')
  await secret.getByRole('button', { name: 'parley-webhook.env' }).click()
  expect(await savedText(saved)).toMatch(/^PARLEY_WEBHOOK_SECRET=whsec_/)
  await secret.getByRole('button', { name: 'Close' }).click()
  await expect(secret).toHaveCount(0)

  await page.getByRole('button', { name: 'Send a test to ops' }).click()
  await expect(page.locator('.toast').last()).toContainText('ops received the test (HTTP 200).')
  refuses = true
  await page.getByRole('button', { name: 'Send a test to ops' }).click()
  await expect(page.locator('.notice.bad')).toHaveText('ops did not accept the test: HTTP 500.')
  await page.getByRole('link', { name: 'ops', exact: true }).click()
  await dialog.getByLabel('Name').fill('night watch')
  // A change by another user updates the list behind the dialog, not the text in it.
  const { data: places } = (await api('GET', '/api/alerts/hooks')) as { data: { id: string }[] }
  await api('PATCH', `/api/alerts/hooks/${places[0]?.id}`, { name: 'ops at night' })
  await expect(page.locator('a', { hasText: 'ops at night' })).toHaveCount(1)
  await expect(dialog.getByLabel('Name')).toHaveValue('night watch')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('link', { name: 'night watch' })).toBeVisible()

  const { id } = (await api('POST', '/api/channels', {
    ...{ name: 'alerting', vendor: 'openai-compatible', baseUrl: 'http://127.0.0.1:9', keys: ['sk-vendor'], models: [model] },
  })) as { id: string }
  await api('POST', `/api/channels/${id}/test`, {})
  await expect.poll(async () => (await deliveries('waiting')).map(({ answer }) => answer), { timeout: 60_000 }).toEqual(['HTTP 500'])
  // A destination that is switched off gives up pending deliveries at their next try.
  await page.getByRole('switch', { name: 'night watch is on' }).click()
  await expect(page.locator('.toast').last()).toContainText('night watch is off.')
  await expect.poll(async () => (await deliveries('dead')).length, { timeout: 60_000 }).toBe(1)
  await page.getByRole('switch', { name: 'night watch is on' }).click()
  await expect(page.locator('.toast').last()).toContainText('night watch is on again.')
  refuses = false
  await page.goto('/admin/alerts?state=dead')
  const told = page.getByRole('row', { name: /alerting/ })
  await expect(told).toContainText('given up')
  await expectClean(page, 'alerts that were given up')
  await told.getByRole('button', { name: 'Try again: Failed channel tests, night watch' }).click()
  await expect(page.locator('.toast').last()).toContainText('Trying again.')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(async () => (await deliveries('sent')).length, { timeout: 60_000 }).toBe(1)
  // Without reloading the page.
  await expect(told).toContainText('sent')
  await page.evaluate(() => localStorage.setItem('parley.language', 'zh'))
  await page.reload()
  await expect(told).toContainText('渠道 alerting 的测试失败：')
  await page.evaluate(() => localStorage.setItem('parley.language', 'en'))
  await page.reload()
  await told.getByRole('link', { name: 'Failed channel tests' }).click()
  await expect(page).toHaveURL(new RegExp(`/admin/channels/${id}`))
  await page.goto('/admin/alerts')
  await page.getByRole('button', { name: 'Remove night watch' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove night watch' }).click()
  await expect(page.getByText('No destinations yet')).toBeVisible()
})

test('a key that spends too fast is turned off from its alert', async ({ page, program }) => {
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'runaway' })) as { id: string }
  // Usual spend takes days to accumulate: the list is stubbed with the alert of `server/alerts` for such a key, everything else is real.
  const told = {
    ...{ id: 'd1', alert: 'a1', at: new Date().toISOString(), kind: 'key_spend', hook: { id: 'h1', name: 'ops', form: 'http' } },
    ...{ state: 'sent', tries: 1, nextTryAt: null, sentAt: new Date().toISOString(), answer: 'HTTP 200' },
    data: {
      text: 'The key runaway spent 12.00 USD in ten minutes, 6 times its usual.',
      link: `${program.url}/keys/${made.id}`,
      subject: { kind: 'key', id: made.id, name: 'runaway' },
      facts: { spent: '12.0000', usual: '2.0000', pause: `PATCH /api/keys/${made.id} {"enabled":false}` },
    },
  }
  await page.route(/\/api\/alerts(\?|$)/, (route) => route.fulfill({ json: { data: [told], next: null } }))
  await openConsole(page, '/admin/alerts')
  const row = page.getByRole('row', { name: /Unusual spend of a key/ })
  await expect(row).toContainText('The key runaway spent 12.00 USD in ten minutes, 6 times its usual.')
  await expectClean(page, 'an alert about a key')
  await row.getByRole('button', { name: 'Turn the key off: runaway' }).click()
  await expect(page.locator('.toast').last()).toContainText('The key runaway is off.')
  const { data } = (await api('GET', '/api/keys')) as { data: { id: string; enabled: boolean }[] }
  expect(data.find(({ id }) => id === made.id)?.enabled).toBe(false)
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
