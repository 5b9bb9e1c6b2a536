/** The playground in use: choosing and losing models, dialogs, shortcuts, small screens, and unobtrusive elements. */
import type { Page } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { consoleApi } from './support/console-api.ts'
import {
  addUser,
  endlessPrompt,
  messageBox,
  reloadStored,
  sendButton,
  sendMessage,
  signIn,
  stopButton,
  turns,
  waitForReply,
  waitUntilStored,
} from './support/playground.ts'

const password = 'password of somebody'
const openAccount = (page: Page) => page.getByRole('button', { name: /Account$/ }).click()

test('a model is chosen at the first visit, and the one used last afterwards', async ({ page, program }) => {
  const call = await consoleApi(program)
  await addUser(program, 'chooser', password)
  const first = { name: 'aa-first', upstream: 'parley-demo' }
  await call('POST', '/api/channels', { name: 'two', vendor: 'demo', models: [first, { name: 'zz-second', upstream: 'parley-demo' }] })
  for (const model of ['aa-first', 'zz-second']) await call('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
  await signIn(page, { name: 'chooser', password })
  await expect(page.getByRole('button', { name: 'Model, aa-first' })).toBeVisible()
  await page.getByRole('button', { name: /^Model, / }).click()
  await page.getByRole('option', { name: /zz-second/ }).click()
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await page.getByRole('button', { name: 'New chat', exact: true }).first().click()
  await reloadStored(page)
  await expect(page.getByRole('button', { name: 'Model, zz-second' })).toBeVisible()
  // The channel is removed: the conversation is kept, and can continue with another model.
  const { data } = (await call('GET', '/api/channels')) as { data: { id: string; name: string }[] }
  const channel = data.find(({ name }) => name === 'two')?.id
  await call('PATCH', `/api/channels/${channel}`, { models: [first] })
  await page.getByRole('link', { name: 'Hello' }).click()
  await reloadStored(page)
  await expect(page.getByRole('status').getByText('zz-second is no longer available in group default')).toBeVisible()
  await messageBox(page).fill('And now?')
  await page.getByRole('button', { name: 'Continue with aa-first' }).click()
  await expect(messageBox(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(await waitForReply(page)).toContainText('aa-first')
  await call('DELETE', `/api/channels/${channel}`)
})

test('without a balance, sending says why where it can be read', async ({ page, program }) => {
  await addUser(program, 'poor', password, '0')
  await signIn(page, { name: 'poor', password })
  await expect(page.getByText('No balance yet')).toBeVisible()
  await expect(page.getByText('to try things out')).toHaveCount(0)
  await sendMessage(page, 'Hello')
  await expect(page.locator('.under')).toContainText('Your balance is used up')
  await expect(turns(page)).toHaveCount(0)
  await page.setViewportSize({ width: 390, height: 800 })
  await expect(page.locator('.under')).toBeVisible()
})

test('signing out with everything deleted asks first, and is marked as destructive', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Kept until confirmed')
  await waitForReply(page)
  await openAccount(page)
  const item = page.getByRole('menuitem', { name: 'Sign out and delete conversations' })
  await expect(item).toHaveClass(/bad/)
  await item.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('cannot be recovered')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(turns(page).first()).toContainText('Kept until confirmed')
  await openAccount(page)
  await item.click()
  await dialog.getByRole('button', { name: 'Sign out and delete conversations' }).click()
  await page.getByLabel('Username').waitFor()
  await signIn(page)
  await expect(page.getByRole('link', { name: 'Kept until confirmed' })).toHaveCount(0)
})

test('signing out of the console can delete conversations and templates too', async ({ page, program }) => {
  await signIn(page)
  await sendMessage(page, 'Not for the next visitor')
  await waitForReply(page)
  const kept = () =>
    page.evaluate(async () => ({
      databases: (await indexedDB.databases()).map(({ name }) => name),
      templates: Object.keys(localStorage).filter((name) => name.startsWith('parley.templates.')),
    }))
  const { user } = await page.evaluate(async () => (await fetch('/api/session')).json())
  await page.evaluate((id) => localStorage.setItem(`parley.templates.${id}`, '[]'), user.id)
  expect(await kept()).toEqual({ databases: [`parley-${user.id}`], templates: [`parley.templates.${user.id}`] })
  await page.goto(`${program.url}/keys`)
  await openAccount(page)
  await page.getByRole('menuitem', { name: 'Sign out and delete conversations' }).click()
  await page.getByLabel('Username').waitFor()
  expect(await kept()).toEqual({ databases: [], templates: [] })
})

test('on a phone the whole account menu can be reached', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 640 })
  await signIn(page)
  await page.getByRole('button', { name: 'Conversations', exact: true }).click()
  await openAccount(page)
  const menu = page.getByRole('menu')
  await menu.getByRole('menuitem', { name: 'Sign out and delete conversations' }).scrollIntoViewIfNeeded()
  const box = await menu.boundingBox()
  expect(box?.y).toBeGreaterThanOrEqual(0)
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640)
})

