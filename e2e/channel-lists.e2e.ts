/** The list of channels as an operator uses it: filtered by model, edited in place and in bulk, tested side by side with the answers. */
import type { ChannelRow } from '#shared/console/channel'
import { respond, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, layoutFaults, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

const piece = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`
const { usage } = chatAnswer()
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage }
const events = `${piece({ role: 'assistant', content: 'Yes' })}${piece({}, finish)}data: [DONE]\n\n`
let upstream: ScriptedUpstream
const secret = 'sk-vendor-secret-of-lists'
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  upstream.answer((exchange) => {
    const asked = exchange.request.text()
    // The upstream repeats the key that it refuses.
    if (asked.includes('"refused"')) {
      const error = { message: `Incorrect key ${secret}.`, type: 'invalid_request_error', code: 'invalid_api_key' }
      return respondJson(401, { error })(exchange)
    }
    if (!asked.includes('"stream":true')) return respondJson(200, chatAnswer())(exchange)
    return respond(200, { 'content-type': 'text/event-stream' }, events)(exchange)
  })
  const api = await consoleApi(program)
  await api('POST', '/api/groups', { name: 'lab' })
  const channel = (name: string, models: string[], more: object = {}) =>
    api('POST', '/api/channels', {
      ...{ name, vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: [secret], models, ...more },
    })
  await channel('north', ['shared', 'only-north'], { weight: 3, tags: ['eu'], costs: { shared: { input: '1', output: '2' } } })
  await channel('south', ['shared'])
  await channel('later', ['shared'], { priority: -5 })
  await channel('broken', ['refused'])
  for (const model of ['shared', 'only-north', 'refused']) await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

const rows = async (program: Parameters<typeof consoleApi>[0]) => {
  const { data } = (await (await consoleApi(program))('GET', '/api/channels')) as { data: ChannelRow[] }
  return new Map(data.map((row) => [row.name, row]))
}

test('channels are found by a model, and their priority is changed where it stands, with undo', async ({ page, program }) => {
  await openConsole(page, '/admin/channels')
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('combobox', { name: 'Model' }).fill('only')
  await page.getByRole('option', { name: 'only-north' }).click()
  await expect(page).toHaveURL(/model=only-north/)
  await expect(page.getByRole('row', { name: /north/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /south/ })).toHaveCount(0)
  await page.getByRole('button', { name: /^Model only-north/ }).click()
  await expect(page.getByRole('row', { name: /south/ })).toBeVisible()

  const field = page.getByRole('textbox', { name: 'Priority of south' })
  await field.fill('7')
  await field.press('Enter')
  await expect(page.locator('.toast')).toContainText('south has priority 7.')
  expect((await rows(program)).get('south')?.priority).toBe(7)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await rows(program)).get('south')?.priority).toBe(0)
  await field.fill('1.5')
  await field.press('Enter')
  await expect(field).toHaveValue('0')
  await field.fill('9')
  await field.press('Escape')
  await expect(field).toHaveValue('0')
  expect((await rows(program)).get('south')?.priority).toBe(0)
})

test('several are edited, turned off and on together, and each says what it would become', async ({ page, program }) => {
  await openConsole(page, '/admin/channels')
  for (const name of ['north', 'south']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit 2 channels' })
  await expect(dialog.getByRole('status')).toHaveText('Nothing would change.')
  await dialog.getByLabel('Add tags').fill('eu, fast')
  await dialog.getByLabel('Weight').fill('-1')
  await expect(dialog.getByText('A whole number.')).toBeVisible()
  await dialog.getByLabel('Weight').fill('')
  await dialog.getByRole('group', { name: 'Add to groups' }).getByLabel('lab').check()
  await expect(dialog.getByRole('status')).toHaveText('Changes north, south.')
  await expectClean(page, 'edit of channels')
  await dialog.getByRole('button', { name: 'Change 2 channels' }).click()
  await expect(page.locator('.toast')).toContainText('2 channels changed.')
  const after = await rows(program)
  expect(['north', 'south', 'later'].map((name) => [after.get(name)?.tags, after.get(name)?.groups, after.get(name)?.weight])).toEqual([
    [['eu', 'fast'], ['default', 'lab'], 3],
    [['eu', 'fast'], ['default', 'lab'], 1],
    [[], ['default'], 1],
  ])
  for (const name of ['later', 'broken']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  const confirm = page.getByRole('dialog', { name: 'Turn off 2 channels?' })
  await expect(confirm).toContainText(/(later, broken|broken, later) get no requests/)
  await confirm.getByRole('button', { name: 'Turn off 2 channels' }).click()
  await expect.poll(async () => [...(await rows(program)).values()].filter(({ enabled }) => !enabled).length).toBe(2)
  for (const name of ['later', 'broken']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect.poll(async () => [...(await rows(program)).values()].filter(({ enabled }) => !enabled).length).toBe(0)
})

test('all are tested side by side; a test of a model shows what came back, without the key', async ({ page, program }) => {
  await openConsole(page, '/admin/channels')
  await page.getByRole('button', { name: 'Test all' }).click()
  const dialog = page.getByRole('dialog', { name: 'Test 4 channels' })
  await expect(dialog.getByText('4 tested, 1 failed')).toBeVisible()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'broken' })).toContainText('401')
  await expectClean(page, 'tests of channels')
  await dialog.getByRole('button', { name: 'Close' }).first().click()

  const { id = '' } = (await rows(program)).get('north') ?? {}
  await page.goto(`/admin/channels/${id}?tab=models`)
  await page.getByRole('button', { name: 'Test all' }).click()
  await expect(page.getByText('2 tested, 0 failed')).toBeVisible()
  await page
    .getByRole('row', { name: /shared/ })
    .getByRole('button', { name: /answered|first token/ })
    .click()
  const detail = page.getByRole('dialog', { name: 'Test of “shared”' })
  await expect(detail).toContainText(/Tokens in \/ out2 \/ 1/)
  await expect(detail).toContainText('Upstream cost$0.000004')
  await expect(detail).toContainText('AnswerYes')
  await expect(detail.getByRole('region', { name: 'Raw response' })).toContainText('data: ')
  await expectClean(page, 'what came back')
  await page.keyboard.press('Escape')

  const { id: broken = '' } = (await rows(program)).get('broken') ?? {}
  await page.goto(`/admin/channels/${broken}?tab=models`)
  await page.getByRole('button', { name: 'Test all' }).click()
  await page
    .getByRole('row', { name: /refused/ })
    .getByRole('button', { name: /401/ })
    .click()
  await expect(page.getByRole('region', { name: 'Raw response' })).toContainText('Incorrect key [removed].')
  expect(await page.content()).not.toContain(secret)
})

test('a channel whose attempts fail has their share in the list, also under another name', async ({ page, program }) => {
  const api = await consoleApi(program)
  const ask = async (model: string) => {
    const headers = { authorization: `Bearer ${program.printed('PARLEY_KEY')}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] })
    return (await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body })).status
  }
  expect([await ask('refused'), await ask('only-north')]).toEqual([502, 200])
  const channels = await rows(program)
  const [broken, north] = [channels.get('broken')?.id ?? '', channels.get('north')?.id ?? '']
  // No channel answered the one that failed; it is found by the channel that was asked.
  await openConsole(page, `/admin/channels/${broken}`)
  await page.getByRole('link', { name: 'Requests that failed' }).click()
  await expect(page.getByRole('row', { name: /refused.*502/ })).toBeVisible()

  for (const id of [broken, north]) await api('PATCH', `/api/channels/${id}`, { name: `renamed-${id.slice(-4)}` })
  await page.goto('/admin/channels')
  const row = (id: string) => page.getByRole('row', { name: `renamed-${id.slice(-4)}` }).filter({ has: page.getByRole('img') })
  await expect(row(north)).toContainText('100%')
  await expect(row(north).getByRole('img', { name: 'Last hour: 1 attempts, 0 failed' })).toBeVisible()
  await expectClean(page, 'a list with a channel that fails')
  await row(broken).getByRole('link', { name: '0.0%' }).click()
  await expect(page.getByRole('row', { name: /refused/ }).first()).toContainText('0.0%')
  // What rests is tried last: it stands in the order of a route, and only there. A channel's own model is asked for.
  for (let more = 0; more < 5; more++) await ask('refused')
  await page.goto(`/admin/channels/${broken}?tab=simulate`)
  const own = page.getByRole('listitem').filter({ hasText: 'this channel' })
  await expect(own).toContainText('resting, tried last')
  await expect(own).toContainText('It failed and comes last')
  await api('POST', `/api/channels/${broken}/reset`)
  for (const [id, name] of [
    [broken, 'broken'],
    [north, 'north'],
  ])
    await api('PATCH', `/api/channels/${id}`, { name })
})

