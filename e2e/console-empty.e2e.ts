/** Pages of the console on a Parley without anything: clean in both themes and at 320 pixels. */
import { test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

test('every page says that it is empty, why, and what to do', async ({ page }) => {
  test.setTimeout(180_000)
  await openConsole(page, '/overview')
  for (const path of [
    '/overview',
    '/requests?range=all',
    '/usage',
    '/admin/channels',
    '/admin/prices',
    '/key',
    '/account',
    '/replay',
    '/batches',
    '/team',
    '/admin/teams',
    '/admin/selling',
    '/admin/selling?tab=codes',
    '/admin/selling?tab=payments',
    '/admin/users?tab=invitations',
  ])
    await test.step(path, async () => {
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      await expectClean(page, `${path}, empty`)
    })
})
