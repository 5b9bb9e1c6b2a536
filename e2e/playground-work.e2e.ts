/**
 * How much work the playground does on input, counted rather than timed: elements created, markdown parsed, layouts. The visible part
 * comes first, rendered parts are not rendered again, and a stream touches only its end.
 */
import type { Page } from 'playwright/test'
import { putConversations } from '#testing/stored-conversations'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { expect, testWithoutDemo as test } from './support/browser-test.ts'
import { addChannel, chooseModel, messageBox, removeChannels, sendMessage, signIn, waitForReply } from './support/playground.ts'

const model = 'diligent'
let upstream: ScriptedUpstream
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, model)
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

/** Work since the last call: elements copied from templates, markdown blocks cleaned, requests written as JSON. */
interface Work {
  made: number
  read: number
  written: number
}

/** Counts the work of every document from the next navigation on. Idle callbacks run when the test says so. */
const countWork = (page: Page) =>
  page.addInitScript(() => {
    const work = { made: 0, read: 0, written: 0 }
    const idle: (() => void)[] = []
    Object.assign(window, {
      work,
      becomeIdle() {
        for (const one of idle.splice(0)) one()
        return idle.length
      },
      requestIdleCallback: (one: () => void) => idle.push(one),
      cancelIdleCallback: (at: number) => idle.splice(at - 1, 1, () => undefined),
    })
    const { cloneNode } = Node.prototype
    Node.prototype.cloneNode = function (deep) {
      const copy = cloneNode.call(this, deep)
      work.made += 1 + (copy instanceof Element ? copy.querySelectorAll('*').length : 0)
      return copy
    }
    const { importNode } = Document.prototype
    Document.prototype.importNode = function <Copied extends Node>(this: Document, node: Copied, deep?: boolean) {
      const copy = importNode.call(this, node, deep ?? false) as Copied
      work.made += copy instanceof Element || copy instanceof DocumentFragment ? copy.querySelectorAll('*').length + 1 : 1
      return copy
    } as Document['importNode']
    const { parseFromString } = DOMParser.prototype
    DOMParser.prototype.parseFromString = function (...source) {
      work.read += 1
      return parseFromString.apply(this, source)
    }
    const { stringify } = JSON
    JSON.stringify = (value: unknown, ...more: []) => {
      if (typeof value === 'object' && value !== null && 'messages' in value) work.written += 1
      return stringify(value, ...more)
    }
  })

type Counting = typeof globalThis & { work: Work; becomeIdle(): number }

const work = (page: Page): Promise<Work> =>
  page.evaluate(() => {
    const { work } = globalThis as Counting
    const since = { ...work }
    Object.assign(work, { made: 0, read: 0, written: 0 })
    return since
  })

/** Runs the page's deferred work, and its consequences. */
async function settle(page: Page): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1)
    await page.evaluate(async () => {
      ;(globalThis as Counting).becomeIdle()
      await new Promise((next) => requestAnimationFrame(() => setTimeout(next, 30)))
    })
}

const sectionOf = (name: string) => `## Part ${name}

Words of ${name} with *stress* and a formula $x_{${name}}$, which go on for more than one line of the page, so that they wrap.

\`\`\`ts
const part${name} = compute(1)
\`\`\`

| a | b |
|---|---|
| ${name} | 2 |

- one of ${name}
- two of ${name}
`

const titles = ['Amber', 'Basalt', 'Chalk']

/** Conversations of forty messages, each reply of about a window's height. */
const conversations = titles.map((title) => {
  const base = {
    id: title,
    title,
    named: true,
    pinned: false,
    createdAt: 1,
    updatedAt: 2,
    settings: {},
    group: 'default',
    model,
    draft: '',
  }
  const messages = Array.from({ length: 40 }, (_, at) => {
    const common = { id: `${title}${at}`, conversation: title, parent: at === 0 ? null : `${title}${at - 1}`, at: 1_700_000_000_000 + at }
    if (at % 2 === 0) return { ...common, role: 'user', text: `Question ${at} of ${title}?` }
    const text = [0, 1, 2].map((part) => sectionOf(`${title}${at}${part}`)).join('\n')
    const known = { state: 'complete', group: 'default', model, finish: 'stop', answeredBy: model, cost: '0.001', requestId: null }
    const none = {
      reasoning: '',
      reasoningMs: null,
      refusal: '',
      calls: [],
      usage: null,
      losses: null,
      failure: null,
      firstTokenMs: 1,
      totalMs: 9,
    }
    return { ...common, role: 'assistant', text, ...known, ...none }
  })
  return { conversation: { ...base, choice: {} }, messages }
})

/** Opens a conversation as a click does, and resolves when its last message is painted. */
const open = (page: Page, title: string) =>
  page.evaluate(async (name) => {
    const row = [...document.querySelectorAll<HTMLElement>('aside .nav')].find((one) => one.textContent?.includes(name))
    row?.click()
    const isThere = () => document.querySelector(`[data-message="${name}39"] pre`) !== null
    while (!isThere()) await new Promise((next) => requestAnimationFrame(next))
    await new Promise((next) => requestAnimationFrame(() => setTimeout(next)))
  }, title)