test('comparing fits on tablets and phones', async ({ page }) => {
  await signIn(page)
  await page.getByRole('button', { name: 'Compare', exact: true }).click()
  for (const width of [820, 768, 390, 360]) {
    await page.setViewportSize({ width, height: 800 })
    for (const button of [
      sendButton(page),
      page.getByRole('button', { name: 'Add model' }),
      page.getByRole('button', { name: 'Stop comparing' }),
    ]) {
      const box = await button.boundingBox()
      expect(box?.x, `${width}`).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? 0), `${width}`).toBeLessThanOrEqual(width)
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width}`).toBeLessThanOrEqual(width)
  }
})

test('every dialog has a button that closes it', async ({ page }) => {
  await signIn(page)
  for (const name of ['Templates', 'Keyboard shortcuts']) {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('Reset all can be undone, tools included', async ({ page }) => {
  await signIn(page)
  const tools = page.getByRole('textbox', { name: 'Tools' })
  await tools.fill('[{"type":"function","function":{"name":"mine"}}]')
  await tools.blur()
  await page.getByRole('button', { name: 'Reset all' }).click()
  await expect(tools).toHaveValue('')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(tools).toHaveValue(/"mine"/)
})

test('shortcuts leave the browser its own, and Escape in a help closes the help only', async ({ page }) => {
  await signIn(page)
  await page.keyboard.press('Control+Shift+I')
  await expect(page.getByRole('heading', { name: 'Inspector' })).toHaveCount(0)
  await page.keyboard.press('Control+;')
  await expect(page.getByRole('heading', { name: 'Inspector' })).toBeVisible()
  await page.getByRole('button', { name: 'Parameters', exact: true }).click()
  const help = page.getByRole('button', { name: 'About Temperature' })
  await help.click()
  await expect(page.getByText('Higher values give more varied answers')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Higher values give more varied answers')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Parameters' })).toBeVisible()
  await expect(help).toBeFocused()
})

test('a toast covers neither the message box nor its buttons', async ({ page }) => {
  await page.clock.install()
  await signIn(page)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 760 })
    await sendMessage(page, 'Hello')
    await waitForReply(page)
    await turns(page).last().hover()
    await turns(page).last().getByRole('button', { name: 'Copy reply' }).click()
    const toast = page.locator('.toast').last()
    const [over, box] = [await toast.boundingBox(), await page.locator('form.comp').boundingBox()]
    const apart = (over?.y ?? 0) + (over?.height ?? 0) <= (box?.y ?? 0) || (over?.y ?? 0) >= (box?.y ?? 0) + (box?.height ?? 0)
    expect(apart, `${width}: ${JSON.stringify([over, box])}`).toBe(true)
    await page.clock.fastForward('01:00')
    await expect(toast).toHaveCount(0)
  }
})

test('no bubble stays under an open menu', async ({ page }) => {
  await signIn(page)
  const more = page.getByRole('button', { name: 'More', exact: true })
  await more.hover()
  await page.locator('.tip').waitFor()
  await more.click()
  await page.getByRole('menu').waitFor()
  await page.mouse.move(5, 5)
  await more.hover({ force: true })
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('.tip')).toHaveCount(0)
})

test('on a tablet words are whole and targets are large enough for fingers', async ({ browser, program }) => {
  const context = await browser.newContext({ baseURL: program.url, viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true })
  const page = await context.newPage()
  await signIn(page)
  await page.getByRole('button', { name: 'Parameters', exact: true }).click()
  await page.getByRole('slider', { name: 'Temperature' }).waitFor()
  const cut = await page.locator('.par input.num').evaluateAll((boxes) => boxes.map((one) => one.scrollWidth - one.clientWidth))
  expect(cut.length).toBeGreaterThan(0)
  expect(Math.max(...cut)).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Close parameters' }).click()
  const small = await page.locator('.app :is(button, a[href], input):visible, .tabbar > *:visible').evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = one.getBoundingClientRect()
      const hidden = one.closest('.skip, .hidden-text') !== null || width === 0
      return hidden || (width >= 43.5 && height >= 43.5) || (height >= 43.5 && width >= 36)
        ? []
        : [`${one.getAttribute('aria-label') ?? one.textContent} ${width}x${height}`]
    }),
  )
  expect(small).toEqual([])
  await context.close()
})

test('an address of no conversation says so', async ({ page }) => {
  await signIn(page)
  await page.goto('/c/unknownunknown')
  await expect(page.getByText('This conversation is not in this browser')).toBeVisible()
  await page.getByRole('button', { name: 'Start a new chat' }).click()
  await expect(page).toHaveURL(/\/$/)
})

test('a text longer than the context says how to go on', async ({ page }) => {
  await page.route('**/api/models?*', async (route) => {
    const answer = await route.fetch()
    const body = await answer.json()
    for (const row of body.data) row.contextTokens = 100
    await route.fulfill({ response: answer, json: body })
  })
  await signIn(page)
  await messageBox(page).fill('word '.repeat(2_000))
  await expect(page.locator('.under')).toContainText('This exceeds the model’s context')
})

test('Escape stops a reply once, and the menu of a message does not', async ({ page, tolerate }) => {
  tolerate(/status of 404/)
  await signIn(page)
  await sendMessage(page, endlessPrompt)
  await page.locator('article[data-state="running"] .md > *').first().waitFor()
  await stopButton(page).waitFor()
  await page.keyboard.press('Escape')
  await waitForReply(page, 'stopped')
})

test('a message that is sent before the models are known goes out when they are', async ({ page }) => {
  const models = Promise.withResolvers<void>()
  await page.route('**/api/models?*', async (route) => {
    await models.promise
    await route.continue()
  })
  await signIn(page)
  await sendMessage(page, 'Sent early')
  await expect(messageBox(page)).toHaveValue('Sent early')
  // With its first draft the conversation gets its id.
  await waitUntilStored(page, 'Sent early')
  models.resolve()
  await waitForReply(page)
  await expect(turns(page).first()).toContainText('Sent early')
  await expect(messageBox(page)).toHaveValue('')
})
