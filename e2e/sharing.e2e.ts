/** Conversations that others read by a link, and those that are kept on the server for the owner's other browsers. */
import type { Browser, Page } from 'playwright/test'
import { admin, expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { messageBox, sendMessage, signIn, waitForReply } from './support/playground.ts'

// Other files of the same worker find the settings as they were.
test.afterEach(async ({ program }) => {
  const call = await consoleApi(program)
  await call('PATCH', '/api/settings', { shareLinks: false })
})

/** A page of another browser, at this address. */
async function elsewhere(browser: Browser, baseURL: string | undefined): Promise<Page> {
  return (await browser.newContext({ ...(baseURL && { baseURL }) })).newPage()
}

async function openMenuOf(page: Page, title: RegExp): Promise<void> {
  await page.getByRole('button', { name: title }).first().click()
}

test('a link shows a copy to whoever has it, once an administrator allows links, until it is ended', async ({
  page,
  browser,
  baseURL,
  tolerate,
}) => {
  tolerate(/403|404/)
  await signIn(page)
  await sendMessage(page, 'What is a parley?')
  await waitForReply(page)
  await openMenuOf(page, /^Actions for What is a parley/)
  await page.getByRole('menuitem', { name: 'Share by link' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create and copy a link' }).click()
  await expect(dialog.getByRole('alert')).toContainText('An administrator can allow them')
  await page.keyboard.press('Escape')

  await page.goto('/admin/settings')
  await page.getByRole('switch', { name: 'Links to conversations' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.locator('.toast').getByText('Saved. It takes effect at once')).toBeVisible()
  await page.goto('/')
  await openMenuOf(page, /^Actions for What is a parley/)
  await page.getByRole('menuitem', { name: 'Share by link' }).click()
  await dialog.getByRole('button', { name: 'Create and copy a link' }).click()
  const link = dialog.getByRole('link', { name: /parley/i })
  await expect(link).toBeVisible()
  await expectClean(page, 'links to conversations')
  const path = new URL((await link.getAttribute('href')) ?? '').pathname
  expect(path).toMatch(/^\/share\/\w{22}$/)

  const reader = await elsewhere(browser, baseURL)
  await reader.goto(path)
  await expect(reader.getByRole('heading', { name: 'What is a parley?' })).toBeVisible()
  await expect(reader.locator('.turn')).toHaveCount(2)
  await expect(reader.locator('meta[name="robots"]')).toHaveAttribute('content', /noindex/)
  // Nothing to write with, nothing of the owner.
  await expect(reader.getByRole('textbox')).toHaveCount(0)
  await expect(reader.getByText(admin.name, { exact: true })).toHaveCount(0)
  await expectClean(reader, 'a shared conversation')
  await reader.setViewportSize({ width: 360, height: 640 })
  expect((await reader.getByRole('heading', { name: 'What is a parley?' }).boundingBox())?.x).toBe(16)
  await reader.setViewportSize({ width: 1280, height: 720 })

  await dialog.getByRole('button', { name: /^End the link/ }).click()
  await expect(link).toHaveCount(0)
  await reader.reload()
  await expect(reader.getByRole('heading', { name: 'This link no longer works' })).toBeVisible()
  await expectClean(reader, 'a link that has ended')
  await reader.context().close()
})

test('conversations that are kept on the server are in another browser, and go where they are deleted', async ({
  page,
  browser,
  baseURL,
}) => {
  await signIn(page)
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && response.url().includes('/api/conversations/'))
  await keepOnServer(page)
  await sendMessage(page, 'Keep this one')
  await waitForReply(page)
  expect((await kept).status()).toBe(204)

  const other = await elsewhere(browser, baseURL)
  await signIn(other)
  await expect(other.getByRole('link', { name: 'Keep this one' })).toHaveCount(0)
  await keepOnServer(other)
  await other.getByRole('link', { name: 'Keep this one' }).click()
  await expect(other.locator('.turn')).toHaveCount(2)
  const gone = other.waitForResponse((response) => response.request().method() === 'DELETE')
  await openMenuOf(other, /^Actions for Keep this one/)
  await other.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await gone
  await other.context().close()

  await page.reload()
  await expect(messageBox(page)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Keep this one' })).toHaveCount(0)
})

test('settings say what the environment says, and no secret', async ({ page }) => {
  await openConsole(page, '/admin/settings')
  const nav = page.getByRole('navigation', { name: 'Sections' })
  await nav.getByRole('button', { name: 'Environment' }).click()
  await expect(page.getByText('PARLEY_ADMIN_USER')).toBeInViewport()
  await expect(page.getByRole('listitem').filter({ hasText: 'PARLEY_ADMIN_USER' })).toContainText(admin.name)
  await expect(page.getByRole('listitem').filter({ hasText: 'PARLEY_ADMIN_PASSWORD' })).toContainText('set, not shown')
  expect(await page.locator('body').innerText()).not.toContain(admin.password)
  await expectClean(page, 'settings with the environment')
})

async function keepOnServer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).first().click()
  await page.getByRole('menuitemradio', { name: 'Also on the server' }).click()
  await page.waitForLoadState('load')
  await messageBox(page).waitFor()
}
