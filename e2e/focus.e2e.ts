/** Dialogs, sheets and the palette give the focus back to where it was; nothing is lost between a button and what takes its place. */
import { expect, test } from './support/browser-test.ts'
import { openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { signIn } from './support/playground.ts'

test('closing gives the focus back', async ({ page }) => {
  await openConsole(page, '/keys')
  const create = page.getByRole('button', { name: 'Create key' })
  await create.click()
  await page.getByRole('dialog').waitFor()
  // If a radio group comes first, its selected option.
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
  // In a table arrow keys go from row to row, and a row that is drawn anew keeps the focus.
  await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    for (const name of ['another', 'a third']) await fetch('/api/keys', { method: 'POST', headers, body: JSON.stringify({ name }) })
  })
  await page.reload()
  const switches = page.getByRole('switch')
  await switches.first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(switches.nth(1)).toBeFocused()
  await page.keyboard.press('Space')
  await expect(switches.nth(1)).toHaveAttribute('aria-checked', 'false')
  await expect(switches.nth(1)).toBeFocused()
  await page.keyboard.press('Home')
  await expect(switches.first()).toBeFocused()
  // The end of a long dialog leads to its beginning, in sight.
  await page.setViewportSize({ width: 1024, height: 400 })
  await create.click()
  await page.getByRole('dialog').getByText('More settings').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('dialog').locator(':focus')).toBeInViewport()
  await page.keyboard.press('Escape')
  // Before the navigation stands what skips it.
  await page.getByRole('button', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Parley' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
})

test('what goes away hands the focus on', async ({ page, program, tolerate }) => {
  tolerate(/status of 500/)
  await consoleApi(program)
  await openConsole(page, '/account')
  const others = page.getByRole('button', { name: 'End all others' })
  await others.focus()
  await page.keyboard.press('Enter')
  await expect(others).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeFocused()

  // A list of two pages, whose second one cannot be read at first.
  let refuses = true
  await page.route(/\/api\/audit\?/, async (route) => {
    const asked = new URL(route.request().url())
    const isSecond = asked.searchParams.get('after') === 'second'
    asked.searchParams.delete('after')
    const { data } = await (await route.fetch({ url: asked.href })).json()
    if (isSecond && refuses)
      return route.fulfill({ status: 500, json: { error: { message: 'Not now.', type: 'api_error', code: 'internal_error' } } })
    await route.fulfill({ json: isSecond ? { data: data.slice(1), next: null } : { data: data.slice(0, 1), next: 'second' } })
  })
  await page.goto('/admin/audit')
  const more = page.getByRole('button', { name: 'Load more' })
  await more.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Not now.').first()).toBeVisible()
  await expect(more).toBeFocused()
  refuses = false
  await page.keyboard.press('Enter')
  await expect(more).toHaveCount(0)
  await expect(page.locator('tr[data-row]').nth(1).getByRole('link').first()).toBeFocused()
})

test('what a notice offers gives the focus to the message box', async ({ page }) => {
  await signIn(page)
  await page.getByRole('button', { name: 'Reset all' }).click()
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('textbox', { name: /message/i })).toBeFocused()
})

test('a drawer that an address opened gives the focus to its row', async ({ page }) => {
  await openConsole(page, '/admin/prices')
  const model = page.getByRole('table').getByRole('link').first()
  await page.goto(`/admin/prices${(await model.getAttribute('href'))?.replace(/^[^?]*/, '')}`)
  await page.getByRole('button', { name: 'Close', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await expect(model).toBeFocused()
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