test('a route tells how often each is asked, and what waits for others to fail', async ({ page }) => {
  await openConsole(page, '/admin/channels/simulate?model=shared')
  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await expect(line('north')).toContainText('75% of draws')
  await expect(line('south')).toContainText('25% of draws')
  await expect(line('later')).toContainText('priority -5')
  await expect(line('later')).toContainText('only after those above')
  await expectClean(page, 'shares of a route')
  await page.goto('/admin/channels')
  await expect(page.getByRole('row', { name: /north/ })).toBeVisible()
  expect(await layoutFaults(page)).toEqual([])
})

test('channels are copied without secrets, and imported with keys that are entered', async ({ page, program, context, tolerate }) => {
  tolerate(/status of 4\d\d/)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openConsole(page, '/admin/channels')
  for (const name of ['north', 'later']) await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await page.getByRole('button', { name: 'Copy as JSON' }).click()
  await expect(page.locator('.toast')).toContainText('Copied, without secrets.')
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(text).not.toContain(secret.slice(0, 9))
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import channels' })
  await dialog.getByLabel('Channels as JSON').fill('channels:')
  await expect(dialog.getByText('This is not a JSON list of channels')).toBeVisible()
  await dialog.getByLabel('Channels as JSON').fill(text.replace('"north"', '"north two"'))
  await dialog.getByLabel('Keys of north two').fill('sk-entered-again-0009')
  await dialog.getByLabel('Keys of later').fill('sk-entered-again-0010')
  await expectClean(page, 'import of channels')
  await dialog.getByRole('button', { name: 'Add 2 channels' }).click()
  // The name of the other one is taken.
  await expect(dialog.getByLabel('Keys of later')).toHaveAttribute('aria-invalid', 'true')
  await expect(dialog.getByLabel('Keys of north two')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('row', { name: /north two/ })).toBeVisible()
  const made = await rows(program)
  const { id: _, name: __, createdAt: ___, keys, ...rest } = made.get('north two') ?? ({} as ChannelRow)
  const { id: ____, name: _____, createdAt: ______, keys: _______, ...from } = made.get('north') ?? ({} as ChannelRow)
  expect(rest).toEqual(from)
  expect(keys.map(({ hint }) => hint)).toEqual(['sk-...0009'])
})

