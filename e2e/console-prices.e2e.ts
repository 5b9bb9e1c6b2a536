/** Models and prices as lists of the server: ordered, filtered and paged, with all of it in the address; the effect of a price; the overview of one model. */
import type { PriceEffect, PriceEffects } from '#shared/console/price'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

const nameOf = (n: number) => `listed-${String(n).padStart(3, '0')}`
const many = 120

test.beforeAll(async ({ program }) => {
  const api = await consoleApi(program)
  const models = Array.from({ length: many }, (_, n) => nameOf(n))
  await api('POST', '/api/channels', {
    ...{ name: 'wide', vendor: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', keys: ['sk-x'], models },
  })
  for (const [n, model] of models.entries()) {
    if (n % 40 !== 0) await api('PUT', `/api/prices/${model}`, { input: String((many - n) / 10), output: '2' })
  }
  // One request of today, of a model with a price.
  await api('POST', '/api/channels', { name: 'sold', vendor: 'demo', models: [{ name: 'sold-demo', upstream: 'parley-demo' }] })
  await api('PUT', '/api/prices/sold-demo', { input: '1', output: '1' })
  const { key } = (await api('POST', '/api/keys', { name: 'effect' })) as { key: string }
  const answer = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sold-demo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
})
test.afterAll(({ program }) => removeChannels(program))

test('prices: what has none comes first, headings order, a page at a time, and a link shows the same', async ({ page }) => {
  await openConsole(page, '/admin/prices?q=listed')
  const table = page.getByRole('table', { name: 'Prices' })
  const names = () => table.locator('tbody tr td:first-child a').allTextContents()
  await expect.poll(async () => (await names()).slice(0, 4)).toEqual([nameOf(0), nameOf(40), nameOf(80), nameOf(1)])
  await expect(page.getByText(/^3 models have no price/)).toBeVisible()
  await page.getByRole('button', { name: 'Input', exact: true }).click()
  await expect(page).toHaveURL(/sort=-input/)
  await expect.poll(async () => (await names()).slice(3, 5)).toEqual([nameOf(1), nameOf(2)])
  await page.getByRole('button', { name: 'Input', exact: true }).click()
  await expect.poll(async () => (await names()).slice(3, 5)).toEqual([nameOf(119), nameOf(118)])
  expect((await names()).length).toBe(50)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(async () => (await names()).length).toBe(100)
  await page.reload()
  await expect.poll(async () => (await names()).slice(3, 5)).toEqual([nameOf(119), nameOf(118)])
  await expectClean(page, 'prices by input')

  // The drawer leaves the list unchanged, and a link may open a row further down.
  await table.getByRole('link', { name: nameOf(118) }).click()
  await expect(page).toHaveURL(/q=listed.*sort=input.*open=listed-118/)
  await page.goto(`/admin/prices?q=listed&open=${nameOf(60)}`)
  await expect(page.getByRole('complementary', { name: `Price of ${nameOf(60)}` }).getByLabel('Input', { exact: true })).toHaveValue('6')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Show/ }).click()
  await page.getByRole('menuitemradio', { name: 'Without a price' }).click()
  await expect.poll(names).toEqual([nameOf(0), nameOf(40), nameOf(80)])
  await expect(page).toHaveURL(/status=unpriced/)
  await page.getByRole('searchbox', { name: 'Model' }).fill('nothing of the kind')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(async () => (await names()).length).toBeGreaterThan(40)
})

test('a price that was typed is not left without a question', async ({ page }) => {
  await openConsole(page, '/admin/prices')
  await page.locator('tbody tr').nth(1).getByRole('link').first().click()
  const drawer = page.locator('aside.drawer')
  const input = drawer.getByLabel('Input', { exact: true }).first()
  await input.fill('12.5')
  const question = page.getByRole('dialog')
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => drawer.getByRole('button', { name: /^Next/ }).click(),
    () => drawer.getByRole('button', { name: /^Previous/ }).click(),
  ]) {
    await leave()
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect(question).toHaveCount(0)
    await expect(input).toHaveValue('12.5')
  }
  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: /^Leave/ }).click()
  await expect(drawer).toHaveCount(0)
  // Without changes nothing is asked.
  await page.locator('tbody tr').nth(1).getByRole('link').first().click()
  await expect(input).not.toHaveValue('12.5')
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
})

