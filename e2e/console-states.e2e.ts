/** What every page of the console shows while it waits, when reading fails, when nothing matches, and when the session has ended. */
import type { Page, Route } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

/** Every page that reads something, and whether its search may hide everything. */
const pages: readonly (readonly [path: string, search?: string])[] = [
  ['/overview'],
  ['/requests'],
  ['/usage'],
  ['/keys', 'q=no-such-thing'],
  ['/models', 'q=no-such-thing'],
  ['/admin/channels', 'q=no-such-thing'],
  ['/admin/users', 'q=no-such-thing'],
  ['/admin/prices', 'q=no-such-thing'],
  ['/admin/groups'],
  ['/admin/audit', 'target=no-such-thing'],
  ['/admin/settings', 'q=no-such-thing'],
]

/** Calls that pages make; the frame's own (session, status, events) pass. */
const calls = /\/api\/(?!session$|status$|events$)/

/** Answers every call of a page with `answer` until the returned function is called. */
async function answerAll(page: Page, answer: (route: Route) => Promise<unknown>): Promise<() => Promise<void>> {
  const handle = async (route: Route) => void (await answer(route))
  await page.route(calls, handle)
  return () => page.unroute(calls, handle)
}

const refuse = (status: number, code: string) => (route: Route) =>
  route.fulfill({ status, json: { error: { message: 'The reason of a test.', type: 'api_error', code, param: null } } })

test('a page whose reading fails says so, and reads again when asked', async ({ page, tolerate }) => {
  test.setTimeout(180_000)
  tolerate(/status of 500/)
  await openConsole(page, '/overview')
  for (const [path] of pages) {
    const restore = await answerAll(page, refuse(500, 'internal_error'))
    await page.goto(path)
    await expect(page.getByRole('alert').getByRole('button', { name: 'Try again' }).first(), path).toBeVisible()
    await expectClean(page, `${path}, failed`)
    await restore()
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click()
    await expect(page.getByRole('alert').getByRole('button', { name: 'Try again' }), path).toHaveCount(0)
  }
})

test('a page that waits shows the shape of what comes', async ({ page }) => {
  test.setTimeout(180_000)
  await openConsole(page, '/overview')
  for (const [path] of pages) {
    const held = Promise.withResolvers<void>()
    const restore = await answerAll(page, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(path)
    await expect(page.locator('.skeleton .sk').first(), path).toBeVisible()
    await expectClean(page, `${path}, waiting`)
    held.resolve()
    await expect(page.locator('.skeleton'), path).toHaveCount(0)
    await restore()
  }
})

test('a search without a match names what hides everything, and clears it', async ({ page }) => {
  test.setTimeout(180_000)
  await openConsole(page, '/overview')
  for (const [path, search] of pages) {
    if (search === undefined) continue
    await page.goto(`${path}?${search}`)
    const clear = page.getByRole('button', { name: 'Clear filters' })
    await expect(clear, path).toBeVisible()
    await expectClean(page, `${path}, no match`)
    await clear.click()
    await expect(clear, path).toHaveCount(0)
    expect(new URL(page.url()).search, path).toBe('')
  }
})

test('a session that has ended leads to the sign-in page at the same address', async ({ page, tolerate }) => {
  test.setTimeout(180_000)
  tolerate(/status of 401/)
  await openConsole(page, '/overview')
  for (const [path] of pages) {
    const restore = await answerAll(page, refuse(401, 'not_signed_in'))
    await page.goto(path)
    await expect(page.getByLabel('Username'), path).toBeVisible()
    expect(new URL(page.url()).pathname).toBe(path)
    await restore()
    await page.goto('/overview')
  }
})
