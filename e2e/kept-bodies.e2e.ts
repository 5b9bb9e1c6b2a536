/** Kept requests: keeping is switched on for a key and in the settings, a stream is requested, its four points are read and deleted. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

// Other files of the same worker find the settings as they were.
test.afterEach(async ({ program }) => {
  const call = await consoleApi(program)
  await call('PATCH', '/api/settings', { bodies: { days: 30, redactFields: [] } })
})

test('a key keeps, and its request is seen at every border, formatted and as it was', async ({ page, program }) => {
  test.setTimeout(120_000)
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'kept' })) as { id: string; key: string }
  await openConsole(page, `/keys/${made.id}`)
  await page.getByLabel('Keep requests and answers').selectOption('all')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => ((await api('GET', `/api/keys/${made.id}`)) as { logBodies: unknown }).logBodies).toBe(true)

  await page.goto('/admin/settings?q=kept')
  await page.getByLabel('Deleted after').fill('7')
  await page.getByLabel('Redacted fields').fill('metadata.user_id')
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(page.getByRole('dialog').locator('dl')).toHaveText(/Deleted after\s*30 7\s*Redacted fields\s*none metadata\.user_id/)
  await expectClean(page, 'review of settings')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('.toast', { hasText: 'Saved.' })).toBeVisible()
  await page.goto('/admin/settings')
  await page.getByLabel('Only non-default settings').check()
  await expect(page.locator('.setting-rows .field:visible')).toHaveCount(2)
  await expectClean(page, 'only what differs')
  const exported = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export without secrets' }).click()
  expect(await savedText(exported)).toMatch(
    /\nkeys:\n(.*\n)*? {2}- name: kept\n {4}user: \S+\n {4}key: \$\{\w*KEPT_KEY\}\n {4}logBodies: true\n/,
  )

  const ask = () =>
    fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'parley-demo', stream: true, messages: [{ role: 'user', content: 'Say <b>hello</b>' }] }),
    })
  const answer = await ask()
  expect(answer.headers.get('x-parley-stored')).toBe('7d')
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
    'Changes on the way to demo, call 1',
  ])
  await expect(page.locator('.kept-text').first()).toContainText('"content": "Say <b>hello</b>"')
  await expectClean(page, 'request body')
  await where.selectOption({ label: 'Changes on the way to demo, call 1' })
  await expect(page.getByText(/lines? added for the upstream, \d+ not sent on$/)).toBeVisible()
  await expectClean(page, 'changes of a request')
  await where.selectOption({ label: 'To the client' })
  await expect(page.getByRole('list', { name: 'Events and their arrival times' }).getByRole('listitem').last()).toContainText('[DONE]')
  await expectClean(page, 'events')
  await page.getByRole('switch', { name: 'As it was sent' }).click()
  await expect(page.locator('.kept-text').first()).toContainText('data: [DONE]')
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download this body' }).click()
  expect(await savedText(saved)).toBe(said)

  await page.getByRole('button', { name: 'Delete kept data' }).click()
  await expect(page.getByRole('dialog')).toContainText('The record with its figures and its charge stays.')
  await expectClean(page, 'deletion of a request')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete kept data' }).click()
  await expect(page.getByText('Its kept content was deleted.')).toBeVisible()
  await (await ask()).text()
  await page.goto(`/keys/${made.id}`)
  await page.getByRole('button', { name: 'Delete kept data' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete kept data' }).click()
  await expect(page.locator('.toast', { hasText: '1 kept request deleted.' })).toBeVisible()
  const user = ((await api('GET', `/api/keys/${made.id}`)) as { user: { id: string } }).user.id
  await page.goto(`/admin/users/${user}?tab=settings`)
  await page.getByRole('button', { name: 'Delete kept data' }).click()
  await expect(page.getByRole('dialog')).toContainText('for the keys of this user and for their playground')
  await expectClean(page, 'deletion of a user’s')
})

test('a realtime session is seen frame by frame, in both directions', async ({ page, program }) => {
  const api = await consoleApi(program)
  const made = (await api('POST', '/api/keys', { name: 'spoken', logBodies: true })) as { key: string }
  const address = `${program.url.replace(/^http/, 'ws')}/v1/realtime?model=parley-demo-realtime`
  const socket = new WebSocket(address, ['realtime', `openai-insecure-api-key.${made.key}`])
  const said = (type: string) =>
    new Promise<void>((resolve) => socket.addEventListener('message', ({ data }) => String(data).includes(`"${type}"`) && resolve()))
  await said('session.created')
  const done = said('response.done')
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hello' }] }
  socket.send(JSON.stringify({ type: 'conversation.item.create', item }))
  socket.send(JSON.stringify({ type: 'response.create' }))
  await done
  socket.close()
  const newest = async () => {
    const { data } = (await api('GET', '/api/logs')) as { data: { requestId: string; operation: string }[] }
    return data.find(({ operation }) => operation === 'realtime')?.requestId
  }
  await expect.poll(newest).toBeDefined()

  await openConsole(page, `/requests/${await newest()}`)
  await page.getByRole('button', { name: 'Show the bodies' }).click()
  const frames = page.getByRole('list', { name: 'Events and their arrival times' }).getByRole('listitem')
  await expect(frames.first()).toContainText('To the client')
  await expect(frames.first()).toContainText('"type": "session.created"')
  await expect(frames.filter({ hasText: 'From the client' })).toHaveCount(2)
  await expect(frames.last()).toContainText('"response.done"')
  await expectClean(page, 'a kept session')
  await page.getByRole('switch', { name: 'As it was sent' }).click()
  await expect(frames.filter({ hasText: '{"type":"response.create"}' })).toHaveCount(1)
  await page.getByLabel('Where').selectOption({ label: 'From the client' })
  await expect(page.locator('.kept-text').first()).toContainText('{"type":"response.create"}')
})
