/** A holder of keys with a phone: every step by touch, from signing in to the bill of a message. */
import type { Page } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { layoutFaults } from './support/console.ts'
import { addUser, messageBox, sendButton, signIn, waitForReply } from './support/playground.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

const holder = { name: 'phone-holder', password: 'an unusual password 1' }
const bar = (page: Page) => page.locator('.tabbar')

test('a key, a message, its cost and its request', async ({ page, program }) => {
  await addUser(program, holder.name, holder.password)
  await signIn(page, holder)

  await bar(page).getByRole('button', { name: 'More' }).tap()
  await page.getByRole('link', { name: 'Keys' }).tap()
  await page.getByRole('button', { name: 'Create key' }).first().tap()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('mine')
  await dialog.getByRole('button', { name: 'Create key' }).tap()
  await expect(page.getByText('It is shown once')).toBeVisible()
  expect(await layoutFaults(page, [360, 390])).toEqual([])
  await page.getByRole('link', { name: 'mine' }).tap()
  await page.getByRole('link', { name: 'Use it' }).tap()
  await page.getByRole('button', { name: 'Copy curl' }).tap()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()

  await bar(page).getByRole('link', { name: 'Playground' }).tap()
  // Where nobody has typed the list of models opens, and the bar does not move under the finger.
  await page.locator('.choices .sel').last().tap()
  await page
    .getByRole('option', { name: /parley-demo/ })
    .first()
    .tap()
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await messageBox(page).tap()
  await expect(bar(page)).toBeHidden()
  await page.keyboard.type('How do I count tokens?')
  await page.locator('.choices .sel').last().tap()
  await expect(page.getByRole('listbox')).toBeVisible()
  await page.keyboard.press('Escape')
  await messageBox(page).tap()
  await sendButton(page).tap()
  await waitForReply(page)
  await page.getByRole('heading', { level: 1 }).tap()
  await expect(bar(page)).toBeVisible()

  for (const [name, shown] of [
    ['Usage', 'Charged by day'],
    ['Overview', 'Spend by hour'],
    ['Requests', 'Newest first'],
  ] as const) {
    await bar(page).getByRole('link', { name }).tap()
    await expect(page.getByText(shown)).toBeVisible()
    expect([name, await layoutFaults(page, [360, 390])]).toEqual([name, []])
  }
  await page.locator('tbody').getByText('parley-demo').tap()
  await expect(page.getByRole('complementary')).toContainText('Charged')
  expect(await layoutFaults(page, [360, 390])).toEqual([])
})

test('the palette opens from the bar and has a button that closes it', async ({ page }) => {
  await signIn(page)
  await bar(page).getByRole('button', { name: 'More' }).tap()
  await page.getByRole('button', { name: 'Search or jump to' }).tap()
  await expect(page.getByRole('combobox')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap()
  await expect(page.getByRole('combobox')).toHaveCount(0)
})
