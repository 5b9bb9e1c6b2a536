/** The first run: from the set-up page to a real model answering, in at most twelve clicks and three minutes; or with the demo. */
import type { Page } from 'playwright/test'
import { type Program, startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { test as base, expect } from './support/browser-test.ts'
import { expectClean } from './support/console.ts'

const mostClicks = 12
const mostMs = 180_000
const model = 'gpt-first'
const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello from the vendor' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
}

/** A vendor of the chat protocol: lists two models and answers, whole or streamed. */
async function vendor(): Promise<ScriptedUpstream> {
  const upstream = await scriptedUpstream()
  const data = [model, 'gpt-second'].map((id) => ({ id, object: 'model', created: 1, owned_by: 'vendor' }))
  upstream.answer((exchange) =>
    respondJson(200, exchange.request.target.endsWith('/models') ? { object: 'list', data } : completion)(exchange),
  )
  return upstream
}

/** Every click that reaches the page, Enter on a button included, over all its documents. */
async function countClicks(page: Page): Promise<() => number> {
  let clicks = 0
  await page.exposeFunction('clickWasSeen', () => void clicks++)
  await page.addInitScript(() => {
    addEventListener('click', (event) => event.isTrusted && (window as never as { clickWasSeen(): void }).clickWasSeen(), { capture: true })
  })
  return () => clicks
}

/** Each test has a new installation before setup. */
const test = base.extend<{ fresh: Program }>({
  fresh: async ({ browserName: _ }, use) => {
    const program = await startProgram({ env: {} })
    await use(program)
    await program.stop()
  },
  baseURL: async ({ fresh }, use) => use(fresh.url),
})

async function administrator(page: Page, fresh: Program, button = 'Continue'): Promise<void> {
  await page.goto(fresh.url)
  await page.getByLabel('Setup token').fill(fresh.printed('Parley setup token'))
  await page.getByLabel('Password').fill('an unusual password 1')
  await page.getByRole('button', { name: button }).click()
}

