/** The page `/key`: a holder of a key without an account sees what it may do. */
import { expect, test } from './support/browser-test.ts'
import { expectClean } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

test('a key shows what it may do, and is nowhere afterwards', async ({ page, program, tolerate }) => {
  tolerate(/status of 401/)
  // Its own: others of the same worker may turn off those that were there.
  const { key } = (await (await consoleApi(program))('POST', '/api/keys', { name: 'of a holder' })) as { key: string }
  await page.goto('/key')
  await page.getByLabel('API key').fill('sk-nothing-of-the-kind')
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByLabel('API key')).toHaveAccessibleDescription(/not valid/)
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'of a holder' })).toBeVisible()
  await expect(page.locator('main').getByRole('status')).toContainText('parley-demo')
  await expect(page.locator('main').getByRole('status')).toContainText('No budget of its own')
  await expectClean(page, 'key')
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]))).not.toContain(key)
  await page.reload()
  await expect(page.getByLabel('API key')).toHaveValue('')
})