const layouts = async (page: Page, act: () => Promise<void>): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const count = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'LayoutCount')?.value ?? 0
  const before = await count()
  await act()
  const after = await count()
  await session.detach()
  return after - before
}

async function withConversations(page: Page): Promise<void> {
  await countWork(page)
  await signIn(page)
  await page.evaluate(putConversations, conversations)
  await page.reload()
  await messageBox(page).waitFor()
  await settle(page)
}

test('a conversation that is opened makes what is seen, and nothing again that was drawn', async ({ page }) => {
  await withConversations(page)
  await open(page, 'Amber')
  await settle(page)
  await work(page)

  await open(page, 'Basalt')
  // Turns that are mounted before the browser is idle are in the window, with one more where a height was guessed.
  const outside = await page.locator('.turn-box').evaluateAll((boxes) => {
    const edge = document.querySelector('.talk')?.getBoundingClientRect().top ?? 0
    return boxes.filter((box) => box.getBoundingClientRect().bottom < edge).length
  })
  expect(outside).toBeLessThanOrEqual(1)
  const first = await work(page)
  expect(first.read).toBeGreaterThan(0)
  const seen = await page.locator('.turn-box').count()
  await settle(page)
  expect(await page.locator('.turn-box').count()).toBeGreaterThan(seen)

  // Coming back shows the rendered parts, with their colours and formulas.
  await open(page, 'Amber')
  await settle(page)
  await work(page)
  const laidOut = await layouts(page, () => open(page, 'Basalt'))
  const again = await work(page)
  console.log(`opened first: ${JSON.stringify(first)}; again: ${JSON.stringify(again)}, ${laidOut} layouts`)
  expect(again.read).toBe(0)
  expect(again.made).toBeLessThan(first.made)
  expect(laidOut).toBeLessThanOrEqual(6)
  const last = page.locator('[data-message="Basalt39"]')
  await expect(last.locator('.cb code span').first()).toBeAttached()
  await expect(last.locator('.katex').first()).toBeAttached()
  await expect(last.getByText('Part Basalt392', { exact: true })).toBeVisible()
})

test('panels are made once, and do nothing while they are hidden', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await withConversations(page)
  await open(page, 'Chalk')
  await settle(page)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).evaluate((button: HTMLElement) => button.click())
  const inspector = page.getByRole('heading', { name: 'Inspector' })
  for (const name of ['Inspector', 'Parameters', 'Inspector', 'Parameters']) await press(name)
  await page.getByRole('slider', { name: 'Temperature' }).waitFor()
  const row = await page.locator('aside .nav').first().elementHandle()
  await settle(page)
  await work(page)

  await press('Inspector')
  await expect(inspector).toBeVisible()
  await expect(page.getByRole('region', { name: /next request/ })).toContainText('Question 0 of Chalk')
  await expect(page.getByRole('navigation', { name: 'Conversations' })).toHaveCount(0)
  await press('Inspector')
  await expect(inspector).toHaveCount(0)
  // The list of conversations, whose place it took, is the same as before.
  expect(await row?.isVisible()).toBe(true)
  await press('Parameters')
  await press('Parameters')
  // The button that opens the list, where its place is taken.
  expect((await work(page)).made).toBeLessThan(8)

  await messageBox(page).fill('A draft that no panel shows')
  await open(page, 'Amber')
  expect((await work(page)).written).toBe(0)
  await press('Inspector')
  await expect(page.getByRole('region', { name: /next request/ })).toContainText('Question 0 of Amber')
  expect((await work(page)).written).toBeGreaterThan(0)
})

test('a stream draws its end only: what is complete is read once and stays', async ({ page }) => {
  await countWork(page)
  await signIn(page)
  await chooseModel(page, model)
  const blocks = 60
  const event = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const half = Promise.withResolvers<void>()
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (let at = 0; at < blocks; at += 1) {
      if (at === blocks / 2) await half.promise
      for (const part of [`Paragraph ${at} `, 'with *words* ', 'that come ', 'one by one.\n\n'])
        await exchange.chunk(event({ content: part }))
    }
    await exchange.chunk(event({}, 'stop'))
    await exchange.chunk('data: [DONE]\n\n')
    await exchange.lastChunk()
  })
  await page.evaluate(() => {
    const count = { frames: 0 }
    Object.assign(window, { count })
    const frame = () => {
      count.frames += 1
      requestAnimationFrame(frame)
    }
    frame()
  })
  await sendMessage(page, 'Write')
  await page.getByText(`Paragraph ${blocks / 2 - 1} with words that come one by one.`).waitFor()
  const early = await page.locator('.md em').first().elementHandle()
  half.resolve()
  await waitForReply(page)
  const { frames } = await page.evaluate(() => (window as unknown as { count: { frames: number } }).count)
  const { read } = await work(page)
  console.log(`${blocks} blocks in ${frames} frames: read ${read} times`)
  // Each block once, and what is open at most once a frame.
  expect(read).toBeLessThanOrEqual(blocks + frames)
  expect(await early?.evaluate((node) => node.isConnected)).toBe(true)
})
