/** What stands beside the settings of a channel: its last hour, who would be left without it, its test, and its entry for parley.yaml. */

import type { ChannelRow } from '#shared/console/channel'
import { administrator, startProgram } from '#testing/program/program'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, layoutFaults, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

let upstream: ScriptedUpstream
test.beforeAll(async () => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

test('a channel says what it met, who would be left without it, and how it is declared; all its models are tested', async ({
  page,
  program,
  context,
}) => {
  test.setTimeout(90_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const api = await consoleApi(program)
  const channel = (name: string, models: string[], more: object = {}) =>
    api('POST', '/api/channels', {
      ...{ name, vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: ['sk-vendor-secret'], models, ...more },
    }) as Promise<ChannelRow>
  const main = await channel('main', ['beside-a', 'beside-b'], { priority: 5, tags: ['eu'] })
  for (const model of ['beside-a', 'beside-b']) await api('PUT', `/api/prices/${model}`, { input: '1000', output: '1000' })
  const { key } = (await api('POST', '/api/keys', { name: 'beside' })) as { key: string }
  const ask = async (model: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] })
    return (await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body })).status
  }
  expect(await ask('beside-a')).toBe(200)
  upstream.next(respondJson(401, { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_api_key' } }))
  expect(await ask('beside-a')).toBe(502)

  const hour = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Last hour' }) })
  const reach = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Who can use it' }) })
  await openConsole(page, `/admin/channels/${main.id}?tab=connection`)
  await expect(reach).toContainText('No other channel serves its models.')
  await expect(async () => {
    await page.reload()
    await expect(hour).toContainText('Requests1Attempts2, 1 failed', { timeout: 3_000 })
  }).toPass()
  await expect(hour.getByRole('img')).toHaveAccessibleName(/^Last hour: 2 attempts/)
  await expect(hour).toContainText(/Last error.+Charged today\$0\.0/)
  await expectClean(page, 'beside a channel')
  expect(await layoutFaults(page)).toEqual([])

  await channel('spare', ['beside-a'])
  await channel('off', ['beside-b'], { enabled: false })
  await page.reload()
  await expect(reach).toContainText('1 of its 2 models are also served by spare.')
  await expect(reach).toContainText('beside-b.')
  await channel('other', ['beside-b'])
  await page.reload()
  await expect(reach).toContainText('All 2 of its models are also served by spare, other.It can be turned off without an outage.')
  await expect(reach.getByRole('link', { name: 'spare' })).toHaveAttribute('href', /\/admin\/channels\/.+/)

  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByRole('menuitem', { name: 'As YAML' }).click()
  await expect(page.locator('.toast')).toContainText('Copied.')
  const yaml = await page.evaluate(() => navigator.clipboard.readText())
  expect(yaml).not.toContain('sk-vendor')
  const other = await startProgram({ env: { ...administrator, MAIN_KEY: 'sk-vendor-secret' }, config: yaml })
  try {
    const { data } = (await (await consoleApi(other))('GET', '/api/channels')) as { data: ChannelRow[] }
    const { id, createdAt, keys, ...declared } = main
    expect(data.find(({ name }) => name === 'main')).toMatchObject({ ...declared, managed: 'file' })
    expect(data.find(({ name }) => name === 'main')?.keys).toMatchObject([{ hint: keys[0]?.hint, weight: 1, enabled: true }])
  } finally {
    await other.stop()
  }

  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page).toHaveURL(/tab=models/)
  await expect(page.getByText('2 tested')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Test all' })).toBeVisible()
  await expect(page.getByText('2 tested')).toHaveCount(0)
})