test('from an empty folder to a real model’s answer in twelve clicks and three minutes', async ({ page, fresh }) => {
  test.setTimeout(240_000)
  const upstream = await vendor()
  const clicks = await countClicks(page)
  const begun = Date.now()
  await administrator(page, fresh)

  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  // The first field has the focus: the rest is typed and pasted.
  await expect(page.getByLabel('Address')).toBeFocused()
  await page.keyboard.type(`${upstream.url}/v1`)
  await page.keyboard.press('Tab')
  await page.keyboard.type('sk-vendor-of-the-first-run')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 models found.')).toBeVisible()
  await page.getByRole('button', { name: 'Save and continue' }).click()

  await expect(page.getByRole('status').filter({ hasText: `${model} answered` })).toBeVisible()
  const secret = await page.getByRole('textbox', { name: 'Key “first”' }).inputValue()
  expect(secret).toMatch(/^sk-\w{48}$/)
  const curl = await page.getByRole('region', { name: /curl$/ }).innerText()
  expect(curl).toContain(`Bearer ${secret}`)
  expect(curl).toContain(fresh.url)
  for (const agent of ['Claude Code', 'Codex', 'opencode']) await expect(page.getByRole('button', { name: agent })).toBeVisible()
  // The copy button has the focus.
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('One channel with 2 models, one key, one administrator.')).toBeVisible()
  await page.getByRole('button', { name: 'Open the playground' }).click()

  await page.getByRole('textbox', { name: /message/i }).fill('Hello')
  await page.keyboard.press('Enter')
  await expect(page.locator('article').last()).toContainText('Hello from the vendor')
  const took = Date.now() - begun
  expect(clicks(), 'clicks').toBeLessThanOrEqual(mostClicks)
  expect(took, 'milliseconds').toBeLessThan(mostMs)

  // The curl of the page works as it stands.
  const asked = await fetch(`${fresh.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(await asked.text()).toContain('Hello from the vendor')
  await upstream.close()
})

test('the demo can be chosen at every step', async ({ page, fresh }) => {
  await administrator(page, fresh, 'Use the demo for now')
  await expect(page.getByRole('heading', { name: 'Copy your first key' })).toBeVisible()
  await expect(page.getByRole('region', { name: /curl$/ })).toContainText('parley-demo')
  // The key is shown only now: a reload asks first.
  const warned = page.waitForEvent('dialog')
  const reloaded = page.reload({ timeout: 2_000 }).catch(() => 'stayed')
  const warning = await warned
  expect(warning.type()).toBe('beforeunload')
  await warning.dismiss()
  expect(await reloaded).toBe('stayed')
  await expect(page.getByRole('textbox', { name: 'Key “first”' })).toHaveValue(/^sk-/)
  // Back to the channel, and the demo again.
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: /Use the demo for now/ }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('dialog')).toContainText('Continue without the key?')
  await page.getByRole('button', { name: 'Continue without it' }).click()
  await expect(page.getByText('The demo, one key, one administrator.')).toBeVisible()
  // What holds of the installation, and what changes it.
  const facts = page.locator('main dl')
  await expect(facts).toContainText(`${fresh.url} from host and port; PARLEY_PUBLIC_URL sets it at the next start`)
  await expect(facts).toContainText('US dollars')
  await expect(facts).toContainText('closed: people join by invitation only')
  await expectClean(page, 'the end of the first run')
  await page.getByRole('button', { name: 'Open the playground' }).click()
  await expect(page.getByRole('button', { name: /^Model, parley-demo/ })).toBeVisible()
})

test('every fault stands at its field, in words for people', async ({ page, fresh, tolerate }) => {
  tolerate(/status of 40[01]/)
  await page.goto(fresh.url)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Setup token')).toBeFocused()
  await expect(page.getByLabel('Setup token')).toHaveAccessibleDescription(/Enter the token that the server printed/)
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Choose a password.')
  await page.getByLabel('Setup token').fill('not-the-token')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription('Enter at least 8 characters.')
  await expect(page.getByText(/^Expected/)).toHaveCount(0)
  await page.getByLabel('Password').fill('an unusual password 1')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Setup token')).toHaveAccessibleDescription('This is not the token the running server printed.')
  await page.getByLabel('Setup token').fill(fresh.printed('Parley setup token'))
  await page.getByLabel('Password').fill('password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription(/too common/)
})

test('a vendor that refuses the key, then one that does not answer: what happened, and the way on', async ({ page, fresh, tolerate }) => {
  test.setTimeout(120_000)
  tolerate(/status of (40\d|50\d)/)
  const upstream = await scriptedUpstream()
  upstream.answer(respondJson(401, { error: { message: 'Incorrect API key', type: 'invalid_request_error', code: 'invalid_api_key' } }))
  await administrator(page, fresh)
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${upstream.url}/v1`)
  await page.getByLabel('API key').fill('sk-wrong')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await page.getByRole('button', { name: 'Type the models instead' }).click()
  await page.getByRole('textbox', { name: 'Models', exact: true }).fill(model)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toBeVisible()
  // The input is kept; the same channel is saved again with another key.
  upstream.answer(respondJson(200, completion))
  await page.getByLabel('API key').fill('sk-right')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByRole('heading', { name: 'Copy your first key' })).toBeVisible()
  await upstream.close()
})

