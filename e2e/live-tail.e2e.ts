/**
 * The live tail of requests at two hundred a second: nodes added per frame, the size of the page, and how long the page is busy without a
 * pause. Tasks are measured in CPU time, which other programs on the machine do not lengthen.
 */
import type { Page } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { sendMessage, signIn, waitForReply } from './support/playground.ts'

const perSecond = 200
/** Milliseconds of CPU time that no task may take. A long task has 50; on a busy machine, whose cores and caches are shared, CPU time doubles. */
const longMs = 100

interface Counts {
  /** Rows that were put on the page, by frame. */
  frames: number[]
  elements: number
  rows: number
}

test('two hundred requests a second leave a small page and no long task', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await scriptRequests(page)
  await page.goto('/requests')
  await expect(page.getByText('The newest 200; load more to read the list again')).toBeVisible()
  const longest = await longestTasks(page, async () => {
    await page.evaluate(countRows)
    const newest = await page.locator('tr[data-row]').first().getAttribute('data-row')
    // Four seconds' worth of requests.
    const far = `req_${Number(newest?.slice(4)) + 4 * perSecond}`
    await page.waitForFunction(
      (id) => (document.querySelector('tr[data-row]') as HTMLElement).dataset.row?.localeCompare(id, 'en', { numeric: true }) === 1,
      far,
    )
  })
  const { frames, elements, rows } = await page.evaluate(() => (window as never as { counts: () => Counts }).counts())
  const most = Math.max(...frames)
  process.stdout.write(
    `live tail: ${frames.reduce((sum, one) => sum + one, 0)} rows in ${frames.length} frames, at most ${most} in one; ${rows} rows and ${elements} elements on the page; ` +
      `longest task ${longest.cpu.toFixed(0)} ms of CPU, ${longest.wall.toFixed(0)} ms of time\n`,
  )
  // Never more than are near the window, however many come.
  expect(most).toBeLessThanOrEqual(64)
  expect(rows).toBeLessThanOrEqual(64)
  expect(elements).toBeLessThanOrEqual(1_800)
  expect(longest.cpu).toBeLessThan(longMs)
})

test('older rows of a long list come as the page scrolls, and readers hear how many there are', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await scriptRequests(page)
  await page.goto('/requests')
  await expect(page.getByText('The newest 200; load more to read the list again')).toBeVisible()
  await page.getByRole('button', { name: 'Pause' }).click()
  const table = page.getByRole('table')
  await expect(table).toHaveAttribute('aria-rowcount', '201')
  const last = page.locator('tr[aria-rowindex="201"]')
  await expect(last).toHaveCount(0)
  const heads = page.getByRole('columnheader', { name: 'Model' })
  const before = await heads.boundingBox()
  await page.locator('.table-foot').scrollIntoViewIfNeeded()
  await expect(last).toBeVisible()
  // The head stays in sight.
  expect(Math.abs(((await heads.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(120)
  await expect(heads).toBeInViewport()
  await expect(page.locator('tr[aria-rowindex="2"]')).toHaveCount(0)
})

/** Answers the list with requests arriving at this rate, and notifies the page of new ones after each event. */
async function scriptRequests(page: Page): Promise<void> {
  const { data } = await page.evaluate(async () => (await fetch('/api/logs?limit=1')).json())
  const started = Date.now()
  await page.route('**/api/logs?*', (route) => {
    const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
    const made = 1_000 + Math.floor(((Date.now() - started) / 1_000) * perSecond)
    const rows = Array.from({ length: limit }, (_, at) => ({
      ...data[0],
      requestId: `req_${made - at}`,
      at: new Date(started + ((made - at) / perSecond) * 1_000).toISOString(),
    }))
    return route.fulfill({ json: { data: rows, next: null } })
  })
  const change = 'event: change\ndata: {"what":["requests"]}\n\n'
  await page.route('**/api/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: `retry: 250\n\n${change}` }))
}

/** Begins to count rows by the frame that they came in; runs in the page. */
function countRows(): void {
  const frames = new Map<unknown, number>()
  const observer = new MutationObserver((changes) => {
    // The time of the document stands still within a frame.
    const frame = document.timeline.currentTime
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof HTMLTableRowElement && node.dataset.row) frames.set(frame, (frames.get(frame) ?? 0) + 1)
  })
  observer.observe(document.querySelector('tbody') as Element, { childList: true })
  Object.assign(window, {
    counts: () => ({
      frames: [...frames.values()],
      elements: document.querySelectorAll('*').length,
      rows: document.querySelectorAll('tr[data-row]').length,
    }),
  })
}

/** The longest task of the page's main thread while `work` runs, in milliseconds of CPU time and of time. */
async function longestTasks(page: Page, work: () => Promise<void>): Promise<{ cpu: number; wall: number }> {
  const session = await page.context().newCDPSession(page)
  const events: { name: string; pid: number; tid: number; dur?: number; tdur?: number }[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as never as typeof events)))
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    categories: 'devtools.timeline,disabled-by-default-devtools.timeline',
  })
  await work()
  await session.send('Tracing.end')
  await complete
  const layout = events.find(({ name }) => name === 'Layout')
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && pid === layout?.pid && tid === layout?.tid)
  expect(tasks.length).toBeGreaterThan(0)
  const most = (of: 'dur' | 'tdur') => Math.max(...tasks.map((task) => task[of] ?? 0)) / 1_000
  return { cpu: most('tdur'), wall: most('dur') }
}
