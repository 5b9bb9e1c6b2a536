/** The playground rules of the specification, section 1, by their numbers, with the demo model. */
import { expect, test } from './support/browser-test.ts'
import {
  chooseModel,
  endlessPrompt,
  holdRequest,
  messageBox,
  nextBody,
  sendButton,
  sendMessage,
  signIn,
  stopButton,
  turnCount,
  turns,
  waitForReply,
} from './support/playground.ts'

test.beforeEach(async ({ page }) => {
  await signIn(page)
})

test('1: group and model are chosen at the bottom right of the box and fix the model of the conversation', async ({ page }) => {
  const box = await page.locator('form.comp').boundingBox()
  for (const name of [/^Group, /, /^Model, /]) {
    const button = await page.getByRole('button', { name }).boundingBox()
    expect(button?.x).toBeGreaterThan((box?.x ?? 0) + (box?.width ?? 0) / 2)
    expect(button?.y).toBeGreaterThan((box?.y ?? 0) + (box?.height ?? 0) / 2)
  }
  const body = await nextBody(page, () => sendMessage(page, 'Hello'))
  expect(body).toMatchObject({ group: 'default', model: 'parley-demo' })
  await waitForReply(page)
  await expect(page.getByText('parley-demo in default')).toBeVisible()
})

test('1: choosing again after the first message begins a new conversation and takes the draft along', async ({ page }) => {
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  const first = page.url()
  await messageBox(page).fill('half a thought')
  await page.getByRole('button', { name: /^Model, / }).click()
  await expect(page.getByText(/A conversation keeps its model/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(first)
  await expect(messageBox(page)).toHaveValue('half a thought')
})

test('2: parameters are enabled one by one and sent as numbers', async ({ page }) => {
  await page.getByRole('switch', { name: 'Send Temperature' }).click()
  const box = page.getByRole('textbox', { name: 'Temperature', exact: true })
  await box.fill('0.35')
  await box.press('Enter')
  const body = await nextBody(page, () => sendMessage(page, 'Hello'))
  expect(body).toMatchObject({ temperature: 0.35 })
  for (const field of ['top_p', 'frequency_penalty', 'presence_penalty', 'max_tokens']) expect(field in body).toBe(false)
})

test('3 and 4: what is typed is sent by the button, by Enter, and not by Shift+Enter or an input method', async ({ page }) => {
  await expect(sendButton(page)).toHaveAttribute('aria-disabled', 'true')
  await messageBox(page).fill('one')
  await messageBox(page).press('Shift+Enter')
  await messageBox(page).pressSequentially('two')
  await expect(messageBox(page)).toHaveValue('one\ntwo')
  await messageBox(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true })
  await expect(turns(page)).toHaveCount(0)
  const body = await nextBody(page, () => sendButton(page).click())
  expect(body.messages).toEqual([{ role: 'user', content: 'one\ntwo' }])
  await expect(messageBox(page)).toHaveValue('')
})

test('5: the reply streams into the conversation and the next question carries it on', async ({ page }) => {
  const letGo = await holdRequest(page)
  await sendMessage(page, 'My number is 4711.')
  await expect(page.locator('article[data-state="running"]')).toBeVisible()
  letGo()
  const reply = await waitForReply(page)
  const text = await reply.locator('.md').innerText()
  expect(text.length).toBeGreaterThan(5)
  const body = (await nextBody(page, () => sendMessage(page, 'And now?'))) as { messages: { role: string }[] }
  expect(body.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
  await waitForReply(page)
  await expect.poll(() => turnCount(page)).toBe(4)
})

test('5: stop keeps what has arrived and Send comes back in the same place, with the focus', async ({ page, tolerate }) => {
  // Its usage row may be asked for before it is settled.
  tolerate(/status of 404/)
  await sendMessage(page, endlessPrompt)
  await expect(page.locator('article[data-state="running"] .md')).toHaveText(/\w/)
  const before = await stopButton(page).boundingBox()
  await stopButton(page).click()
  await waitForReply(page, 'stopped')
  expect(await sendButton(page).boundingBox()).toEqual(before)
  await expect(sendButton(page)).toBeFocused()
  await expect(turns(page).last().locator('.md')).not.toBeEmpty()
})

test('7: the only call is POST /pg/chat/completions with the session cookie and no key', async ({ page, context }) => {
  const sent = page.waitForRequest((request) => request.url().includes('/pg/') || request.url().includes('/v1/'))
  await sendMessage(page, 'Hello')
  const request = await sent
  expect(new URL(request.url()).pathname).toBe('/pg/chat/completions')
  expect(request.method()).toBe('POST')
  const headers = await request.allHeaders()
  expect(headers.authorization).toBeUndefined()
  expect(headers.cookie).toContain('parley=')
  expect((await context.cookies()).find((cookie) => cookie.name === 'parley')).toMatchObject({ httpOnly: true, sameSite: 'Lax' })
  await waitForReply(page)
})

test('the figures under a reply are the ledger’s', async ({ page }) => {
  await sendMessage(page, 'Hello')
  const reply = await waitForReply(page)
  const id = (await reply.locator('.foot button').innerText()).trim()
  const cost = reply.locator('.foot .cost')
  await cost.waitFor()
  const row = await page.evaluate(async (requestId) => (await fetch(`/api/logs/${requestId}`)).json(), id)
  expect(await cost.getAttribute('title')).toBe(`$${row.cost}`)
})

test('regenerating keeps versions, editing makes a branch, deleting can be undone', async ({ page }) => {
  await sendMessage(page, 'First')
  await waitForReply(page)
  await turns(page).last().hover()
  await turns(page).last().getByRole('button', { name: 'Regenerate' }).click()
  await waitForReply(page)
  await expect(turns(page).last()).toContainText('2 / 2')
  await turns(page).first().hover()
  await turns(page).first().getByRole('button', { name: 'Edit message' }).click()
  await page.getByRole('textbox', { name: 'Edit message' }).fill('Second')
  await page.keyboard.press('Enter')
  await waitForReply(page)
  await expect(turns(page).first()).toContainText('Second')
  await turns(page).first().getByRole('button', { name: 'Previous version' }).click()
  await expect(turns(page).first()).toContainText('First')
  await expect(turns(page).last()).toContainText('2 / 2')
  await turns(page).last().hover()
  await turns(page).last().getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete from here' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(turns(page)).toHaveCount(2)
})

test('the list of models is worked by keyboard alone', async ({ page }) => {
  await page.getByRole('button', { name: /^Model, / }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: /^Search/ })).toBeFocused()
  await page.keyboard.type('demo')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Model, parley-demo' })).toBeVisible()
  await chooseModel(page, 'parley-demo')
})