test('a key is added beside the others, and one of them removed; another address asks for all of them', async ({
  page,
  program,
  tolerate,
}) => {
  tolerate(/status of 400/)
  const { id = '' } = (await rows(program)).get('south') ?? {}
  const keys = async () => (await rows(program)).get('south')?.keys.map(({ name, hint }) => `${name} ${hint}`)
  await openConsole(page, `/admin/channels/${id}?tab=connection`)
  await page.getByLabel('New keys').fill('sk-another-of-south-0002')
  await expectClean(page, 'a key that is added')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Edit the key key 2' })).toBeVisible()
  expect(await keys()).toEqual(['key 1 sk-...ists', 'key 2 sk-...0002'])
  await page.getByRole('button', { name: 'Edit the key key 1' }).click()
  await page.getByRole('button', { name: 'Remove key' }).click()
  await page.getByRole('dialog', { name: 'Remove the key “key 1”?' }).getByRole('button', { name: 'Remove key' }).click()
  await expect(page.getByRole('button', { name: 'Edit the key key 1' })).toHaveCount(0)
  expect(await keys()).toEqual(['key 2 sk-...0002'])
  await page.getByLabel('Address', { exact: true }).fill('https://elsewhere.example/v1')
  await page.getByLabel('New keys').fill('sk-for-elsewhere-0003')
  await expect(page.getByRole('switch', { name: 'Replace the 1 above' })).toBeChecked()
  await page.getByRole('switch', { name: 'Replace the 1 above' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('New keys')).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('switch', { name: 'Replace the 1 above' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(keys).toEqual(['key 1 sk-...0003'])
})
