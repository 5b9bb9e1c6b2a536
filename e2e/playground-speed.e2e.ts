/**
 * The budgets of the playground. Bytes, layout shifts and nodes are asserted as they are; times are printed and asserted with twenty times
 * the room, because machines are shared.
 */
import type { Page } from 'playwright/test'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import {
  addChannel,
  chooseModel,
  messageBox,
  reloadStored,
  removeChannels,
  sendMessage,
  signIn,
  turns,
  waitForReply,
} from './support/playground.ts'

const slack = 20
const model = 'fluent'
const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, model)
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

const tell = (figure: string, value: unknown) => process.stdout.write(`${figure}: ${value}\n`)

/** Records long tasks, layout shifts and the largest paint from the next navigation on. */
const record = (page: Page) =>
  page.addInitScript(() => {
    const found = { longest: 0, shift: 0, paint: 0, ready: 0, shifts: [] as string[] }
    Object.assign(window, { found })
    const watch = new MutationObserver(() => {
      if (document.querySelector('form.comp') === null) return
      found.ready = performance.now()
      watch.disconnect()
    })
    watch.observe(document, { childList: true, subtree: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.longest = Math.max(found.longest, entry.duration)
    }).observe({ type: 'longtask', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number
        hadRecentInput: boolean
        sources: { node?: Element }[]
      })[]) {
        if (entry.hadRecentInput) continue
        found.shift += entry.value
        found.shifts.push(`${entry.value.toFixed(4)} ${entry.sources.map(({ node }) => node?.className || node?.nodeName).join(' | ')}`)
      }
    }).observe({ type: 'layout-shift', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.paint = entry.startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
const found = (page: Page) =>
  page.evaluate(() => (window as unknown as { found: { longest: number; shift: number; paint: number; shifts: string[] } }).found)

/** Bytes of the scripts that were asked for until the message box was there, by path; what comes later is idle work. */
const scriptsOfFirstPaint = (page: Page): Promise<[path: string, bytes: number][]> =>
  page.evaluate(() => {
    const { ready } = (window as unknown as { found: { ready: number } }).found
    const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const scripts = all.filter(({ name, startTime }) => new URL(name).pathname.endsWith('.js') && startTime <= ready)
    return scripts.map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])
  })

test('first paint: scripts of at most 90 kB, nothing of the console, nothing that moves', async ({ page }) => {
  await signIn(page)
  await record(page)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
  await page.goto('/')
  await messageBox(page).waitFor()
  await page.getByRole('button', { name: `Model, ${model}` }).waitFor()
  const first = await scriptsOfFirstPaint(page)
  const sum = first.reduce((all, [, size]) => all + size, 0)
  for (const [name, size] of first) tell(`  ${name}`, size)
  tell('scripts of the first paint, bytes', sum)
  expect(sum).toBeLessThanOrEqual(90_000)
  expect(
    first.map(([name]) => name).filter((name) => /overview|usage-|requests|keys|channel|prices|users|settings-page|chart|table/.test(name)),
  ).toEqual([])
  const { shift, shifts } = await found(page)
  tell('layout shift of the first paint', `${shift.toFixed(4)} ${shifts.join('; ')}`)
  expect(shift).toBeLessThan(0.02)
})

test('a slow machine behind a slow line paints soon', async ({ page }) => {
  await signIn(page)
  await record(page)
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 200_000,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const paints: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await page.goto('/')
    await page.getByRole('button', { name: `Model, ${model}` }).waitFor()
    paints.push((await found(page)).paint)
  }
  const median = paints.toSorted((a, b) => a - b)[1] ?? 0
  tell('largest paint at 4x CPU and 1.6 Mbit/s, ms', `${Math.round(median)} of ${paints.map(Math.round).join(', ')}`)
  expect(median).toBeGreaterThan(0)
  expect(median).toBeLessThan(1_800 * slack)
})

test('a reply with code streams in without moving anything', async ({ page }) => {
  await record(page)
  await signIn(page)
  await chooseModel(page, model)
  const block = (at: number) =>
    `Paragraph ${at} with some words that fill more than one line of the column, so that it wraps.\n\n\`\`\`ts\n${'const value = compute(1)\n'.repeat(12)}\`\`\`\n\n`
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (let at = 0; at < 12; at += 1)
      for (const part of block(at).match(/[\s\S]{1,40}/g) ?? []) await exchange.chunk(event({ content: part }))
    await exchange.chunk(event({}, 'stop'))
    await exchange.chunk('data: [DONE]\n\n')
    await exchange.lastChunk()
  })
  await page.evaluate(() => Object.assign((window as unknown as { found: object }).found, { shift: 0, shifts: [] }))
  await sendMessage(page, 'Write code')
  await waitForReply(page)
  const { shift, shifts } = await found(page)
  tell('layout shift of a stream with code', `${shift.toFixed(4)} ${shifts.slice(0, 8).join('; ')}`)
  expect(shift).toBeLessThan(0.02)
  // The cost comes when the reply has ended, and has its place on the line of figures.
  const figures = page.locator('.foot').last()
  await figures.locator('.cost').waitFor()
  expect((await figures.boundingBox())?.height).toBe(24)
})

test('a reply of 120,000 characters leaves a bounded page', async ({ page }) => {
  await record(page)
  await signIn(page)
  await chooseModel(page, model)
  const part = (at: number) =>
    `### Part ${at}\n\nSome *words* with \`code\` and a [link](https://example.com/${at}).\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`js\nlet a = ${at}\nlet b = 2\n\`\`\`\n\n`
  let text = ''
  let last = -1
  while (text.length < 120_000) {
    last += 1
    text += part(last)
  }
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (const piece of text.match(/[\s\S]{1,400}/g) ?? []) await exchange.chunk(event({ content: piece }))
    await exchange.chunk(event({}, 'stop'))
    await exchange.chunk('data: [DONE]\n\n')
    await exchange.lastChunk()
  })
  await sendMessage(page, 'Everything')
  await waitForReply(page)
  const nodes = () => page.evaluate(() => document.querySelectorAll('.talk *').length)
  await expect.poll(nodes).toBeLessThan(6_000)
  const { longest } = await found(page)
  tell('nodes of a reply of 120,000 characters', await nodes())
  tell('longest task while it streamed, ms', Math.round(longest))
  expect(longest).toBeLessThan(200 * slack)
  // Distant messages are rendered when scrolled to.
  await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0))
  await expect(turns(page).last().getByText('Part 0', { exact: true })).toBeVisible()
  await reloadStored(page)
  await expect(page.getByText(`Part ${last}`, { exact: true })).toBeVisible()
  await expect.poll(nodes).toBeLessThan(6_000)
  tell('longest task when it is opened again, ms', Math.round((await found(page)).longest))
})
