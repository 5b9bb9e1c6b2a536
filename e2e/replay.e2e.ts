/** Replay in the console: requests are chosen, the cost is shown in advance, a job is followed, and both answers are shown side by side. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { messageBox } from './support/playground.ts'

test('requests of the list are asked again, and one of them is compared', async ({ page, program }) => {
  test.setTimeout(120_000)
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'replayed', logBodies: true })) as { id: string; key: string }
  const ask = async (content: string) => {
    const answer = await fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content }] }),
    })
    await answer.text()
    return answer.headers.get('x-request-id') ?? ''
  }
  const [first, second] = [await ask('Say one thing'), await ask('Say another thing')]
  await openConsole(page, '/replay')
  await page.goto('/requests?key=replayed')
  await page.getByRole('button', { name: 'Export' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Format').selectOption('fine-tuning')
  await expectClean(page, 'an export')
  const exported = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Read and save' }).click()
  const examples = (await savedText(exported)).trim().split('\n')
  expect(examples.map((line) => JSON.parse(line).messages[0].content)).toEqual(['Say another thing', 'Say one thing'])
  await expect(dialog.getByText('2 examples')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  for (const id of [first, second]) await page.getByLabel(new RegExp(id)).check()
  await expectClean(page, 'requests chosen')
  await page.getByRole('toolbar').getByRole('link', { name: 'Replay' }).click()
  await expect(page.getByRole('heading', { name: 'Replay 2 requests' })).toBeVisible()
  await expect(page.getByText(/^About \$[\d.]+, \$[\d.]+ at most, charged to you\.$/)).toBeVisible()
  await page.getByRole('button', { name: 'Parameters as sent' }).click()
  await page.getByLabel('Changed fields').fill('{"temperature"')
  await expect(page.getByText('This is not a JSON object.')).toBeVisible()
  await page.getByLabel('Changed fields').fill('{"temperature": 0}')
  await expectClean(page, 'parameters of a replay')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByRole('button', { name: 'Parameters 1 field changed' })).toBeVisible()
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('combobox', { name: 'Model' }).fill('parley-demo')
  await page.keyboard.press('Enter')
  await expectClean(page, 'a new replay')
  await page.getByRole('button', { name: 'parley-demo, ×' }).click()
  await page.locator('form').getByRole('button', { name: 'Replay' }).click()
  await expect(page.getByText('2 of 2', { exact: true })).toBeVisible()
  await expectClean(page, 'a replay')
  await page
    .getByRole('link', { name: first.slice(-10) })
    .first()
    .click()
  await page.getByRole('button', { name: 'Read the answers' }).click()
  await expect(page.getByRole('region', { name: 'parley-demo, original', exact: true })).toBeVisible()
  await expectClean(page, 'both answers')
  await page
    .getByRole('link', { name: 'All replays' })
    .or(page.locator('.crumb', { hasText: 'Replay' }))
    .first()
    .click()
  await expect(page.getByRole('link', { name: 'as asked, 1 field changed' })).toBeVisible()
  await expectClean(page, 'replays')

  await page.goto(`/requests/${first}`)
  // The navigation has a link of this name, too.
  await page.getByRole('main').getByRole('link', { name: 'Replay', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Replay 1 request' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.locator('#content')).toBeFocused()
})

test('a request on several targets stands in one table, is copied as Markdown, and runs again', async ({ page, program, context }) => {
  test.setTimeout(120_000)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'columns', logBodies: true })) as { key: string }
  const id = await kept(program.url, made.key, { messages: [{ role: 'user', content: 'Say one thing' }] })
  const targets = [{}, { set: { temperature: 0 } }, { sameChannel: true }]
  const job = (await api('POST', '/api/replays', { requestIds: [id], targets })) as { id: string }
  await openConsole(page, `/replay/${job.id}`)
  await expect(page.getByText('3 of 3', { exact: true })).toBeVisible()
  const figures = page.getByRole('region', { name: 'Figures side by side' })
  await expect(figures.getByRole('columnheader')).toHaveText([
    'Figure',
    'parley-demo, original',
    'as asked',
    'as asked, 1 field changed',
    'as asked, on the same channel',
  ])
  await page.getByRole('button', { name: 'Read the answers' }).click()
  for (const name of ['parley-demo, original', 'as asked', 'as asked, 1 field changed', 'as asked, on the same channel'])
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible()
  await expectClean(page, 'several replays')
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('## as asked, 1 field changed')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('| Figure | parley-demo, original | as asked | as asked, 1 field changed | as asked, on the same channel |')
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(page.getByRole('region', { name: 'as asked', exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'parley-demo, original', exact: true })).toBeHidden()
  await page.getByRole('group', { name: 'Answers' }).getByRole('button', { name: 'parley-demo, original' }).click()
  await expect(page.getByRole('region', { name: 'parley-demo, original', exact: true })).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'as asked, on the same channel, ×' }).click()
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByRole('dialog').getByText(/charged to you\.$/)).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/replay/rep_') && !url.pathname.endsWith(job.id))
  await expect(page.getByText('2 of 2', { exact: true })).toBeVisible()
  // Deleting says first what goes with it.
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('the answers that it kept are deleted too')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the replay' }).click()
  await page.waitForURL((url) => url.pathname === '/replay')
})

test('a kept request opens in the playground, which says what it cannot hold', async ({ page, program }) => {
  test.setTimeout(120_000)
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'opened', logBodies: true })) as { key: string }
  const messages = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'First question' },
    { role: 'assistant', content: 'First answer' },
    { role: 'user', content: 'Second question' },
  ]
  const plain = await kept(program.url, made.key, { messages, temperature: 0.25 })
  const odd = await kept(
    program.url,
    made.key,
    { max_tokens: 64, metadata: { user_id: 'x' }, top_k: 3, messages: messages.slice(1) },
    '/v1/messages',
  )
  await openConsole(page, `/requests/${plain}`)
  await page.getByRole('button', { name: 'Open in the playground' }).click()
  await page.waitForURL(/\/c\/\w+$/)
  await expect(messageBox(page)).toHaveValue('Second question')
  await expect(page.getByText('First answer')).toBeVisible()
  await page.goto(`/requests/${odd}`)
  await page.getByRole('button', { name: 'Open in the playground' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('The playground does not support these fields')).toBeVisible()
  await expect(dialog.getByText('sampling.topK')).toBeVisible()
  await expectClean(page, 'what the playground cannot hold')
  await dialog.getByRole('button', { name: 'Open it' }).click()
  await page.waitForURL(/\/c\/\w+$/)
  await expect(messageBox(page)).toHaveValue('Second question')
  const { data } = (await api('GET', `/api/audit?target=${plain}`)) as { data: { action: string }[] }
  expect(data.map(({ action }) => action)).toEqual(['body.read'])
})

/** The id of a request that was asked and kept. */
async function kept(url: string, key: string, fields: object, path = '/v1/chat/completions'): Promise<string> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'parley-demo', ...fields }),
  })
  await answer.text()
  return answer.headers.get('x-request-id') ?? ''
}
