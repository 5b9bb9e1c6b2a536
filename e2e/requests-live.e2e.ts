/** The list of requests: chosen columns, and a live tail that keeps up with two hundred requests a second. */
import { expect, test } from './support/browser-test.ts'
import { expectClean } from './support/console.ts'
import { sendMessage, signIn, waitForReply } from './support/playground.ts'

test.beforeEach(async ({ page }) => {
  await signIn(page)
})

test('columns are chosen, remembered by this browser, and reset', async ({ page }) => {
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await page.goto('/requests')
  const heads = () => page.getByRole('columnheader').allInnerTexts()
  await expect(page.getByRole('columnheader', { name: 'Model' })).toBeVisible()
  expect(await heads()).not.toContain('Protocol')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Protocol' }).check()
  await page.getByRole('checkbox', { name: 'Status' }).uncheck()
  await expectClean(page, 'columns to choose')
  await page.keyboard.press('Escape')
  await page.reload()
  await expect(page.getByRole('columnheader', { name: 'Protocol' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Status' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Default columns' }).click()
  await expect(page.getByRole('columnheader', { name: 'Status', includeHidden: true })).toHaveCount(1)
})

test('two hundred requests a second leave a bounded list and no long task', async ({ page }) => {
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  const { data } = await page.evaluate(async () => (await fetch('/api/logs?limit=1')).json())
  let made = 0
  let looks = 0
  await page.route('**/api/logs?*', (route) => {
    looks += 1
    // Between two looks four hundred requests have come.
    made += 400
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
    const rows = Array.from({ length: limit }, (_, at) => ({ ...data[0], requestId: `req_${made - at}`, at: new Date().toISOString() }))
    return route.fulfill({ json: { data: rows, next: null } })
  })
  // One event after the other: the list looks as often as it may.
  const change = 'event: change\ndata: {"what":["requests"]}\n\n'
  await page.route('**/api/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: `retry: 600\n\n${change}` }))
  await page.addInitScript(() => {
    Object.assign(window, { longest: 0 })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, { longest: Math.max((window as never as { longest: number }).longest, entry.duration) })
    }).observe({ type: 'longtask' })
  })
  await page.goto('/requests')
  const rows = page.getByRole('row')
  await expect(rows.first()).toBeVisible()
  await page.evaluate(() => Object.assign(window, { longest: 0 }))
  const before = looks
  await expect.poll(() => looks, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + 4)
  await expect(page.getByText('The newest 200; load more to read the list again')).toBeVisible()
  const count = await rows.count()
  const longest = await page.evaluate(() => (window as never as { longest: number }).longest)
  process.stdout.write(`rows of the live tail: ${count}\nlongest task of the live tail, ms: ${Math.round(longest)}\n`)
  expect(count).toBeLessThanOrEqual(202)
  expect(longest).toBeLessThan(200 * 20)
})

test('a row that stands for many refused requests says so, in the list and on its own', async ({ page }) => {
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  const { data } = await page.evaluate(async () => (await fetch('/api/logs?limit=1')).json())
  const error = { code: 'rate_limit_exceeded', message: 'Limit of 60 requests a minute reached.', count: 369 }
  const row = { ...data[0], status: 429, end: 'error', error, repeats: 369 }
  await page.route('**/api/logs?*', (route) => route.fulfill({ json: { data: [row], next: null } }))
  await page.route(`**/api/logs/${row.requestId}`, (route) => route.fulfill({ json: row }))
  await page.goto('/requests')
  await expect(page.getByText('429 × 369')).toBeVisible()
  await page.goto(`/requests/${row.requestId}`)
  await expect(page.getByText('Stands for 369 requests that were refused for the same cause within this minute.')).toBeVisible()
  await expectClean(page, 'a row for many')
})

test('the next and the previous request open by keyboard', async ({ page }) => {
  for (const text of ['One', 'Two']) {
    await sendMessage(page, text)
    await waitForReply(page)
  }
  await page.goto('/requests')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('row').nth(1).getByRole('link').click()
  const title = page.locator('.drawer h2')
  const first = await title.innerText()
  await page.keyboard.press('ArrowDown')
  await expect(title).not.toHaveText(first)
  await page.keyboard.press('ArrowUp')
  await expect(title).toHaveText(first)
  // The focus returns to the row that was open last.
  await page.keyboard.press('ArrowDown')
  await expect(title).not.toHaveText(first)
  await page.keyboard.press('Escape')
  await expect(title).toHaveCount(0)
  await expect(page.locator('tr[data-row]').nth(1).getByRole('link')).toBeFocused()
})

test('administrators filter by the model that answered, and a phone has two lines for each request', async ({ page }) => {
  for (const text of ['One', 'Two']) {
    await sendMessage(page, text)
    await waitForReply(page)
  }
  await page.goto('/requests')
  const filterBy = async (model: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Answered by').fill(model)
    await page.getByRole('button', { name: 'Apply' }).click()
  }
  await filterBy('none-of-them')
  await expect(page.getByText(/Active filters: .*Answered by none-of-them/)).toBeVisible()
  await page.getByRole('button', { name: /^Answered by/ }).click()
  await filterBy('parley-demo')
  await expect(page).toHaveURL(/upstreamModel=parley-demo/)
  await expect(page.getByRole('row', { name: /parley-demo/ }).first()).toBeVisible()
  await page.setViewportSize({ width: 360, height: 640 })
  const card = page.locator('tr[data-row]').first()
  await expect(card).toContainText('parley-demo')
  await expect(card).toContainText('200')
  expect((await card.boundingBox())?.height).toBeLessThan(90)
  await expect(page.getByRole('button', { name: 'Columns' })).toBeHidden()
})

test('the page of one request goes on to those beside it, by keys and buttons, and has its actions on phones', async ({ page }) => {
  for (const text of ['One', 'Two', 'Three']) {
    await sendMessage(page, text)
    await waitForReply(page)
  }
  const { data } = await page.evaluate(async () => (await fetch('/api/logs?limit=3')).json())
  const ids: string[] = data.map((row: { requestId: string }) => row.requestId)
  const model = encodeURIComponent(data[1].model)
  const title = page.getByRole('heading', { level: 1 })
  const [previous, next] = [page.getByRole('button', { name: 'Previous' }), page.getByRole('button', { name: 'Next' })]
  await page.goto(`/requests?model=${model}&open=${ids[1]}`)
  await page.getByRole('link', { name: 'Open as a page' }).click()
  await expect(title).toHaveText(ids[1] ?? '')
  await expect(previous).not.toHaveAttribute('aria-disabled')
  await page.keyboard.press('ArrowLeft')
  await expect(title).toHaveText(ids[0] ?? '')
  // It is the newest, and the filters of the list came along.
  await expect(next).not.toHaveAttribute('aria-disabled')
  await expect(previous).toHaveAttribute('aria-disabled', 'true')
  expect(page.url()).toContain(`/requests/${ids[0]}?model=${model}`)
  await page.keyboard.press('ArrowRight')
  await expect(title).toHaveText(ids[1] ?? '')
  await expect(next).not.toHaveAttribute('aria-disabled')
  await next.click()
  await expect(title).toHaveText(ids[2] ?? '')
  await page.goBack()
  await expect(page).toHaveURL(/\/requests\?/)

  await page.setViewportSize({ width: 360, height: 720 })
  await page.goto(`/requests/${ids[0]}`)
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await expect(page.getByText('Copied').first()).toBeVisible()
  await expectClean(page, 'one request on a phone')
})
