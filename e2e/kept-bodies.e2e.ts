/** The page of a request that is kept: a key is told to keep, a stream is asked, and its four borders are read. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/playground.ts'

test('a key keeps, and its request is seen at every border, formatted and as it was', async ({ page, program }) => {
  test.setTimeout(120_000)
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'kept' })) as { id: string; key: string }
  await openConsole(page, `/keys/${made.id}`)
  await page.getByLabel('Keep requests and answers').selectOption('all')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => ((await api('GET', `/api/keys/${made.id}`)) as { logBodies: unknown }).logBodies).toBe(true)

  const answer = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', stream: true, messages: [{ role: 'user', content: 'Say <b>hello</b>' }] }),
  })
  expect(answer.headers.get('x-parley-stored')).toBe('30d')
  const said = await answer.text()

  await page.goto(`${program.url}/requests/${answer.headers.get('x-request-id')}`)
  await expect(page.getByRole('heading', { name: 'What was sent' })).toBeVisible()
  await page.getByRole('button', { name: 'Show the bodies' }).click()
  const where = page.getByLabel('Where')
  await expect(where.locator('option')).toHaveText([
    'From the client',
    'To the upstream demo, call 1',
    'From the upstream demo, call 1',
    'To the client',
  ])
  await expect(page.locator('.kept-text').first()).toContainText('"content": "Say <b>hello</b>"')
  await expectClean(page, 'request body')
  await where.selectOption({ label: 'To the client' })
  await expect(page.getByRole('list', { name: 'Events and when they came' }).getByRole('listitem').last()).toContainText('[DONE]')
  await expectClean(page, 'events')
  await page.getByRole('switch', { name: 'As it was sent' }).click()
  await expect(page.locator('.kept-text').first()).toContainText('data: [DONE]')
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download this body' }).click()
  const stream = await (await saved).createReadStream()
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece as Uint8Array)
  expect(Buffer.concat(pieces).toString()).toBe(said)
})
