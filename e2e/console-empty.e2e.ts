/** Pages of the console on a Parley without anything: clean in both themes and at 320 pixels. */
import { expect, test } from './support/browser-test.ts'
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

test('an administrator without a team is led to all teams', async ({ page }) => {
  await openConsole(page, '/team')
  await page.getByRole('link', { name: 'All teams' }).click()
  await expect(page.getByRole('button', { name: 'New team' })).toBeVisible()
})

test('the demo is said to be built in, not to stand in a file', async ({ page }) => {
  await openConsole(page, '/admin/channels')
  await expect(page.getByRole('row', { name: /demo/ })).toContainText('built in: This is part of Parley')
  await page.goto('/admin/channels/demo?tab=connection')
  await expect(page.getByText('The demo is built into Parley')).toBeVisible()
  await page.goto('/admin/prices?open=parley-demo')
  await expect(page.getByText('The demo and its prices are built into Parley')).toBeVisible()
  await expect(page.getByText('parley.yaml')).toHaveCount(0)
})
