/** The console as a whole: every page clean, the way from a failure to its remedy, sums that equal the ledger, prices, users, account. */
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { admin, expect, test } from './support/browser-test.ts'
import { expectClean, layoutFaults, openConsole, withChineseWidths } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { addUser, removeChannels } from './support/playground.ts'

const model = 'gpt-console'
const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}
let upstream: ScriptedUpstream
let secret = ''

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  upstream.answer(respondJson(200, answer))
  const api = await consoleApi(program)
  await api('POST', '/api/channels', {
    name: 'console-main',
    vendor: 'openai-compatible',
    baseUrl: `${upstream.url}/v1`,
    keys: ['sk-vendor'],
    models: [model, 'gpt-unpriced'],
    costs: { [model]: { input: '1', output: '1' } },
  })
  await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
  secret = ((await api('POST', '/api/keys', { name: 'console-key' })) as { key: string }).key
  for (let count = 0; count < 3; count++) await ask(program.url)
})

test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

async function ask(url: string): Promise<Response> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response
}

const pages = [
  '/requests',
  '/usage',
  '/models',
  '/account',
  '/admin/channels',
  '/admin/channels/new',
  '/admin/channels/new?vendor=openai',
].concat(
  [
    '/admin/channels/simulate?model=gpt-console',
    '/admin/prices',
    '/admin/prices?open=gpt-console',
    '/admin/users',
    '/admin/users?create=yes',
  ],
  [
    '/admin/groups',
    '/admin/groups?open=default',
    '/admin/alerts',
    '/admin/alerts?create=yes',
    '/admin/audit',
    '/admin/settings',
    '/admin/teams',
    '/team',
    '/batches',
  ],
)

test('every page is clean in both themes and at 320 pixels', async ({ page }) => {
  test.setTimeout(240_000)
  await openConsole(page, '/requests')
  for (const path of pages) {
    await page.goto(path)
    await page.locator('.console h1').waitFor()
    await page.waitForLoadState('networkidle')
    await expectClean(page, path)
  }
})