test('models: found, ordered and paged by the server', async ({ page }) => {
  await openConsole(page, '/models?q=listed&sort=-input')
  const names = () => page.locator('tbody tr td:first-child').allTextContents()
  await expect.poll(async () => (await names()).slice(0, 2)).toEqual([nameOf(1), nameOf(2)])
  expect((await names()).length).toBe(100)
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect.poll(async () => (await names()).length).toBe(117)
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await expect(page).toHaveURL(/sort=id/)
  await page.getByRole('button', { name: 'image input' }).click()
  await expect(page.getByRole('button', { name: 'Clear filters' })).toBeVisible()
  await expectClean(page, 'no model that sees')
})

test('the effect of a price is said while it is typed, with its tiers and factors', async ({ page, program }) => {
  const api = await consoleApi(program)
  /** What the drawer is to say of this price. */
  const saidOf = async (price: object) => {
    const { data } = (await api('POST', '/api/prices/effect', { prices: { 'sold-demo': price } })) as PriceEffects
    const [{ requests, basis, after }] = data as [PriceEffect]
    expect(basis).toBe('requests')
    const money = Number(after).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    return `At this price, ${requests} request${requests === 1 ? '' : 's'} in the last seven days would have cost $${money} instead of`
  }
  await openConsole(page, '/admin/prices?open=sold-demo')
  const drawer = page.getByRole('complementary', { name: 'Price of sold-demo' })
  const effect = drawer.locator('.drawer-part').filter({ has: page.getByRole('heading', { name: 'Effect on the last seven days' }) })
  await expect(effect).toContainText('At this price')
  await drawer.getByLabel('Per request', { exact: true }).fill('7')
  const plain = await saidOf({ input: '1', output: '1', request: '7' })
  await expect(effect).toContainText(plain)
  await expect(effect).toContainText('Each request is priced as it would be billed')

  await drawer.getByRole('button', { name: 'Add tier' }).click()
  await expect(effect).toContainText('Enter a price')
  const tier = drawer.getByRole('group', { name: 'Tier 1' })
  await tier.getByLabel('For input above').fill('1')
  await tier.getByLabel('Input', { exact: true }).fill('9000')
  const tiered = await saidOf({ input: '1', output: '1', request: '7', tiers: [{ above: 1, input: '9000' }] })
  expect(tiered).not.toBe(plain)
  await expect(effect).toContainText(tiered)
  await expectClean(page, 'the effect of a price')

  await drawer.getByLabel('Input', { exact: true }).first().fill('much')
  await expect(effect).toContainText('Enter a price')
})

test('usage on a phone: one line of filters, and the hours of a week', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 })
  await openConsole(page, '/usage')
  const line = page.locator('.filters')
  const top = async (name: RegExp) => (await line.getByRole('button', { name }).boundingBox())?.y
  await expect.poll(async () => [await top(/^Time/), await top(/^By/)].every((y) => y !== undefined)).toBe(true)
  expect(await top(/^By/)).toBe(await top(/^Time/))
  await line.getByRole('button', { name: /^By/ }).click()
  await page.getByRole('menuitemradio', { name: 'Hour' }).click()
  await expect(page).toHaveURL(/by=hour/)
  await expect(page.locator('td[data-label="Requests"]').first()).toBeAttached()
  await expect(page.locator('.stack[aria-busy]')).toHaveCount(0)
  await expectClean(page, 'usage by the hour on a phone')
})

test('the audit is of one person', async ({ page }) => {
  await openConsole(page, '/admin/audit')
  await page.getByRole('button', { name: /^Who/ }).click()
  await page.getByRole('menuitemradio', { name: 'setup', exact: false }).first().click()
  await expect(page).toHaveURL(/actor=(setup|environment)/)
  await page.goto('/admin/audit?actor=nobody')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.locator('tr[data-row]').first()).toBeVisible()
})