test('another vendor gets neither the key nor the address of the one before, and takes the place of its channel', async ({
  page,
  fresh,
  tolerate,
}) => {
  test.setTimeout(120_000)
  tolerate(/status of (40\d|50\d)/)
  const [first, second] = [await scriptedUpstream(), await scriptedUpstream()]
  for (const one of [first, second]) one.answer(respondJson(401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } }))
  const asked: Record<string, unknown>[] = []
  // No test asks a real vendor.
  await page.route('**/api/channels/models', async (route) => {
    asked.push(route.request().postDataJSON())
    await route.fulfill({ status: 502, json: { error: { code: 'unreachable', message: 'No answer.' } } })
  })
  await administrator(page, fresh)
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${first.url}/v1`)
  await page.getByLabel('API key').fill('sk-of-the-first')

  await page.getByRole('button', { name: 'OpenAI', exact: true }).click()
  await expect(page.getByLabel('Address')).toHaveCount(0)
  await expect(page.getByLabel('API key')).toHaveValue('')
  await page.getByLabel('API key').fill('sk-of-openai')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await expect(page.getByRole('button', { name: 'Type the models instead' })).toBeVisible()
  expect(asked).toEqual([{ vendor: 'openai', keys: ['sk-of-openai'] }])

  // A channel that was saved and does not answer, then one of another vendor.
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${first.url}/v1`)
  await page.getByLabel('API key').fill('sk-of-the-first')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await page.getByRole('button', { name: 'Type the models instead' }).click()
  await page.getByRole('textbox', { name: 'Models', exact: true }).fill(model)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toBeVisible()
  await page.getByRole('button', { name: 'Ollama' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toHaveCount(0)
  await page.getByLabel('Address').fill(`${second.url}/v1`)
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await page.getByRole('button', { name: 'Type the models instead' }).click()
  await page.getByRole('textbox', { name: 'Models', exact: true }).fill(model)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toBeVisible()
  const { data } = await page.evaluate(async () => (await fetch('/api/channels')).json())
  const stored = data.filter(({ vendor }: { vendor: string }) => vendor !== 'demo')
  expect(stored).toMatchObject([{ name: 'ollama', vendor: 'ollama', baseUrl: `${second.url}/v1`, keys: [] }])
  await first.close()
  await second.close()
})

test('a saved channel is still there after a look at the demo', async ({ page, fresh, tolerate }) => {
  test.setTimeout(120_000)
  tolerate(/status of (40\d|50\d)/)
  const upstream = await scriptedUpstream()
  upstream.answer(respondJson(401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } }))
  await administrator(page, fresh)
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${upstream.url}/v1`)
  await page.getByLabel('API key').fill('sk-wrong')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await page.getByRole('button', { name: 'Type the models instead' }).click()
  await page.getByRole('textbox', { name: 'Models', exact: true }).fill(model)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toBeVisible()

  await page.getByRole('button', { name: /Use the demo for now/ }).click()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByText(`${model} did not answer:`)).toBeVisible()
  await expect(page.getByLabel('Address')).toHaveValue(`${upstream.url}/v1`)
  await expect(page.getByRole('textbox', { name: 'Models', exact: true })).toHaveValue(model)
  upstream.answer(respondJson(200, completion))
  await page.getByLabel('API key').fill('sk-right')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await expect(page.getByRole('heading', { name: 'Copy your first key' })).toBeVisible()
  const { data } = await page.evaluate(async () => (await fetch('/api/channels')).json())
  expect(data.filter(({ vendor }: { vendor: string }) => vendor !== 'demo')).toHaveLength(1)
  await upstream.close()
})

test('each step is clean in both themes and at 320 pixels', async ({ page, fresh }) => {
  test.setTimeout(120_000)
  const upstream = await vendor()
  await page.goto(fresh.url)
  await page.getByLabel('Setup token').waitFor()
  await expectClean(page, 'administrator')
  await administrator(page, fresh)
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${upstream.url}/v1`)
  await page.getByLabel('API key').fill('sk-vendor')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await expect(page.getByText('2 models found.')).toBeVisible()
  await expectClean(page, 'channel')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.getByRole('heading', { name: 'Copy your first key' }).waitFor()
  await expectClean(page, 'key')
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Ready' }).waitFor()
  await expectClean(page, 'ready')
  await upstream.close()
})
