/** The same conversation shown in another dialect, and what a reply lost in conversion. */

import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import { addChannel, messageBox, nextBody, removeChannels, signIn, waitForReply } from './support/playground.ts'

const model = 'claude-sonnet-4-5'
let upstream: ScriptedUpstream

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream(messagesVendor({ models: [model] }))
  await addChannel(program, upstream.url, model, 'anthropic')
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

test('the preview follows the form in every dialect, and a reply names what it lost', async ({ page }) => {
  await signIn(page)
  await page.getByRole('textbox', { name: 'Seed' }).fill('7')
  await page.getByRole('textbox', { name: 'Seed' }).press('Enter')
  await messageBox(page).fill('Hello')
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  const protocols = page.getByRole('group', { name: 'Protocol' })
  const shown = page.getByRole('region', { name: /same request/ })

  await protocols.getByRole('button', { name: 'Messages' }).click()
  await expect(shown).toContainText('POST /v1/messages')
  await expect(shown).toContainText('"content": "Hello"')
  const losses = page.getByRole('region', { name: /changes in this protocol/ })
  await expect(losses).toContainText('sampling.seed is left out')

  await protocols.getByRole('button', { name: 'Gemini' }).click()
  await expect(shown).toContainText(`POST /v1beta/models/${model}:streamGenerateContent?alt=sse`)
  await expect(shown).toContainText('"seed": 7')
  await expect(losses).toHaveCount(0)

  await protocols.getByRole('button', { name: 'Chat' }).click()
  const preview = page.getByRole('region', { name: /next request/ })
  const asShown = JSON.parse(((await preview.textContent()) ?? '').replace(/^POST \S+\s/, ''))
  expect(await nextBody(page, () => messageBox(page).press('Enter'))).toEqual(asShown)
  const reply = await waitForReply(page)
  await expect(reply.locator('.foot')).toContainText('sampling.seed:dropped')
})
