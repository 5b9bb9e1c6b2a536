/** The page of batches: nothing yet, one that runs and is stopped, live, in both languages, themes and on phones. */
import { gate, respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

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
  await expect.poll(() => held.waiting()).toBe(1)
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
  // Updated by the event stream, without a click.
  await expect(row).toContainText('Ended', { timeout: 30_000 })
  await expect(row).toContainText('3 of 3')
  await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '3')
  await expect(page.getByRole('button', { name: `Stop ${id}` })).toHaveCount(0)
  await expectClean(page, 'a batch that has ended')
})

test('videos and answers in the background are watched, and an answer is stopped', async ({ page, program }) => {
  test.setTimeout(90_000)
  const api = await consoleApi(program)
  let progress = 40
  const video = () => ({
    ...{
      id: 'video_up',
      object: 'video',
      model: 'sora-2',
      created_at: 1,
      expires_at: null,
      prompt: 'a fox',
      seconds: '4',
      size: '720x1280',
    },
    ...{ error: null, remixed_from_video_id: null, progress, completed_at: progress === 100 ? 2 : null },
    status: progress === 100 ? 'completed' : 'in_progress',
  })
  const vendor = await scriptedUpstream((exchange) => respondJson(200, video())(exchange))
  const { key } = (await api('POST', '/api/keys', { name: 'studio' })) as { key: string }
  await api('POST', '/api/channels', {
    ...{ name: 'videos', vendor: 'openai', baseUrl: `${vendor.url}/v1`, keys: ['sk-vendor'], models: ['sora-2'] },
  })
  await api('PUT', '/api/prices/sora-2', { second: '0.1' })
  const post = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(program.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { id: string }
  }
  try {
    await openConsole(page, '/batches')
    await page.getByRole('link', { name: 'Videos, calls, background answers' }).click()
    await expect(page).toHaveURL(/tab=work/)
    await expect(page.getByText('No long-running work')).toBeVisible()
    await expectClean(page, 'work, none')

    const film = await post('/v1/videos', { model: 'sora-2', prompt: 'a fox', seconds: '4', size: '720x1280' })
    const held = gate(respondJson(200, chatAnswer()))
    upstream.answer((exchange) =>
      (exchange.request.text().includes('take your time') ? held.script : respondJson(200, chatAnswer()))(exchange),
    )
    const answer = await post('/v1/responses', { model, input: 'take your time', background: true, max_output_tokens: 9 })
    await expect.poll(() => held.waiting()).toBe(1)
    await page.reload()
    const rows = { film: page.getByRole('row').filter({ hasText: film.id }), answer: page.getByRole('row').filter({ hasText: answer.id }) }
    await expect(rows.answer).toContainText(`Answer ${model}`)
    await expect(rows.answer).toContainText('In progress')
    await expect(rows.film).toContainText('Video sora-2')
    await expect(rows.film).toContainText('studio')
    // Sent upstream by Parley itself, and shown without a click.
    await expect(rows.film.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '40', { timeout: 30_000 })
    await expect(page.getByRole('button', { name: `Stop ${film.id}` })).toHaveCount(0)
    await expectClean(page, 'work that runs')

    await page.getByRole('button', { name: `Stop ${answer.id}` }).click()
    await expect(page.getByRole('dialog')).toContainText('Its client gets a cancelled answer.')
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await expect(page.locator('.toast')).toHaveText('Answer stopped.')
    await expect(rows.answer).toHaveCount(0)
    held.open()
    const ended = await fetch(`${program.url}/v1/responses/${answer.id}`, { headers: { authorization: `Bearer ${key}` } })
    expect(await ended.json()).toMatchObject({ status: 'cancelled' })

    progress = 100
    await expect(rows.film).toContainText('Done', { timeout: 30_000 })
    await rows.film.getByRole('link', { name: film.id }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/^req_/)
    await expect(page.locator('main')).toContainText('sora-2')
    await expectClean(page, 'the request of a video')
  } finally {
    await vendor.close()
  }
})