test('an operator goes from a failure to the attempt, the channel, and its reset', async ({ page, program, tolerate }) => {
  tolerate(/status of 404/)
  const refused = respondJson(401, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } })
  upstream.next(refused, refused, refused)
  for (let count = 0; count < 3; count++) await ask(program.url)
  upstream.forgetNext()
  const resting = (await (await consoleApi(program))('GET', '/api/health')) as { data: { cause: string }[] }
  expect(resting.data.map(({ cause }) => cause)).toContain('upstream_auth_failed')
  await openConsole(page, '/requests?failed=true')
  await page.getByRole('link', { name: model }).first().click()
  await expect(page).toHaveURL(/open=req_/)
  const drawer = page.getByRole('complementary', { name: /^Request req_/ })
  await expect(drawer.getByText('upstream_auth_failed').first()).toBeVisible()
  await expect(drawer.getByText('console-main')).toBeVisible()
  await expectClean(page, 'request')
  await expect(drawer.getByRole('link', { name: 'View channel' })).toHaveAttribute('href', /\/admin\/channels\/ch_/)
  await drawer.getByRole('link', { name: 'View channel' }).click()
  await expect(page.getByText(/Next retry/).first()).toBeVisible()
  await page.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByText('Nothing is resting. Every key and model is available.')).toBeVisible()
  await expect(
    page
      .getByRole('row', { name: /gpt-console.*key 1/ })
      .getByRole('cell')
      .last(),
  ).toHaveText('3')
  await expectClean(page, 'channel')
  await page.getByRole('link', { name: /^Models \d/ }).click()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('menuitemradio', { name: 'not streamed' }).click()
  await page.getByRole('button', { name: `More for ${model}` }).click()
  await page.getByRole('menuitem', { name: 'Test' }).click()
  await expect(page.getByRole('row', { name: /gpt-console/ })).toContainText('answered')
  upstream.next(respondJson(200, { object: 'list', data: [{ id: model }, { id: 'gpt-new' }] }))
  await page.getByRole('button', { name: 'Fetch models' }).click()
  // Its place was taken by the button that stops it, and is its own again.
  await expect(page.getByRole('button', { name: 'Fetch models' })).toBeFocused()
  await expect(page.getByRole('row', { name: /gpt-unpriced/ })).toContainText('gone')
  await page.getByRole('checkbox', { name: 'Offer gpt-new' }).check()
  await page.getByRole('button', { name: 'Add by hand' }).click()
  await page.getByRole('textbox', { name: 'Models' }).fill(`pasted\nquick=${model}`)
  await page.getByRole('button', { name: 'Add 2' }).click()
  await page.getByRole('button', { name: 'More for pasted' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'More for quick' }).click()
  await page.getByRole('menuitem', { name: 'Change names' }).click()
  await page.getByLabel('Name here').fill('fast')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('offer gpt-new, fast')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // What it covered is readable again a moment after it has gone.
  await expect(page.locator('#root')).not.toHaveAttribute('aria-hidden', 'true')
  await expectClean(page, 'models of a channel')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Models saved.').first()).toBeVisible()
  const tab = (name: string) => page.getByRole('navigation', { name: 'Channel' }).getByRole('link', { name }).click()
  await tab('Costs')
  await page.getByLabel(`Output of ${model}`).fill('1.5')
  await expect(page.getByRole('row', { name: new RegExp(`^${model}`) })).toContainText('0% / 25%')
  await expectClean(page, 'costs of a channel')
  // Text typed in one tab is kept while another is open.
  await tab('Advanced')
  await page.getByRole('button', { name: 'Add field' }).click()
  await page.getByLabel('Name of a field').fill('top_k')
  await page.getByLabel('Value of top_k').fill('40')
  await page.getByLabel('Connect').fill('2.5')
  await page.getByRole('switch', { name: 'State created outside Parley' }).click()
  await expectClean(page, 'advanced settings of a channel')
  await tab('Connection')
  await expect(page.getByText('4 changes not saved')).toBeVisible()
  await expectClean(page, 'the connection of a channel')
  await page.getByRole('button', { name: 'Edit the key key 1' }).click()
  await page.getByRole('dialog').getByLabel('Weight').fill('4')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('weight 4')).toBeVisible()
  // Text typed elsewhere is kept.
  await expect(page.getByText('4 changes not saved')).toBeVisible()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.').first()).toBeVisible()
  await tab('Simulate')
  // The channel's first model is asked for until another one is chosen.
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue(model)
  await page.getByRole('combobox', { name: 'Model' }).fill('FAST')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/model=fast/)
  await page.getByRole('combobox', { name: 'Model' }).fill('CONSOLE')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`model=${model}`))
  await page.getByLabel('Protocol').selectOption('messages')
  await expect(page.getByRole('listitem').filter({ hasText: 'this channel' })).toContainText('converted to chat')
  await expectClean(page, 'a route simulated')
  const { data } = (await (await consoleApi(program))('GET', '/api/channels')) as { data: { name: string }[] }
  expect(data.find(({ name }) => name === 'console-main')).toMatchObject({
    models: [model, 'gpt-unpriced', 'gpt-new', { name: 'fast', upstream: model }],
    costs: { [model]: { input: '1', output: '1.5' } },
    params: { set: { top_k: 40 } },
    timeouts: { connect: 2.5 },
    foreignState: 'allow',
  })
})

test('what was charged is the same on the page, in the API and in the balance', async ({ page, program }) => {
  const api = await consoleApi(program)
  const total = async () => ((await api('GET', '/api/usage')) as { data: { charged: string; requests: number }[] }).data[0]
  await expect.poll(async () => Number((await total())?.charged)).toBeGreaterThan(0)
  await openConsole(page, '/usage?days=7')
  const sum = await total()
  await expect(page.locator(`[title="$${sum?.charged}"]`).first()).toBeVisible()
  const { user } = (await api('GET', '/api/session')) as { user: { balance: string } }
  expect((100 - Number(sum?.charged)).toFixed(9)).toBe(Number(user.balance).toFixed(9))
  await page.getByRole('button', { name: 'Key', exact: true }).click()
  await expect(page).toHaveURL(/by=key/)
  await expect(page.getByRole('row', { name: /console-key/ })).toBeVisible()
})

