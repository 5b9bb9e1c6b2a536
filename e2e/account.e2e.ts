/** One's own account: a management key is made, taken, used and deleted. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

test('a management key is made in the account, shown once, used and deleted', async ({ page, program }) => {
  test.setTimeout(90_000)
  await openConsole(page, '/account')
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Management keys' }) })
  await card.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('terraform')
  await dialog.getByRole('checkbox', { name: /^read / }).uncheck()
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  await expect(dialog.getByText('Choose at least one thing that it may do.')).toBeVisible()
  await dialog.getByRole('checkbox', { name: /^groups / }).check()
  await expectClean(page, 'new management key')
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  const secret = await page.getByRole('textbox', { name: 'The new management key' }).inputValue()
  expect(secret).toMatch(/^pk-\w{48}$/)
  await expectClean(page, 'a fresh management key')

  // Leaving without it asks.
  await card.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  const download = page.waitForEvent('download')
  await card.getByRole('button', { name: 'parley.env' }).click()
  expect((await download).suggestedFilename()).toBe('parley.env')
  await card.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)

  const headers = { authorization: `Bearer ${secret}` }
  expect((await fetch(`${program.url}/api/groups`, { headers })).status).toBe(200)
  expect((await fetch(`${program.url}/api/users`, { headers })).status).toBe(403)
  await page.reload()
  const row = card.getByRole('row', { name: /terraform/ })
  await expect(row).toContainText('groups')
  await expect(row).not.toContainText(secret)

  await row.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByRole('dialog')).toContainText('from 127.0.0.1. Calls with this key fail at once.')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click()
  await expect(page.getByText('“terraform” is deleted.').first()).toBeVisible()
  await expect(row).toHaveCount(0)
  expect((await fetch(`${program.url}/api/groups`, { headers })).status).toBe(401)
})
