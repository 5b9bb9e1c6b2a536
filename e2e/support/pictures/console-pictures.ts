/** Takes pictures of the pages whose name has one of the words, in both themes at 1440 and 360 pixels: `FOLDER [WORD...]` after `npm run build`. */
import { mkdirSync } from 'node:fs'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { chromiumPath } from '#testing/chromium'
import { startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { busyInstallation } from '../console-seed.ts'
import { signIn } from '../playground.ts'

const [folder = 'test-results/console', ...words] = process.argv.slice(2)
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
mkdirSync(folder, { recursive: true })
const busy = await busyInstallation()

/** Every page: a name, its address, and what to do before the picture. */
const pages: readonly (readonly [name: string, path: string, act?: (page: Page) => Promise<unknown>])[] = [
  ['overview', '/overview'],
  ['overview-week', '/overview?days=7'],
  ['requests', '/requests'],
  ['request-drawer', `/requests?open=${busy.retried}`],
  ['request-page', `/requests/${busy.retried}`],
  ['usage', '/usage'],
  ['usage-day', '/usage?by=key&days=7'],
  ['keys', '/keys'],
  ['keys-create', '/keys?create=ci', (page) => page.getByRole('dialog').waitFor()],
  ['key', `/keys/${busy.key}`],
  ['key-use', `/keys/${busy.key}?tab=use`],
  ['channels', '/admin/channels'],
  ['channel-gallery', '/admin/channels/new'],
  ['channel-add', '/admin/channels/new?vendor=openai'],
  [
    'channel-health',
    `/admin/channels/${busy.channel}`,
    async (page) => {
      await busy.trouble()
      await page.reload()
      await page.getByText('Next retry').waitFor({ state: 'attached' })
    },
  ],
  [
    'channel-models',
    `/admin/channels/${busy.channel}?tab=models`,
    async (page) => {
      await page.getByRole('button', { name: 'Fetch models' }).click()
      await page.getByRole('checkbox', { name: 'Offer gpt-5-nano' }).check()
      await page.getByRole('button', { name: 'Answer' }).click()
      await page.getByRole('menuitemradio', { name: 'not streamed' }).click()
      await page.getByRole('button', { name: 'Test all' }).click()
      await page.getByText('4 tested').waitFor()
    },
  ],
  ['channel-connection', `/admin/channels/${busy.channel}?tab=connection`],
  [
    'channel-costs',
    `/admin/channels/${busy.channel}?tab=costs`,
    async (page) => {
      await page.getByRole('button', { name: /^Fill / }).click()
      await page.getByLabel('Output of gpt-5-mini').fill('3')
    },
  ],
  ['channel-advanced', `/admin/channels/${busy.channel}?tab=advanced`],
  ['channel-simulate', `/admin/channels/${busy.channel}?tab=simulate&model=gpt-5&image=yes&dialect=messages`],
  ['simulate', '/admin/channels/simulate?model=gpt-5'],
  ['users', '/admin/users'],
  ['user', `/admin/users/${busy.user}`],
  ['prices', '/admin/prices'],
  ['price', '/admin/prices?open=gpt-5'],
  ['groups', '/admin/groups'],
  ['teams', '/admin/teams'],
  ['team', '/team'],
  ['selling', '/admin/selling', sell],
  ['batches', '/batches'],
  ['replays', '/replay'],
  [
    'replay-answers',
    '/replay',
    async (page) => {
      await page.goto(await replay(page))
      await page.getByRole('button', { name: 'Read the answers' }).click()
      await page.locator('.replay-answers').scrollIntoViewIfNeeded()
      await page.locator('.page').evaluate((content) => content.scrollTo(0, content.scrollHeight))
    },
  ],
  ['alerts', '/admin/alerts'],
  ['alert-add', '/admin/alerts?create=yes', (page) => page.getByRole('dialog').waitFor()],
  ['audit', '/admin/audit'],
  ['group', '/admin/groups?open=vip', (page) => page.getByRole('dialog').waitFor()],
  ['settings', '/admin/settings'],
  ['models', '/models'],
  ['model', '/models?open=gpt-5', (page) => page.locator('tr.charged').waitFor()],
  ['account', '/account'],
  [
    'account-new-key',
    '/account',
    async (page) => {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'people-app',
    '/account',
    async (page) => {
      await page.getByRole('button', { name: 'Add an app' }).click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'people-proof',
    '/account',
    async (page) => {
      const json = { error: { message: 'Prove it.', type: 'invalid_request_error', code: 'reauthentication_required', param: null } }
      await page.route('**/api/session/factors/apps', (route) => route.fulfill({ status: 403, json }), { times: 1 })
      await page.getByRole('button', { name: 'Add an app' }).click()
      const methods = { password: true, app: true, recoveryCode: true, passkey: true, provider: true }
      await page.route('**/api/session/proof', (route) => route.fulfill({ json: methods }), { times: 1 })
      await page.getByRole('button', { name: 'Next' }).click()
      await page.waitForTimeout(500)
    },
  ],
  [
    'people-enrolment',
    '/account',
    async (page) => {
      await page.route('**/api/session', async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, json: { ...(await answer.json()), mustEnrol: true } })
      })
      await page.reload()
      await page.locator('h1').first().waitFor()
      await page.unroute('**/api/session')
    },
  ],
  ['people-invitations', '/admin/users?tab=invitations'],
  [
    'people-invite',
    '/admin/users?tab=invitations',
    async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click()
      await page.getByRole('dialog').waitFor()
    },
  ],
  [
    'people-join',
    '/admin/users?tab=invitations',
    async (page) => {
      const link = await page.evaluate(async () => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch('/api/invitations', { method: 'POST', headers, body: '{"note":"for a picture"}' })
        return ((await answer.json()) as { link: string }).link
      })
      await page.goto(link)
      await page.reload()
      await page.getByText('invites you').waitFor()
    },
  ],
  ['docs', '/docs'],
  ['docs-endpoint', '/docs?page=conversations'],
  ['docs-changelog', '/docs?page=changelog', (page) => page.locator('li[id]').first().waitFor()],
  ['key-holder', '/key'],
  ['not-found', '/no/such/page'],
  ['palette', '/keys', (page) => page.keyboard.press('Control+k')],
  [
    'palette-found',
    '/overview',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type('gpt')
      await page.getByRole('option').first().waitFor()
    },
  ],
]