test('a model gets its price, a user a credit, and both stand in the audit', async ({ page, program }) => {
  await addUser(program, 'credited', 'password of credited', '1')
  await openConsole(page, '/admin/prices')
  await page.getByRole('link', { name: 'gpt-unpriced' }).click()
  await page.getByLabel('Input', { exact: true }).fill('0.5')
  await page.getByLabel('Output', { exact: true }).fill('1.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Price of gpt-unpriced saved.').first()).toBeVisible()
  await (await consoleApi(program))('POST', '/api/groups', { name: 'closing' })
  await page.goto('/admin/groups')
  const serves = page.getByRole('switch', { name: 'closing serves requests' })
  await serves.click()
  await expect(page.getByText('closing is off').first()).toBeVisible()
  await page.goto('/admin/groups?status=off')
  await expect(serves).not.toBeChecked()
  await page.goto('/admin/users')
  await page.getByRole('button', { name: 'More for credited' }).click()
  await page.getByRole('menuitem', { name: 'Credit or correct' }).click()
  await page.getByLabel('Amount').fill('4.25')
  await page.getByLabel('Reason').fill('a top-up')
  await expect(page.getByRole('dialog')).toContainText('$5.25')
  await page.getByRole('button', { name: 'Post the entry' }).click()
  await expect(page.getByRole('row', { name: /credited/ })).toContainText('$5.25')
  await page.goto('/admin/audit?action=user.credit')
  await page.getByRole('link', { name: 'Balance credited or corrected' }).first().click()
  await expect(page.getByRole('complementary', { name: 'Balance credited or corrected' })).toContainText('credited')
})

test('somebody changes the own password and ends the other sessions; a holder has no pages of administrators', async ({
  page,
  program,
  tolerate,
}) => {
  tolerate(/status of 40[013]/)
  await addUser(program, 'changing', 'an unusual password 1')
  await openConsole(page, '/account', { name: 'changing', password: 'an unusual password 1' })
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByLabel('Current password').fill('wrong')
  await page.getByLabel('New password').fill('another unusual password')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('This is not your current password.')).toBeVisible()
  await page.getByLabel('Current password').fill('an unusual password 1')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Password changed.').first()).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).not.toContainText('Channels')
  await page.goto('/admin/channels')
  await expect(page.getByRole('heading', { name: 'Only administrators can see this page', level: 1 })).toBeVisible()
})

test('the console is complete in Chinese, and no word is cut at any width', async ({ page }) => {
  test.setTimeout(120_000)
  await withChineseWidths(page)
  await page.addInitScript(() => localStorage.setItem('parley.language', 'zh'))
  await page.goto('/admin/channels')
  await page.getByLabel('用户名').fill(admin.name)
  await page.getByLabel('密码').fill(admin.password)
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByRole('heading', { name: '渠道', level: 1 })).toBeVisible()
  const faults: string[] = []
  for (const path of [
    ...pages,
    '/overview',
    '/keys',
    '/keys?create=ci',
    '/replay',
    '/admin/selling?tab=codes',
    '/admin/users?tab=invitations',
  ]) {
    // From page to page as by a link, without loading everything again.
    await page.evaluate((to) => {
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
    await expect(page.locator('.console h1')).toHaveText(/[一-鿿]/)
    await expect(page.locator('.skeleton')).toHaveCount(0)
    faults.push(...(await layoutFaults(page)).map((fault) => `${path} at ${fault}`))
  }
  expect(faults).toEqual([])
  await page.goto('/admin/settings')
  await expect(page.locator('#settings-environment')).toContainText('监听的端口；0 表示任取一个空闲端口')
  // A variable without a Chinese description is shown in English, and marked so.
  await expect(page.locator('#settings-environment [lang=en]')).toHaveCount(0)
})
