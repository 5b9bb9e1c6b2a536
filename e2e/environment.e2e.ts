/** Which installation this is: on the sign-in page and above every page, on phones too. */
import { administrator } from '#testing/program/program'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

test.use({ programOptions: { env: { ...administrator, PARLEY_ENVIRONMENT: 'staging' } } })

test('an installation with a name says it wherever somebody is, and cannot be taken for another', async ({ page, program }) => {
  await page.goto('/overview')
  await expect(page.getByText('staging', { exact: true })).toBeVisible()
  await expectClean(page, 'the sign-in page of a named installation')
  await openConsole(page, '/overview')
  const mark = page.getByRole('region', { name: 'Environment' })
  await expect(mark).toHaveText('staging')
  await expectClean(page, 'a page of a named installation')
  const call = await consoleApi(program)
  await call('PATCH', '/api/settings', { banner: 'Maintenance at noon' })
  for (const [width, path] of [
    [1440, '/admin/users'],
    [360, '/admin/users'],
    [360, '/'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 })
    await page.goto(path)
    await expect(page.getByText('Maintenance at noon')).toBeVisible()
    await expect(mark).toBeInViewport({ ratio: 1 })
    // Nothing is pushed out of the window.
    expect(await page.locator('.shell').evaluate((shell) => [shell.getBoundingClientRect().bottom, shell.scrollHeight])).toEqual([740, 740])
  }
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeInViewport({ ratio: 1 })
  await call('PATCH', '/api/settings', { banner: null })
})