/** Asks a request again on three targets, one of which fails; its page, once all have ended. */
async function replay(page: Page): Promise<string> {
  const id = await page.evaluate(async () => {
    const json = { 'content-type': 'application/json' }
    const send = async (path: string, body: unknown, headers = {}) =>
      fetch(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) })
    const { key } = await (await send('/api/keys', { name: 'replayed', logBodies: true })).json()
    const question = { model: 'gpt-5', messages: [{ role: 'user', content: 'Where is my order?' }] }
    const asked = await send('/v1/chat/completions', question, { authorization: `Bearer ${key}` })
    await asked.text()
    const targets = [{}, { model: 'gpt-5-mini', set: { temperature: 0 } }, { model: 'claude-sonnet-4-5' }]
    return (await (await send('/api/replays', { requestIds: [asked.headers.get('x-request-id')], targets })).json()).id as string
  })
  const state = () => page.evaluate(async (job) => (await (await fetch(`/api/replays/${job}`)).json()).state, id)
  while ((await state()) === 'running') await page.waitForTimeout(200)
  return `/replay/${id}`
}

/** Plans, codes and a plan of one's own, made once. */
async function sell(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const send = async (method: string, path: string, body: unknown) =>
      fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }).then((answer) => answer.json())
    const { data } = await (await fetch('/api/plans')).json()
    if (data.length > 0) return
    await send('POST', '/api/plans', {
      name: 'Pro',
      windows: [
        { every: '5h', amount: '2' },
        { every: '1w', amount: '10' },
      ],
    })
    await send('POST', '/api/plans', { name: 'Trial', windows: [{ every: '1mo', amount: '5' }] })
    await send('POST', '/api/codes', { count: 3, value: '5', note: 'Spring' })
    await send('POST', '/api/codes', { count: 2, plan: 'Pro', days: 30, note: 'Partners' })
    const { user } = await (await fetch('/api/session')).json()
    await send('PUT', `/api/users/${user.id}/plan`, { plan: 'Pro', until: new Date(Date.now() + 2e9).toISOString() })
  })
  await page.reload()
  await page.locator('h1').first().waitFor()
}

const picture = (page: Page, name: string) =>
  page.screenshot({ path: `${folder}/${name}.jpg`, type: 'jpeg', quality: 65, animations: 'disabled' })

/** The four steps of the first run, on a Parley before setup. */
async function firstRun(context: BrowserContext, form: string): Promise<void> {
  const fresh = await startProgram({ env: {} })
  const upstream = await scriptedUpstream()
  const models = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-5', 'gpt-5', 'gpt-5-mini']
  const answer = {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: models[0] },
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  }
  const data = models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'vendor' }))
  upstream.answer((exchange) => respondJson(200, exchange.request.target.endsWith('/models') ? { object: 'list', data } : answer)(exchange))
  const page = await context.newPage()
  const step = async (number: number) => {
    await page.waitForTimeout(300)
    await picture(page, `first-run-${number}-${form}`)
  }
  await page.goto(fresh.url)
  await page.getByLabel('Setup token').fill(fresh.printed('Parley setup token'))
  await page.getByLabel('Password').fill('an unusual password 1')
  await step(1)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'OpenAI-compatible' }).click()
  await page.getByLabel('Address').fill(`${upstream.url}/v1`)
  await page.getByLabel('API key').fill('sk-vendor-of-a-picture')
  await page.getByRole('button', { name: 'Fetch models' }).click()
  await page.getByText('5 models found.').waitFor()
  await step(2)
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.getByRole('heading', { name: 'Copy your first key' }).waitFor()
  await step(3)
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Ready' }).waitFor()
  await step(4)
  await page.close()
  await upstream.close()
  await fresh.stop()
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
try {
  for (const [width, height] of [
    [1440, 900],
    [360, 640],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const touch = width < 760
      const context = await browser.newContext({
        baseURL: busy.program.url,
        viewport: { width, height },
        colorScheme,
        locale: process.env.LANGUAGE_TAG ?? 'en-US',
        timezoneId: 'Europe/Lisbon',
        hasTouch: touch,
        isMobile: touch,
      })
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && process.stdout.write(`console: ${message.text()}\n`))
      page.on('pageerror', (error) => process.stdout.write(`uncaught: ${error.message}\n`))
      await signIn(page)
      for (const [name, path, act] of pages.filter(([one]) => isWanted(one))) {
        await page.goto(path)
        await page.locator('h1').first().waitFor()
        await page.waitForLoadState('networkidle')
        await act?.(page)
        await page.waitForTimeout(400)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        if (wide > width) process.stdout.write(`${name} at ${width}: ${wide} pixels wide\n`)
        await picture(page, `${name}-${width}-${colorScheme}`)
      }
      if (isWanted('first-run')) await firstRun(context, `${width}-${colorScheme}`)
      await context.close()
    }
  }
} finally {
  await browser.close()
  await busy.close()
}
