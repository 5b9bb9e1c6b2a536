/** Error messages of the playground: what happened, whether it was charged, what to do. One test per row. */
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, slowDown, testWithoutDemo as test } from './support/browser-test.ts'
import { consoleApi } from './support/console-api.ts'
import {
  addChannel,
  addUser,
  chooseModel,
  messageBox,
  removeChannels,
  resetChannels,
  sendMessage,
  signIn,
  turns,
  waitForReply,
  waitUntilStored,
} from './support/playground.ts'

const model = 'scripted'
const chunk = (text: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`
const done = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const vendorError = (message: string, code: string | null, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', code, param },
})

let upstream: ScriptedUpstream
let added = false

test.beforeEach(async ({ page, program, tolerate }) => {
  // Refused requests are the subject; the browser logs each.
  tolerate(/Failed to load resource/)
  if (!added) {
    upstream = await scriptedUpstream()
    await addChannel(program, `${upstream.url}/v1`, model)
    added = true
  }
  await resetChannels(program)
  await signIn(page)
  await chooseModel(page, model)
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

const rows: { name: string; script: Script; title: string; says?: RegExp; step: string; on?: string }[] = [
  {
    name: 'a parameter that the model refuses',
    script: respondJson(400, vendorError("Unsupported value: 'temperature' does not support 2.", 'unsupported_value', 'temperature')),
    title: 'This model does not accept a parameter',
    step: 'Turn off Temperature and retry',
    on: 'Temperature',
  },
  {
    name: 'a context that is too long',
    script: respondJson(400, vendorError('This model’s maximum context length is 8192 tokens.', 'context_length_exceeded')),
    title: 'The conversation is too long for this model',
    step: 'Start a new chat',
  },
  {
    name: 'an upstream that fails',
    script: respondJson(500, vendorError('boom', null)),
    title: 'The provider returned an error',
    step: 'Retry',
  },
  {
    name: 'an upstream that refuses the server’s key',
    script: respondJson(401, vendorError('bad key', 'invalid_api_key')),
    title: 'The provider rejected the server’s key',
    step: 'Try another model',
  },
]

for (const row of rows) {
  test(row.name, async ({ page }) => {
    upstream.answer(row.script)
    if (row.on) await page.getByRole('switch', { name: `Send ${row.on}` }).click()
    await sendMessage(page, 'Hello')
    const panel = page.locator('.failure')
    await expect(panel.getByRole('heading', { name: row.title })).toBeVisible({ timeout: 30_000 })
    await expect(panel.getByText('Not charged')).toBeVisible()
    await expect(panel.getByRole('button', { name: row.step })).toBeVisible()
    await expect(page.getByRole('alert').first()).toHaveText(row.title)
    // Never an address, a key or another tenant's account.
    expect(await panel.innerText()).not.toMatch(/127\.0\.0\.1|sk-|org-/)
  })
}

test('a rate limit counts down before it offers another try', async ({ page }) => {
  upstream.answer(respondJson(429, vendorError('slow down', 'rate_limit_exceeded'), { 'Retry-After': '30' }))
  await sendMessage(page, 'Hello')
  const panel = page.locator('.failure')
  await expect(panel.getByRole('heading', { name: 'Too many requests' })).toBeVisible({ timeout: 30_000 })
  await expect(panel.getByText('Not charged')).toBeVisible()
  const waiting = panel.getByRole('button', { name: /^Retry in \d+ s$/ })
  const first = Number(/\d+/.exec((await waiting.textContent()) ?? '')?.[0])
  await expect.poll(async () => Number(/\d+/.exec((await waiting.textContent()) ?? '')?.[0])).toBeLessThan(first)
})

test('a channel, a group and a model that went away in the meantime are told apart', async ({ page, program }) => {
  const call = await consoleApi(program)
  const { data } = (await call('GET', '/api/channels')) as { data: { id: string; name: string; models: unknown[] }[] }
  const own = data.find(({ models }) => models.includes(model))
  const panel = page.locator('.failure').last()
  await call('PATCH', `/api/channels/${own?.id}`, { enabled: false })
  await sendMessage(page, 'Is anybody there?')
  await expect(panel.getByRole('heading', { name: 'No channel is available right now' })).toBeVisible()
  await call('PATCH', `/api/channels/${own?.id}`, { enabled: true })

  for (const [status, code, title] of [
    [503, 'no_channel_available', 'No channel is available right now'],
    [403, 'group_not_allowed', 'You do not have access to this group'],
    [403, 'not_permitted', 'You do not have permission'],
  ] as const) {
    const body = JSON.stringify({ error: { message: 'no', type: 'server_error', code, param: null } })
    await page.route('**/pg/chat/completions', (route) => route.fulfill({ status, contentType: 'application/json', body }), { times: 1 })
    await page.getByRole('button', { name: 'New chat', exact: true }).first().click()
    await sendMessage(page, 'And now?')
    await expect(panel.getByRole('heading', { name: title })).toBeVisible()
    await expect(panel.getByText('Not charged')).toBeVisible()
  }
})

for (const [status, code, title, step] of [
  [400, 'content_filter', 'The reply was blocked', 'Retry'],
  [404, 'model_not_found', 'This model is not available in the group', 'Try another model'],
  [413, 'request_too_large', 'The request is too large', 'Start a new chat'],
  [429, 'insufficient_quota', 'Your balance does not cover this reply', 'Lower Max tokens and retry'],
  [503, 'overloaded', 'The server cannot take this request right now', 'Retry'],
  [504, 'upstream_timeout', 'The provider did not respond in time', 'Retry'],
] as const) {
  test(`${code}: what happened, that it is free, its request, and the way on`, async ({ page }) => {
    const body = JSON.stringify({ error: { message: 'no', type: 'server_error', code, param: null } })
    const headers = { 'x-request-id': 'req_0123456789' }
    await page.route('**/pg/chat/completions', (route) => route.fulfill({ status, contentType: 'application/json', body, headers }), {
      times: 1,
    })
    await sendMessage(page, 'Hello')
    const panel = page.locator('.failure')
    await expect(panel.getByRole('heading', { name: title })).toBeVisible()
    await expect(panel.getByText('Not charged')).toBeVisible()
    await expect(panel.getByRole('button').first()).toHaveText(step)
    await expect(panel.getByRole('link', { name: 'Open request req_0123456789' })).toBeVisible()
    const meaning = panel.getByRole('link', { name: code })
    // A code of the upstream's own is no link: the reference does not have it.
    if (code === 'content_filter') await expect(panel.locator('span').getByText(code)).toBeVisible()
    else await expect(meaning).toHaveAttribute('href', `/docs?page=errors#error-${code}`)
    await expect(panel.getByRole('link', { name: 'View usage' })).toHaveCount(code === 'insufficient_quota' ? 1 : 0)
  })
}

