/** Times, search words and ranges on the pages of keys, usage and requests: chosen, kept in the URL, and shown in full. */
import type { KeyRow } from '#shared/console/key'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, layoutFaults, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

let upstream: ScriptedUpstream
let key: KeyRow & { key: string }
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  upstream.answer(
    respondJson(
      200,
      chatAnswer({ prompt_tokens: 2, completion_tokens: 900, total_tokens: 902, completion_tokens_details: { reasoning_tokens: 800 } }),
    ),
  )
  const api = await consoleApi(program)
  await api('POST', '/api/channels', {
    ...{ name: 'spans', vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: ['sk-vendor'], models: ['span-one', 'other'] },
  })
  for (const model of ['span-one', 'other']) await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
  key = (await api('POST', '/api/keys', { name: 'spanning', models: ['span-*'] })) as typeof key
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

const ask = async (url: string, path = '/v1/chat/completions', model = 'span-one') => {
  const headers = { authorization: `Bearer ${key.key}`, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' }
  const body = JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await fetch(url + path, { method: 'POST', headers, body })
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}

test('a key gets a date and the address from which one is here; its page says for which model it was used', async ({ page, program }) => {
  await ask(program.url)
  await openConsole(page, `/keys/${key.id}`)
  await page.getByLabel('Expires').selectOption('On a date')
  await page.getByLabel('Last day').fill('2031-02-28')
  await page.getByRole('button', { name: 'Add yours, 127.0.0.1' }).click()
  await expect(page.getByLabel('Only from these addresses')).toHaveValue('127.0.0.1')
  await expect(page.getByRole('button', { name: /^Add yours/ })).toHaveCount(0)
  await expectClean(page, 'a key with a date')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('region', { name: /not saved/ })).toHaveCount(0)
  const row = (await (await consoleApi(program))('GET', `/api/keys/${key.id}`)) as KeyRow
  expect(row.addresses).toEqual(['127.0.0.1'])
  const lastDay = await page.evaluate((expiry) => new Date(Date.parse(expiry) - 1).toDateString(), row.expiresAt ?? '')
  expect(lastDay).toBe('Fri Feb 28 2031')
  await expect(async () => {
    await page.reload()
    await expect(page.locator('.stat', { hasText: 'Last used' })).toContainText('asked for span-one', { timeout: 3_000 })
  }).toPass()
  await expect(page.getByRole('button', { name: 'Copy key ID' })).toBeVisible()
  await page.getByRole('link', { name: 'Use it' }).click()
  await expect(page.getByLabel('Model')).toHaveValue('span-one')
  await expect(page.getByLabel('Model').locator('option')).toHaveCount(1)
})

test('usage is of days that are chosen, compared with others, and read again while today is among them', async ({ page, program }) => {
  const today = new Date()
  const day = (before: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - before, 12).toISOString().slice(0, 10)
  await openConsole(page, '/usage')
  await page.getByRole('button', { name: /^Time/ }).click()
  await page.getByRole('menuitemradio', { name: 'Custom dates' }).click()
  await page.getByLabel('From', { exact: true }).fill(day(1))
  await page.getByLabel('From', { exact: true }).blur()
  await expect(page).toHaveURL(new RegExp(`from=${day(1)}`))
  await page.getByRole('button', { name: /^Compared with previous 2 days/ }).click()
  await page.getByRole('menuitemradio', { name: '52 weeks earlier' }).click()
  await expect(page).toHaveURL(/compare=year/)
  const asked = page.waitForRequest((request) => request.url().includes('/api/usage?') && request.url().includes('from='))
  await page.reload()
  await asked
  const requests = page.locator('.stat', { hasText: 'Requests' }).locator('dd').first()
  const before = Number((await requests.innerText()).replace(/\D/g, ''))
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(page.getByRole('row', { name: /span-one/ })).toContainText('800')
  await expectClean(page, 'usage of chosen days')
  // Under the pointer stand the figures of a day, at the top of the chart.
  await page
    .locator('.chart')
    .first()
    .hover({ position: { x: 300, y: 100 } })
  await expect(page.locator('.chart-tip').first()).toHaveCSS('top', '8px')
  await page.mouse.move(0, 0)
  // New requests update the report without any action of the reader.
  await ask(program.url)
  await expect.poll(async () => Number((await requests.innerText()).replace(/\D/g, '')), { timeout: 30_000 }).toBeGreaterThan(before)
  await page.goto(`/usage?from=${day(40)}&to=${day(35)}`)
  await expect(page.getByRole('heading', { name: 'No usage in this period' })).toBeVisible()
  expect(await layoutFaults(page)).toEqual([])
})

test('a request is found by the words of its error and by the clock, says how it was converted, and why it cannot be opened', async ({
  page,
  program,
  tolerate,
}) => {
  tolerate(/status of 40[04]/)
  const converted = await ask(program.url, '/v1/messages')
  await ask(program.url, '/v1/chat/completions', 'other')
  await openConsole(page, '/requests?range=1h')
  await page.getByRole('searchbox', { name: 'Request ID or error text' }).fill('KEY MAY NOT USE it')
  await expect(page).toHaveURL(/errorText=/)
  await expect(page.getByRole('row', { name: /other/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /span-one/ })).toHaveCount(0)
  await page.getByRole('button', { name: /^Error text/ }).click()
  await expect(page.getByRole('row', { name: /span-one/ }).first()).toBeVisible()

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Until').fill('2020-01-01T10:30')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/to=2020-01-01T/)
  await expect(page.getByText('Custom range', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'No match' }).or(page.getByText(/Until 1 Jan 2020 10:30/).first())).toBeVisible()
  await expectClean(page, 'requests by the clock')

  await page.getByRole('searchbox', { name: 'Request ID or error text' }).fill(converted)
  await expect(page).toHaveURL(new RegExp(`/requests/${converted}`))
  await expect(page.getByText('messages → chat, and the answer back')).toBeVisible()
  await expect(page.getByText('At the prices and the ratio of')).toBeVisible()
  const button = page.getByRole('button', { name: 'Open in the playground' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await expect(button).toHaveAccessibleDescription(/Its bodies were not kept/)
  await expect(page.getByRole('link', { name: 'Keep future requests of spanning.' })).toHaveAttribute('href', '/keys?q=spanning')
  await expect(page.getByRole('button', { name: 'Copy request ID' })).toBeVisible()
  await expectClean(page, 'a request without bodies')
})
