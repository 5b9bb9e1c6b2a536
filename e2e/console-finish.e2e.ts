/** What the console's pages owe to long names, first visits and single pixels. */
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, test } from './support/browser-test.ts'
import { chatAnswer } from './support/chat-answer.ts'
import { expectClean, layoutFaults, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { removeChannels } from './support/playground.ts'

const model = 'accounts/fireworks/models/llama-v3p1-405b-instruct-with-a-long-context'
const channel = 'fireworks production account of the platform team in Frankfurt'
const keyName = 'nightly batch translation of the documentation into twelve languages'
let upstream: ScriptedUpstream

test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream((exchange) =>
    exchange.request.text().includes('"broken')
      ? respondJson(401, { error: { message: 'No.', code: 'invalid_api_key' } })(exchange)
      : respondJson(200, chatAnswer())(exchange),
  )
  const api = await consoleApi(program)
  const account = { vendor: 'openai-compatible', baseUrl: `${upstream.url}/v1`, keys: ['sk-vendor'] }
  await api('POST', '/api/channels', { ...account, name: channel, models: [model] })
  await api('POST', '/api/channels', { ...account, name: 'failing', models: ['broken-model'] })
  for (const name of [model, 'broken-model']) await api('PUT', `/api/prices/${encodeURIComponent(name)}`, { input: '1', output: '2' })
  // With it the list of prices is at its widest.
  await api('PUT', '/api/prices/sora-2', { second: '0.1' })
  const { key } = (await api('POST', '/api/keys', { name: keyName })) as { key: string }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const name of [model, 'broken-model']) {
    const body = JSON.stringify({ model: name, messages: [{ role: 'user', content: 'x' }] })
    await (await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body })).text()
  }
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream.close()
})

test('long names leave the other columns in sight, and are whole in titles and on phones', async ({ page }) => {
  test.setTimeout(90_000)
  await page.setViewportSize({ width: 1440, height: 900 })
  await openConsole(page, '/models')
  for (const [path, name] of [
    ['/models', model],
    ['/requests', model],
    ['/admin/channels', channel],
    ['/keys', keyName],
    ['/admin/prices', model],
    ['/overview', model],
  ] as const) {
    await page.goto(path)
    const link = page.getByRole('link', { name, exact: true }).first()
    await expect(link).toHaveAttribute('title', name)
    const beyond = await page
      .locator('.table-scroll')
      .first()
      .evaluate((table) => table.scrollWidth - table.clientWidth)
    expect([path, beyond]).toEqual([path, 0])
    await expect.poll(async () => (await link.boundingBox())?.width).toBeLessThan(300)
    expect([path, await layoutFaults(page, [360, 1280, 1440])]).toEqual([path, []])
    await page.setViewportSize({ width: 360, height: 640 })
    expect(await link.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await page.goto('/models')
  await expectClean(page, 'a long name')
})

test('the button for columns lies over the heading that is scrolled below it', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 700 })
  await openConsole(page, '/admin/channels')
  const button = page.getByRole('button', { name: 'Columns and row height' })
  await expect(button).toBeVisible()
  const covered = await button.evaluate((own) => {
    const scroller = own.closest('.table-menu')?.nextElementSibling as HTMLElement
    const { left, top, width, height } = own.getBoundingClientRect()
    const found: string[] = []
    for (let by = 0; by <= scroller.scrollWidth - scroller.clientWidth; by += 5) {
      scroller.scrollLeft = by
      for (let x = 3; x < width; x += 3) {
        const hit = document.elementFromPoint(left + x, top + height / 2)
        if (hit && !own.contains(hit)) found.push(hit.textContent ?? '')
      }
    }
    return [...new Set(found)]
  })
  expect(covered).toEqual([])
})

test('a button that cannot be used looks so, under the pointer too', async ({ page }) => {
  await openConsole(page, '/keys')
  for (const look of ['primary', 'bad primary', 'ghost', 'bad', '']) {
    const background = await page.evaluate((classes) => {
      document.querySelector('#probe')?.remove()
      const probe = document.createElement('button')
      Object.assign(probe, { id: 'probe', className: `btn ${classes}`, ariaDisabled: 'true', textContent: 'Probe' })
      document.body.append(probe)
      Object.assign(probe.style, { position: 'fixed', top: '0', left: '0', transition: 'none', zIndex: '99' })
      return getComputedStyle(probe).backgroundColor
    }, look)
    const colour = () =>
      page.locator('#probe').evaluate((probe) => [getComputedStyle(probe).backgroundColor, getComputedStyle(probe).color])
    const rest = await colour()
    await page.locator('#probe').hover()
    expect([look, background, await colour()]).toEqual([look, 'rgba(0, 0, 0, 0)', rest])
    await page.mouse.move(400, 400)
  }
})

test('no page scrolls by a pixel, and what was announced is gone after a while', async ({ page }) => {
  await page.clock.install()
  await openConsole(page, '/admin/groups')
  const beyond = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  await expect(page.getByRole('table')).toBeVisible()
  expect(await beyond()).toBe(0)
  await page.goto('/requests')
  await page.getByRole('checkbox').nth(1).check()
  const said = page.locator('[role=status].hidden-text').filter({ hasText: '1 selected' })
  await expect(said).toHaveCount(1)
  await page.clock.fastForward(11_000)
  await expect(said).toHaveCount(0)
})

test('errors are not compared with a time in which nothing was asked', async ({ page }) => {
  await openConsole(page, '/usage')
  await expect(page.getByText('Errors').first()).toBeVisible()
  await expect(page.getByText(/\d pt$/)).toHaveCount(0)
})

test('who never asked anything is told so, and not that filters hide it', async ({ page, program }) => {
  await (await consoleApi(program))('POST', '/api/users', { name: 'newcomer', password: 'password of newcomer' })
  await openConsole(page, '/requests', { name: 'newcomer', password: 'password of newcomer' })
  await expect(page.getByText('No requests yet')).toBeVisible()
  await page.goto('/requests?range=1h')
  await expect(page.getByText('Nothing matches')).toBeVisible()
})

test('a call from the reference names a model that can be asked', async ({ page }) => {
  await openConsole(page, '/models')
  await page.goto('/docs?page=conversations')
  const chat = page.getByRole('region', { name: /POST \/v1\/chat\/completions$/ }).first()
  await chat.getByRole('button', { name: 'Try it' }).click()
  await expect(chat.getByLabel('Request body')).toHaveValue(new RegExp(`"model": "${model}"`))
})
