/** The page of batches: nothing yet, one that runs and is stopped, live, in both languages, themes and on phones. */
import { gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi, removeChannels } from './support/playground.ts'

const model = 'gpt-batches'
let upstream: ScriptedUpstream

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream(respondJson(200, chatAnswer()))
  const api = await consoleApi(program)
  await api('POST', '/api/channels', {
    ...{ name: 'batches', vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: ['sk-vendor'], models: [model] },
  })
  await api('PUT', `/api/prices/${model}`, { input: '1', output: '2' })
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

test('a batch is watched and stopped', async ({ page, program }) => {
  test.setTimeout(90_000)
  const api = await consoleApi(program)
  const { key } = (await api('POST', '/api/keys', { name: 'nightly', limits: { concurrency: 2 } })) as { key: string }
  await openConsole(page, '/batches')
  await expect(page.getByText('No batches')).toBeVisible()
  await expectClean(page, 'batches, none')

  const held = gate(respondJson(200, chatAnswer()))
  upstream.next(held.script)
  const params = { model, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }
  const requests = ['a', 'b', 'c'].map((custom_id) => ({ custom_id, params }))
  const made = await fetch(`${program.url}/v1/messages/batches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  })
  expect(made.status).toBe(200)
  const { id } = (await made.json()) as { id: string }
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: id })
  await expect(row).toContainText('Running')
  await expect(row).toContainText('0 of 3')
  await expect(row).toContainText('nightly')
  await expectClean(page, 'a batch that runs')
  await page.getByRole('button', { name: `Stop ${id}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('other 3 requests')
  await expectClean(page, 'a batch about to be stopped')
  await dialog.getByRole('button', { name: 'Stop' }).click()
  held.open()
  // Told by the event stream, without a click.
  await expect(row).toContainText('Ended', { timeout: 30_000 })
  await expect(row).toContainText('3 of 3')
  await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '3')
  await expect(page.getByRole('button', { name: `Stop ${id}` })).toHaveCount(0)
  await expectClean(page, 'a batch that has ended')
})
