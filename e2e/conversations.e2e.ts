/** Conversations are stored in this browser, per user, the same in every tab, and survive reloads and crashes of the page. */
import { readFileSync } from 'node:fs'
import { expect, slowDown, test } from './support/browser-test.ts'
import {
  addUser,
  endlessPrompt,
  messageBox,
  reloadStored,
  sendMessage,
  signIn,
  turnCount,
  turns,
  waitForReply,
  waitUntilStored,
} from './support/playground.ts'

test('a reload shows everything again; a reload during a stream shows the part that came, as interrupted', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await reloadStored(page)
  await expect(turns(page)).toHaveCount(2)
  await sendMessage(page, endlessPrompt)
  const arrived = 'one word after the other'
  await expect(page.locator('article[data-state="running"] .md')).toContainText(arrived)
  await waitUntilStored(page, arrived)
  await page.reload()
  await expect(page.getByText('Interrupted', { exact: true })).toBeVisible()
  await expect(turns(page).last().locator('.md')).toContainText(arrived)
})

test('what was on the page is kept by a page that goes away before its next save', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, endlessPrompt)
  const shown = page.locator('article[data-state="running"] .md')
  await expect(shown).toContainText('one word after the other')
  const seen = (await shown.innerText()).trim()
  await page.reload()
  await expect(page.getByText('Interrupted', { exact: true })).toBeVisible()
  const found = (await turns(page).last().locator('.md').innerText()).trim()
  expect(found.startsWith(seen), `${found.length} characters of the ${seen.length} that were shown`).toBe(true)
})

test('a page that goes away keeps its reply as interrupted, and never as stopped', async ({ page, tolerate }) => {
  // The page stays after all, and asks for a usage row that may not be there yet.
  tolerate(/status of 404/)
  await signIn(page)
  await sendMessage(page, endlessPrompt)
  await expect(page.locator('article[data-state="running"] .md')).toContainText('one word after the other')
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    const put = IDBObjectStore.prototype.put
    IDBObjectStore.prototype.put = function (value, ...key) {
      if ('state' in value) seen.push(value.state)
      return put.call(this, value, ...key)
    }
    // The last regular save is long ago.
    const now = performance.now()
    performance.now = () => now + 10_000
    dispatchEvent(new Event('pagehide'))
  })
  await expect(page.getByText('Interrupted', { exact: true })).toBeVisible()
  const states = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  expect(new Set(states)).toEqual(new Set(['interrupted']))
})

test('two tabs agree while a reply streams in one of them', async ({ page, context }) => {
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  const other = await context.newPage()
  await slowDown(other)
  await other.goto(page.url())
  await expect(turns(other)).toHaveCount(2)
  await sendMessage(page, 'Once more')
  await waitForReply(page)
  await expect.poll(() => turnCount(other)).toBe(4)
  await expect(turns(other).last()).toHaveText(await turns(page).last().innerText(), { useInnerText: true })
  await expect(other.getByText('Interrupted', { exact: true })).toHaveCount(0)
})

test('another user of the same browser sees nothing of it', async ({ page, program }) => {
  await addUser(program, 'second', 'password of second')
  await signIn(page)
  await sendMessage(page, 'A private thing')
  await waitForReply(page)
  const address = page.url()
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Username').waitFor()
  await signIn(page, { name: 'second', password: 'password of second' })
  await expect(page.getByText('Your conversations appear here.')).toBeVisible()
  await page.goto(address)
  await messageBox(page).waitFor()
  await expect(page.locator('body')).not.toContainText('A private thing')
})

test('search, rename, pin, delete and undo', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Only here stands zanzibar')
  await waitForReply(page)
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await sendMessage(page, 'Something else')
  await waitForReply(page)
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('ZANZIBAR')
  await expect(list.getByRole('link')).toHaveCount(1)
  await list.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Rename' }).fill('Islands')
  await page.keyboard.press('Enter')
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')
  await list.getByRole('button', { name: 'Actions for Islands' }).click()
  await page.getByRole('menuitem', { name: 'Pin' }).click()
  await expect(list.getByRole('heading').first()).toHaveText('Pinned')
  await list.getByRole('button', { name: 'Actions for Islands' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(list.getByRole('link', { name: 'Islands' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(list.getByRole('link', { name: 'Islands' })).toBeVisible()
})

test('an export comes back loss-free', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'To be kept')
  const reply = await waitForReply(page)
  const cost = reply.locator('.cost')
  await cost.waitFor()
  // Usage arrives after the reply, and is stored a moment later.
  await waitUntilStored(page, `"cost":"${(await cost.getAttribute('title'))?.slice(1)}"`)
  const text = await turns(page).last().locator('.md').innerText()
  const saving = page.waitForEvent('download')
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
  const file = readFileSync(await (await saving).path(), 'utf8')
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Import conversations' }).click()
  await page.getByRole('textbox', { name: 'Exported JSON' }).fill(file)
  await page.getByRole('button', { name: 'Import conversations' }).click()
  await page.getByRole('link', { name: 'To be kept' }).click()
  await expect(turns(page).last().locator('.md')).toHaveText(text, { useInnerText: true })
  await expect(turns(page).last().locator('.cost')).toBeVisible()
})
