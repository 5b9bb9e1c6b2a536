/** Dialogs, sheets and the palette give the focus back to where it was; nothing is lost between a button and what takes its place. */
import { expect, test } from './support/browser-test.ts'
import { openConsole } from './support/console.ts'
import { signIn } from './support/playground.ts'

test('closing gives the focus back', async ({ page }) => {
  await openConsole(page, '/keys')
  const create = page.getByRole('button', { name: 'Create key' })
  await create.click()
  await page.getByRole('dialog').waitFor()
  // Of a choice that comes first, what is chosen.
  await expect(page.getByRole('dialog').locator('.seg [aria-pressed="true"]')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(create).toBeFocused()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.press('Escape')
  await expect(create).toBeFocused()
  // From a menu, to the button of the menu.
  const more = page.getByRole('button', { name: /^More/ }).first()
  await more.click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await expect(more).toBeFocused()
})

test('on a narrow window the inspector is a sheet: Escape closes it whatever was pressed in it', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 })
  await signIn(page)
  const inspector = page.getByRole('button', { name: 'Inspector', exact: true })
  await inspector.click()
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await expect(page.getByRole('textbox', { name: 'Edit as JSON' })).toBeFocused()
  expect((await page.getByRole('textbox', { name: 'Edit as JSON' }).boundingBox())?.height).toBeGreaterThan(200)
  await page.getByRole('dialog').getByRole('button', { name: 'Discard edits' }).click()
  await expect(page.getByRole('button', { name: 'Edit as JSON' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(inspector).toBeFocused()
})
