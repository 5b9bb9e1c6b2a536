/** What the playground shows is what was sent and charged: requests edited by hand, failed turns, unanswered calls, every cost. */
import type { Page } from 'playwright/test'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import {
  addChannel,
  chooseModel,
  nextBody,
  removeChannels,
  sendMessage,
  signIn,
  turns,
  waitForReply,
  waitUntilStored,
} from './support/playground.ts'

const model = 'scripted'
const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const says = (text: string, finish = 'stop') => stream([chunk({ content: text }), chunk({}, finish), 'data: [DONE]\n\n'])
const refuses = (message: string, code: string, param: string | null = null) =>
  respondJson(400, { error: { message, type: 'invalid_request_error', code, param } })

let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, model)
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})
test.beforeEach(async ({ page }) => {
  await signIn(page)
  await chooseModel(page, model)
})

const costs = async (page: Page): Promise<number> => {
  const all = await page.locator('.foot .cost').evaluateAll((places) => places.map((one) => Number(one.getAttribute('title')?.slice(1))))
  return all.reduce((sum, one) => sum + one, 0)
}
const inThisChat = async (page: Page): Promise<number> =>
  Number((await page.locator('.under [title^="$"]').getAttribute('title'))?.slice(1) ?? Number.NaN)

test('a request edited by hand is sent once, and the transcript shows what it contained', async ({ page }) => {
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const editor = page.getByRole('textbox', { name: 'Edit as JSON' })
  await editor.fill(JSON.stringify({ model, messages: [{ role: 'user', content: 'by hand' }], stream: true }))
  upstream.answer(says('One.'))
  const body = await nextBody(page, () => page.getByRole('button', { name: 'Send request' }).click())
  expect(body.messages).toEqual([{ role: 'user', content: 'by hand' }])
  await waitForReply(page)
  await expect(turns(page).first()).toContainText('by hand')
  await expect(turns(page).last().locator('.foot')).toContainText('Edited by hand')
  // The next message is an ordinary one again.
  upstream.answer(says('Two.'))
  const next = await nextBody(page, () => sendMessage(page, 'typed'))
  expect(next.messages).toEqual([
    { role: 'user', content: 'by hand' },
    { role: 'assistant', content: 'One.' },
    { role: 'user', content: 'typed' },
  ])
  await waitForReply(page)
})

test('while a request is edited by hand, the message box does not send another one', async ({ page }) => {
  await page.getByRole('button', { name: 'Inspector', exact: true }).click()
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await sendMessage(page, 'typed below')
  await expect(page.locator('.under')).toContainText('Send or discard the request edited by hand first')
  await expect(turns(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Discard edits' }).first().click()
  upstream.answer(says('Fine.'))
  const body = await nextBody(page, () => page.getByRole('button', { name: 'Send', exact: true }).click())
  expect(body.messages).toEqual([{ role: 'user', content: 'typed below' }])
  await waitForReply(page)
})

test('the figure of the chat is everything that was charged in it: other versions and deleted turns too', async ({ page }) => {
  upstream.answer(says('First version.'))
  await sendMessage(page, 'Count')
  await waitForReply(page)
  await page.locator('.foot .cost').waitFor()
  const first = await costs(page)
  upstream.answer(says('Second version, a longer one.'))
  await turns(page).last().hover()
  await turns(page).last().getByRole('button', { name: 'Regenerate' }).click()
  await waitForReply(page)
  await page.locator('.foot .cost').waitFor()
  const both = first + (await costs(page))
  await expect.poll(() => inThisChat(page)).toBeCloseTo(both, 9)
  await turns(page).last().hover()
  await turns(page).last().getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete from here' }).click()
  await expect.poll(() => inThisChat(page)).toBeCloseTo(both, 9)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => inThisChat(page)).toBeCloseTo(both, 9)
})

test('a reply that a reload interrupted shows its charge and can be continued', async ({ page }) => {
  upstream.answer(stream([chunk({ content: 'The beginning' })], { ending: 'hang' }))
  await sendMessage(page, 'Hello')
  await expect(turns(page).last().locator('.md')).toContainText('The beginning')
  await waitUntilStored(page, 'The beginning')
  await page.reload()
  await expect(page.getByText('Interrupted', { exact: true })).toBeVisible()
  await expect(turns(page).last().locator('.foot .cost')).toBeVisible()
  upstream.answer(says('And the end.'))
  await turns(page).last().getByRole('button', { name: 'Continue the reply' }).click()
  await waitForReply(page)
  await expect(turns(page).last()).toContainText('And the end.')
})

test('a question that got no answer is not sent again with the next one, and says so', async ({ page, tolerate }) => {
  // The refused request is the subject; the browser logs it.
  tolerate(/status of 400/)
  upstream.answer(refuses('no', 'invalid_value'))
  await sendMessage(page, 'refused one')
  await page.locator('.failure').waitFor()
  upstream.answer(says('Hi.'))
  const body = await nextBody(page, () => sendMessage(page, 'another one'))
  expect(body.messages).toEqual([{ role: 'user', content: 'another one' }])
  await waitForReply(page)
  await expect(turns(page).first()).toContainText('Not sent with later messages, because it has no answer')
})

test('tool calls that have no result are not sent', async ({ page }) => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
  upstream.answer(stream([chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), 'data: [DONE]\n\n']))
  await sendMessage(page, 'Weather?')
  await waitForReply(page)
  upstream.answer(says('Fine.'))
  const body = await nextBody(page, () => sendMessage(page, 'Never mind.'))
  expect(JSON.stringify(body.messages)).not.toContain('tool_calls')
  await waitForReply(page)
})

test('a refusal names a parameter that is switched off: turning it off is not offered', async ({ page, tolerate }) => {
  // The refused request is the subject; the browser logs it.
  tolerate(/status of 400/)
  upstream.answer(refuses("Unsupported value: 'temperature' does not support 2.", 'unsupported_value', 'temperature'))
  await sendMessage(page, 'Hello')
  const panel = page.locator('.failure')
  await expect(panel.getByRole('heading', { name: 'This model does not accept a parameter' })).toBeVisible()
  await expect(panel).toContainText('Temperature is switched off here')
  await expect(panel.getByRole('button', { name: /^Turn off/ })).toHaveCount(0)
})

test('an answer that ended at its limit says why and can be continued', async ({ page }) => {
  upstream.answer(says('Half of it', 'length'))
  await sendMessage(page, 'Hello')
  const reply = await waitForReply(page)
  await expect(reply).toContainText('The reply reached its token limit')
  upstream.answer(says(' and the rest.'))
  await reply.getByRole('button', { name: 'Continue the reply' }).click()
  await waitForReply(page)
})

test('versions keep their order when a deleted one comes back', async ({ page }) => {
  for (const text of ['Version A.', 'Version B.', 'Version C.']) {
    upstream.answer(says(text))
    if (text === 'Version A.') await sendMessage(page, 'Go')
    else {
      await turns(page).last().hover()
      await turns(page).last().getByRole('button', { name: 'Regenerate' }).click()
    }
    await waitForReply(page)
    await expect(turns(page).last()).toContainText(text)
  }
  const back = () => turns(page).last().getByRole('button', { name: 'Previous version' }).click()
  await turns(page).last().hover()
  await back()
  await expect(turns(page).last()).toContainText('Version B.')
  await turns(page).last().getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete from here' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(turns(page).last()).toContainText('Version B.')
  await expect(turns(page).last()).toContainText('2 / 3')
})