test('a reply that a content filter ended says so in plain words', async ({ page }) => {
  upstream.answer(stream([chunk('I will'), done.replace('"stop"', '"content_filter"')]))
  await sendMessage(page, 'Hello')
  await expect(await waitForReply(page)).toContainText('The provider’s content filter ended this reply.')
})

test('a conversation that is too long goes on without its oldest messages, which can be sent again', async ({ page }) => {
  for (const question of ['One', 'Two']) {
    upstream.answer(stream([chunk(`Answer to ${question}.`), done]))
    await sendMessage(page, question)
    await waitForReply(page)
  }
  upstream.answer(respondJson(400, vendorError('This model’s maximum context length is 8192 tokens.', 'context_length_exceeded')))
  await sendMessage(page, 'Three')
  const trim = page.locator('.failure').getByRole('button', { name: 'Leave out the oldest messages and retry' })
  await trim.waitFor()
  upstream.answer(stream([chunk('Short enough.'), done]))
  await trim.click()
  await expect(turns(page).last()).toContainText('Short enough.')
  const sent = () =>
    (upstream.requests.at(-1)?.json() as { messages: { content: string }[] } | undefined)?.messages.map(({ content }) => content)
  expect(sent()).toEqual(['Three'])
  await page.getByRole('button', { name: 'Send them again' }).click()
  upstream.answer(stream([chunk('All of it.'), done]))
  await sendMessage(page, 'Four')
  await expect(turns(page).last()).toContainText('All of it.')
  expect(sent()).toEqual(['One', 'Answer to One.', 'Two', 'Answer to Two.', 'Three', 'Short enough.', 'Four'])
})

test('retry puts a new reply where the failed one was', async ({ page }) => {
  upstream.answer(respondJson(400, vendorError('no', 'invalid_value')))
  await sendMessage(page, 'Hello')
  await page.locator('.failure').waitFor()
  upstream.answer(stream([chunk('Better now.'), done]))
  await page.getByRole('button', { name: 'Retry' }).click()
  await waitForReply(page)
  await expect(turns(page)).toHaveCount(2)
  await expect(turns(page).last()).toContainText('Better now.')
})

test('a stream that breaks keeps its text, says what it cost, and can be continued', async ({ page }) => {
  const shown = Promise.withResolvers<void>()
  upstream.answer(async (exchange) => {
    await stream([chunk('The first half'), chunk(' of it')], { ending: 'hang' })(exchange)
    await shown.promise
    exchange.close()
  })
  await sendMessage(page, 'Hello')
  await expect(turns(page).last().locator('.md')).toContainText('The first half of it')
  shown.resolve()
  await expect(page.locator('.failure').getByRole('heading', { name: 'The reply was cut off' })).toBeVisible({ timeout: 30_000 })
  await expect(turns(page).last().locator('.md')).toContainText('The first half of it')
  await expect(page.locator('.failure')).toContainText(/Charged \$|Not charged/, { timeout: 15_000 })
  upstream.answer(stream([chunk('And the rest.'), done]))
  await page.getByRole('button', { name: 'Continue the reply' }).click()
  await waitForReply(page)
  const sent = upstream.requests.at(-1)?.json() as { messages: { role: string; content: string }[] }
  expect(sent.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'user'])
  expect(sent.messages[1]?.content).toBe('The first half of it')
})

