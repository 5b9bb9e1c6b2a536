/** The playground under system preferences: in print, with forced colours, with reduced motion; and columns that scroll together. */
import type { Locator, Page } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { endlessPrompt, messageBox, sendMessage, signIn, stopButton, waitForFrames, waitForReply } from './support/playground.ts'

const styleOf = (place: Locator, property: string) =>
  place.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)

/** Red, green and blue from 0 to 255. */
const colourOf = async (place: Locator, property: string) =>
  (await styleOf(place, property))
    .match(/\d+(\.\d+)?/g)
    ?.slice(0, 3)
    .map(Number) ?? []

/** Imports a conversation of many turns from a file, and opens it. */
async function openLong(page: Page, turns: number): Promise<void> {
  const answered = {
    state: 'complete',
    group: 'default',
    model: 'parley-demo',
    reasoning: '',
    refusal: '',
    calls: [],
    requestId: null,
    cost: null,
  }
  const messages = Array.from({ length: turns }, (_, at) => ({
    ...(at % 2 === 0 ? { role: 'user' } : { role: 'assistant', ...answered }),
    id: `m${at}`,
    parent: at === 0 ? null : `m${at - 1}`,
    at,
    text: `Turn ${at}.${' More words to read.'.repeat(40)}`,
    conversation: 'c',
  }))
  const conversation = {
    id: 'c',
    title: 'Long',
    named: true,
    createdAt: 1,
    updatedAt: 1,
    group: 'default',
    model: 'parley-demo',
    settings: {},
  }
  const file = JSON.stringify({ form: 'parley-conversations', version: 1, conversations: [{ conversation, messages }] })
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Import conversations' }).click()
  await page.getByRole('textbox', { name: 'Exported JSON' }).fill(file)
  await page.getByRole('button', { name: 'Import conversations' }).click()
  await page.getByRole('link', { name: 'Long' }).click()
  await page.getByText(`Turn ${turns - 1}.`).waitFor()
}

test('a printed conversation is whole, dark on light, and without controls', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await signIn(page)
  await openLong(page, 60)
  const turns = page.locator('article[data-message]')
  const onScreen = await turns.count()
  expect(onScreen).toBeLessThan(60)
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' })
  await expect(turns).toHaveCount(60)
  for (const gone of [
    page.locator('aside').first(),
    messageBox(page),
    page.getByRole('button', { name: 'Compare' }),
    page.locator('.acts').first(),
  ])
    await expect(gone).toBeHidden()
  expect(Math.max(...(await colourOf(turns.first(), 'color')))).toBeLessThan(80)
  // Nothing is cut off at the height of the window.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(3_000)
  await page.emulateMedia({ media: 'screen' })
  await expect.poll(() => turns.count()).toBeLessThan(60)
})

test('what is chosen can be seen in forced colours', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  const differ = async (chosen: Locator, other: Locator, property: string) =>
    expect.poll(async () => (await styleOf(chosen, property)) === (await styleOf(other, property))).toBe(false)
  await differ(page.getByRole('tab', { name: 'Preview' }), page.getByRole('tab', { name: 'Request' }), 'border-bottom-color')
  const protocols = page.getByRole('group', { name: 'Protocol' })
  await differ(protocols.getByRole('button', { name: 'Chat' }), protocols.getByRole('button', { name: 'Gemini' }), 'background-color')
  await page.getByRole('tab', { name: /Events/ }).click()
  const rows = page.getByRole('listbox', { name: 'Events' }).getByRole('option')
  await rows.nth(1).click()
  await differ(rows.nth(1), rows.nth(3), 'background-color')
  await page.getByRole('button', { name: 'Parameters', exact: true }).click()
  const temperature = page.getByRole('switch', { name: 'Send Temperature' })
  await temperature.click()
  await differ(temperature, page.getByRole('switch', { name: 'Send Top P' }), 'background-color')
  const open = page.locator('.nav-row[data-current]')
  expect(await styleOf(open, 'outline-style')).toBe('solid')
})

test('nothing moves by itself where motion is reduced', async ({ page, tolerate }) => {
  // The usage row of a stopped reply may be asked for before it is settled.
  tolerate(/status of 404/)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page)
  await sendMessage(page, endlessPrompt)
  const caret = page.locator('.caret')
  await caret.waitFor()
  const running = await page.evaluate(() => document.getAnimations().filter((one) => one.playState === 'running').length)
  expect(running).toBe(0)
  await stopButton(page).click()
  await waitForReply(page, 'stopped')
})

test('compared replies scroll together until that is switched off', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 480 })
  await signIn(page)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  await sendMessage(page, '/long 200')
  await expect(page.getByRole('button', { name: 'Continue with this' })).toHaveCount(2, { timeout: 40_000 })
  const columns = page.locator('.column [role=group]')
  const scroll = (index: number, share: number) =>
    columns.nth(index).evaluate((element, at) => element.scrollTo(0, (element.scrollHeight - element.clientHeight) * at), share)
  const shares = () =>
    columns.evaluateAll((all) => all.map((element) => Math.round((10 * element.scrollTop) / (element.scrollHeight - element.clientHeight))))
  await scroll(0, 0.5)
  await expect.poll(shares).toEqual([5, 5])
  await scroll(1, 1)
  await expect.poll(shares).toEqual([10, 10])
  await page.getByRole('button', { name: 'Sync scrolling' }).click()
  await scroll(0, 0.2)
  await waitForFrames(page)
  expect(await shares()).toEqual([2, 10])
})
