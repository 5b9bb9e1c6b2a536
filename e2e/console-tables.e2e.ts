/** What every table of the console can do: columns, row height, rows that are chosen, times, in the reader's language. */
import { expect, test, violationsOn } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

const view = { name: 'Columns and row height' }

test('columns are chosen and stay chosen; rows are low in every table once they are low in one', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await openConsole(page, '/admin/users')
  const table = page.getByRole('table', { name: 'Users' })
  const heads = () => table.getByRole('columnheader').allInnerTexts()
  await expect(table.getByRole('columnheader', { name: 'Groups' })).toBeVisible()
  const usual = await heads()
  await page.getByRole('button', view).click()
  const groups = page.getByRole('menuitemcheckbox', { name: 'Groups' })
  await expect(groups).toBeChecked()
  // The columns with a row's name and its actions stay.
  await expect(page.getByRole('menuitemcheckbox', { name: 'User', exact: true })).toHaveCount(0)
  await groups.click()
  await expect(groups).not.toBeChecked()
  await expect(table.getByRole('columnheader', { name: 'Groups' })).toHaveCount(0)
  // The menu stays open for the next one.
  await page.getByRole('menuitemcheckbox', { name: 'Held' }).click()
  // A menu stands in no landmark.
  expect(await violationsOn(page, ['region'])).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', view)).toBeFocused()
  await page.reload()
  await expect(table.getByRole('columnheader', { name: 'Balance' })).toBeVisible()
  expect(await heads()).toEqual(usual.filter((name) => name !== 'Groups' && name !== 'Held'))
  // A chosen column is there at any width.
  await page.setViewportSize({ width: 900, height: 900 })
  await expect(table.getByRole('columnheader', { name: 'Last used' })).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', view).click()
  await page.getByRole('menuitem', { name: 'Default columns' }).click()
  await expect.poll(heads).toEqual(usual)

  const height = () =>
    table
      .locator('tbody tr')
      .first()
      .evaluate((row) => row.getBoundingClientRect().height)
  const before = await height()
  await page.getByRole('button', view).click()
  await page.getByRole('menuitemradio', { name: 'Compact rows' }).click()
  await expect.poll(height).toBeLessThan(before)
  await page.goto('/models')
  await expect(page.locator('table.compact')).toBeVisible()
  await expectClean(page, 'a compact table')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', view).click()
  await page.getByRole('menuitemradio', { name: 'Comfortable rows' }).click()
  await expect(page.locator('table.compact')).toHaveCount(0)
})

test('how many rows are chosen is announced, and which one is open when it changes', async ({ page }) => {
  await openConsole(page, '/admin/users')
  const status = page.getByRole('status').filter({ hasText: 'selected' })
  await page.getByRole('checkbox', { name: 'Select admin' }).check()
  await expect(status).toHaveText('1 selected')
  await page.getByRole('checkbox', { name: 'Select admin' }).uncheck()
  await expect(status).toHaveText('0 selected')

  await page.goto('/admin/audit')
  await page.locator('tbody a').first().click()
  const drawer = page.locator('.drawer')
  await expect(drawer).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('status').filter({ hasText: (await drawer.getAttribute('aria-label')) ?? '' })).toHaveCount(1)
})

test('a time is exact on hover, with how long ago it was', async ({ page }) => {
  await openConsole(page, '/admin/audit')
  const time = page.locator('tbody time').first()
  expect(await time.getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT/)
  await time.hover()
  expect(await time.getAttribute('title')).toMatch(/ \d{4} \d\d:\d\d:\d\d\.\d{3} \((just now|\d+ min ago)\)$/)
})