test('stop reaches the upstream within a moment', async ({ page }) => {
  upstream.answer(
    stream(
      Array.from({ length: 400 }, (_, index) => chunk(`word${index} `)),
      { everyMs: 50 },
    ),
  )
  await sendMessage(page, 'Hello')
  await page.locator('article[data-state="running"] .md').getByText('word3').waitFor()
  const exchange = upstream.exchanges.at(-1)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await exchange?.gone
  await waitForReply(page, 'stopped')
  await expect(turns(page).last()).toContainText('word3')
})

test('an empty balance says so before anything is sent', async ({ browser, program, baseURL }) => {
  await addUser(program, 'poor', 'password of poor', '0')
  const context = await browser.newContext(baseURL === undefined ? {} : { baseURL })
  const page = await context.newPage()
  await slowDown(page)
  await signIn(page, { name: 'poor', password: 'password of poor' })
  await messageBox(page).fill('Hello')
  const send = page.getByRole('button', { name: 'Send', exact: true })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  await expect(send).toHaveAccessibleDescription(/balance is used up/)
  await context.close()
})

test('a session that ended keeps the conversation and the draft', async ({ page, context }) => {
  upstream.answer(stream([chunk('Fine.'), done]))
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await context.clearCookies()
  await sendMessage(page, 'Still there?')
  await expect(page.getByRole('heading', { name: 'Your session ended' })).toBeVisible()
  await messageBox(page).fill('a draft')
  await waitUntilStored(page, 'a draft')
  const address = page.url()
  await page.locator('.failure').getByRole('button', { name: 'Sign in again' }).click()
  await page.getByLabel('Username').fill('admin')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(address)
  await expect(messageBox(page)).toHaveValue('a draft')
  await expect(turns(page).first()).toContainText('Hello')
  // The session is back: the message only has to be sent again.
  const failed = page.locator('.failure')
  await expect(failed.getByRole('button', { name: 'Sign in again' })).toHaveCount(0)
  await failed.getByRole('button', { name: 'Retry' }).click()
  await expect(turns(page).last()).toContainText('Fine.')
})

test('tools that are not JSON cost nothing, and the way to them leads to their field', async ({ page }) => {
  const tools = page.getByRole('textbox', { name: 'Tools' })
  await tools.fill('{bad json')
  await sendMessage(page, 'Hello')
  const failed = page.locator('.failure')
  await expect(failed.getByText('Nothing was sent.')).toBeVisible()
  await expect(failed.getByText('Not charged')).toBeVisible()
  // Only codes that are explained lead there.
  await expect(failed.getByText('bad_settings')).toBeVisible()
  await expect(failed.getByRole('link')).toHaveCount(0)
  await failed.getByRole('button', { name: 'Open parameters' }).click()
  await expect(tools).toBeFocused()
  await expect(tools).toBeInViewport()
  // A panel that is closed opens for it, as does the sheet of a narrow window.
  await page.getByRole('button', { name: 'Close parameters' }).click()
  await failed.getByRole('button', { name: 'Open parameters' }).click()
  await expect(tools).toBeFocused()
  await page.setViewportSize({ width: 700, height: 800 })
  await failed.getByRole('button', { name: 'Open parameters' }).click()
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Tools' })).toBeFocused()
})

test('a reply without text says so', async ({ page }) => {
  upstream.answer(stream([done]))
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await expect(turns(page).last()).toContainText('The model sent no text.')
})

test('a machine without a network is not offline where Parley runs on it', async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }))
  const asked = page.waitForResponse((answer) => answer.url().endsWith('/healthz'))
  await page.reload()
  await asked
  upstream.answer(stream([chunk('Here.'), done]))
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  await expect(page.getByText('You are offline. Drafts are kept.')).toBeHidden()
})

test('without a network nothing is lost', async ({ page, context }) => {
  // The network may fail before the page has loaded the code that shows turns and renders replies.
  const renderer = /\/assets\/(render|turns)-/
  await page.route(renderer, (route) => route.abort())
  await page.reload()
  await messageBox(page).waitFor()
  await context.setOffline(true)
  await expect(page.getByText('You are offline. Drafts are kept.')).toBeVisible()
  await sendMessage(page, 'Hello')
  await expect(page.getByRole('heading', { name: 'Cannot reach the server' })).toBeVisible()
  await page.unroute(renderer)
  await context.setOffline(false)
  upstream.answer(stream([chunk('**Back.**'), done]))
  await page.getByRole('button', { name: 'Retry' }).click()
  await waitForReply(page)
  await expect(turns(page).last().locator('.md strong')).toHaveText('Back.')
})
