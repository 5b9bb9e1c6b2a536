/** Accessibility: axe on every state in both themes, the whole first run by keyboard, 320 pixels, both languages. */
import type { Page } from 'playwright/test'
import { admin, expect, test, violationsOn } from './support/browser-test.ts'
import { endlessPrompt, messageBox, sendMessage, signIn, stopButton, waitForReply } from './support/playground.ts'

async function clean(page: Page, state: string, without: string[] = []): Promise<void> {
  expect([state, await violationsOn(page, without)]).toEqual([state, []])
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every state is clean, ${colorScheme}`, async ({ page, tolerate }) => {
    test.setTimeout(120_000)
    // The usage row of a stopped reply may be asked for before it is settled.
    tolerate(/status of 404/)
    await page.emulateMedia({ colorScheme })
    await page.goto('/')
    await page.getByLabel('Username').waitFor()
    await clean(page, 'sign-in')
    await signIn(page)
    await clean(page, 'empty')
    await sendMessage(page, endlessPrompt)
    await page.locator('article[data-state="running"] .md > *').first().waitFor()
    await clean(page, 'streaming')
    await stopButton(page).click()
    await waitForReply(page, 'stopped')
    await sendMessage(page, 'Show a table and some code.')
    await waitForReply(page)
    await clean(page, 'done')
    await page.getByRole('button', { name: /^Model, / }).click()
    await page.getByRole('listbox').waitFor()
    await clean(page, 'models')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Inspector', exact: true }).click()
    await page.getByRole('tab', { name: /Events/ }).click()
    await clean(page, 'events')
    await page.getByRole('button', { name: 'Code', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await clean(page, 'code')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menu').waitFor()
    // By the menu pattern, an open menu is outside the page's landmarks.
    await clean(page, 'menu', ['region'])
  })
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every failure and dialog is clean, ${colorScheme}`, async ({ page, tolerate }) => {
    test.setTimeout(120_000)
    // Refused requests are the subject; the browser logs each.
    tolerate(/Failed to load resource/)
    await page.emulateMedia({ colorScheme })
    await signIn(page)
    for (const command of ['/error 429', '/error 500', '/error 400', '/cut']) {
      await sendMessage(page, command)
      await page.locator('.failure').last().waitFor({ timeout: 30_000 })
      await clean(page, command)
      await page.getByRole('button', { name: 'New chat', exact: true }).first().click()
    }
    await sendMessage(page, '/think')
    await waitForReply(page)
    await page
      .getByRole('button', { name: /^Thought/ })
      .first()
      .click()
    await clean(page, 'reasoning')
    await page.getByRole('button', { name: 'Templates', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await clean(page, 'templates')
    await page.keyboard.press('Escape')
    await messageBox(page).blur()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await clean(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await clean(page, 'compare')
  })
}

test('the first run works by keyboard alone', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.keyboard.type(admin.name)
  await page.keyboard.press('Tab')
  await page.keyboard.type(admin.password)
  await page.keyboard.press('Enter')
  await expect(messageBox(page)).toBeFocused()
  await page.keyboard.type('Hello')
  await page.keyboard.press('Enter')
  await waitForReply(page)
  await expect(messageBox(page)).toBeFocused()
  await page.keyboard.press('F6')
  await expect(messageBox(page)).not.toBeFocused()
})

test('a reply is announced a few times, never token by token', async ({ page }) => {
  await signIn(page)
  await page.evaluate(() => {
    const counted = window as unknown as { said: string[] }
    counted.said = []
    for (const region of document.querySelectorAll('[role=status],[role=alert]')) {
      new MutationObserver(() => region.textContent && counted.said.push(region.textContent)).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      })
    }
  })
  await sendMessage(page, '/long 100')
  await waitForReply(page)
  const heard = () => page.evaluate(() => (window as unknown as { said: string[] }).said)
  await expect.poll(heard).toContainEqual(expect.stringMatching(/^Reply complete/))
  const said = await heard()
  expect(said[0]).toBe('Generating reply')
  // Begun, still going (after ten seconds), complete.
  expect(said.slice(3)).toEqual([])
  await expect(page.getByRole('log')).toHaveAttribute('aria-live', 'off')
})

test('nothing scrolls sideways at 320 pixels, and panels are sheets that close on Escape', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 })
  await signIn(page)
  await sendMessage(page, 'Show a table and some code.')
  await waitForReply(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  for (const [button, dialog] of [
    ['Parameters', 'Parameters'],
    ['Inspector', 'Inspector'],
    ['Conversations', 'Conversations'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click()
    await expect(page.getByRole('dialog', { name: dialog })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
})

test('Chinese, chosen once, stays; the theme does not flash', async ({ page }) => {
  await signIn(page)
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitemradio', { name: '中文' }).click()
  await expect(page.getByRole('textbox', { name: '消息', exact: true })).toBeVisible()
  await page.getByRole('button', { name: /账号$/ }).click()
  await page.getByRole('menuitemradio', { name: '深色' }).click()
  // A choice takes effect when the menu has closed, a frame later.
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.getByRole('textbox', { name: '消息', exact: true })).toBeVisible()
  expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme])).toEqual(['zh-CN', 'dark'])
})
