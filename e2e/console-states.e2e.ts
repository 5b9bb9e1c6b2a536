/** What every page of the console shows while it waits, when reading fails, where there is nothing, when nothing matches, and when the session has ended. */
import type { Route } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

/** Every page that reads something, and whether its search may hide everything. */
const pages: readonly (readonly [path: string, search?: string])[] = [
  ['/overview'],
  ['/requests', 'error=no_such_code'],
  ['/replay'],
  ['/replay/none'],
  ['/batches'],
  ['/usage', 'model=no-such-thing'],
  ['/keys', 'q=no-such-thing'],
  ['/models', 'q=no-such-thing'],
  ['/admin/channels', 'q=no-such-thing'],
  ['/admin/users', 'q=no-such-thing'],
  ['/admin/users?tab=invitations'],
  ['/admin/prices', 'q=no-such-thing'],
  ['/admin/groups'],
  ['/admin/teams'],
  ['/admin/selling'],
  ['/admin/selling?tab=codes'],
  ['/admin/selling?tab=payments'],
  ['/team'],
  ['/admin/alerts', 'state=dead'],
  ['/admin/audit', 'target=no-such-thing'],
  ['/admin/settings', 'q=no-such-thing'],
  ['/admin/channels/none'],
  ['/admin/users/none'],
  ['/keys/none'],
  ['/requests/none'],
]

/** Calls that pages make; the frame's own (session, status, events) pass. */
const calls = /\/api\/(?!session$|status$|events$)/

const refusal = (status: number, code: string) => (route: Route) =>
  route.fulfill({ status, json: { error: { message: 'The reason of a test.', type: 'api_error', code, param: null } } })

test('a page that waits shows the shape of what comes; one that fails says so and reads again; one without a session asks for it', async ({
  page,
  tolerate,
}) => {
  test.setTimeout(240_000)
  tolerate(/status of (500|401|404)/)
  await openConsole(page, '/overview')
  let answer = (route: Route): Promise<void> => route.continue()
  await page.route(calls, (route) => answer(route))
  for (const [path] of pages)
    await test.step(path, async () => {
      const held = Promise.withResolvers<(route: Route) => Promise<void>>()
      answer = async (route) => (await held.promise)(route)
      await page.goto(path)
      await expect(page.locator('.skeleton .sk').first()).toBeVisible()
      await expectClean(page, `${path}, waiting`)

      answer = refusal(500, 'internal_error')
      held.resolve(answer)
      const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
      await expect(again.first()).toBeVisible()
      await expect(page.locator('.skeleton')).toHaveCount(0)
      await expectClean(page, `${path}, failed`)
      answer = (route) => route.continue()
      await again.first().click()
      await expect(again).toHaveCount(0)
      // Rows that do not exist say so.
      if (path.endsWith('/none')) await expectClean(page, `${path}, not found`)

      answer = refusal(401, 'not_signed_in')
      await page.reload()
      await expect(page.getByLabel('Username')).toBeVisible()
      expect(new URL(page.url()).pathname).toBe(path.split('?')[0] ?? '')
    })
})

test('an invitation that is being read says so; one that could not be read is not called over, and is read again', async ({
  page,
  tolerate,
}) => {
  tolerate(/status of (500|404)/)
  const held = Promise.withResolvers<void>()
  let answer = async (route: Route) => {
    await held.promise
    await refusal(500, 'internal_error')(route)
  }
  await page.route('**/api/join/look', (route) => answer(route))
  await page.goto(`/join#inv-${'a'.repeat(40)}`)
  await expect(page.getByText('Loading the invitation').first()).toBeVisible()
  await expectClean(page, '/join, waiting')
  held.resolve()
  await expect(page.getByRole('heading', { name: 'The invitation could not be loaded' })).toBeVisible()
  await expectClean(page, '/join, failed')
  answer = (route) => route.continue()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'This invitation has ended' })).toBeVisible()
  await expectClean(page, '/join, over')
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
    expect(new URL(page.url()).search, path).not.toContain('no')
  }
})
