/**
 * `bun bench/playground-use.ts`: long use of the playground and the console, in a real Chromium: latency of keys and clicks, normally and
 * on a machine four times as slow; the largest replies; memory growth after conversations and pages were opened fifty times and streams
 * were stopped. Prints every figure with its budget and exits with 1 when one is exceeded. Takes about four minutes; arguments choose
 * parts: presses, slow, largest, conversations, stopped, pages, heap. Times are meaningful only on an idle machine, so its load is printed
 * too.
 */
import type { CDPSession, Locator, Page } from 'playwright'
import { heapByKind } from '#testing/heap-snapshot'
import type { Exchange } from '#testing/upstream/scripted-upstream'
import { highest, percentile, taken } from './page-watch.ts'
import { box, eventOf, measure, note, rest, store } from './playground-run.ts'
import { longConversation } from './playground-texts.ts'

const rounds = 50
const conversationCount = 12
const stoppedStreams = 20
/** The playground is closed half a minute after it was left. */
const leftMs = 32_000
const consolePages = ['/overview', '/requests', '/usage', '/admin/channels']

/** Conversations to switch between. */
async function fill(page: Page): Promise<void> {
  const many = Array.from({ length: conversationCount }, (_, at) => {
    const { conversation, messages } = longConversation(40)
    const id = `used${at}`
    // Every conversation has different text.
    const ownWords = (text: string) => text.replace(/\n\n(?=[A-Za-z])/g, `\n\n${title(at)}: `).replaceAll('rho', `rho_{${at}}`)
    const own = messages.map((message) => ({
      ...message,
      text: ownWords(message.text),
      id: `${id}${message.id}`,
      conversation: id,
      parent: message.parent && `${id}${message.parent}`,
    }))
    return { conversation: { ...conversation, id, title: title(at), updatedAt: at }, messages: own }
  })
  await store(page, many)
}

const title = (at: number) => `Conversation ${String.fromCharCode(65 + at)}`
/** With the raw mouse: the checks of Playwright's `click` run within the event, and would be measured with it. */
async function press(page: Page, where: Locator): Promise<void> {
  const place = await where.boundingBox()
  if (place === null) throw new Error('nothing to press')
  await page.mouse.click(place.x + place.width / 2, place.y + place.height / 2)
}
const open = async (page: Page, at: number) => {
  await press(page, page.locator('aside').getByText(title(at % conversationCount), { exact: true }))
  await page.getByRole('heading', { level: 1, name: title(at % conversationCount) }).waitFor()
}

/** Types, opens panels and changes conversations, on a machine that is so many times slower. */
const presses = (slow: number, most: number) => async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  // Processor time of scripts, styles and layout, which other work on the machine does not lengthen.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const own = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.reduce((sum, { name, value }) => sum + (own.includes(name) ? value : 0), 0)
  }
  await open(page, 0)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slow })
  const figure = async (name: string, count: number, act: () => Promise<void>) => {
    // Once before measuring, to load what is loaded on first use.
    await act()
    await rest(500)
    await taken(page)
    const before = await busy()
    await act()
    await rest(800)
    note(`${name}, ${slow}x, processor time each`, ((await busy()) - before) * (1_000 / count), Number.POSITIVE_INFINITY, 'ms')
    const late = (await taken(page)).presses
    const all = [...late, ...Array.from({ length: Math.max(0, count - late.length) }, () => 16)]
    note(`${name}, ${slow}x, median`, percentile(all, 0.5), Number.POSITIVE_INFINITY, 'ms')
    note(`${name}, ${slow}x, p98`, percentile(all, 0.98), most, 'ms')
  }
  const words = 'what is typed with a conversation of forty messages behind it '
  await figure('Typing', words.length, async () => {
    await box(page).focus()
    await page.keyboard.type(words, { delay: 40 })
  })
  await box(page).fill('')
  await figure('Panels', 12, async () => {
    for (let turn = 0; turn < 6; turn += 1)
      for (const name of ['Inspector', 'Parameters']) {
        await press(page, page.getByRole('button', { name, exact: true }).first())
        await rest(300)
      }
  })
  await figure('Other conversation', 24, async () => {
    for (let at = 1; at <= 24; at += 1) {
      await open(page, at)
      await rest(200)
    }
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await session.detach()
}

/** Oversized replies: a megabyte, code of 5,000 lines, a table of 500 rows. */
async function largest(page: Page): Promise<void> {
  for (const [name, asked] of [
    ['Reply of 1 MB', 'megabyte'],
    ['Code of 5,000 lines', 'code'],
    ['Table of 500 rows', 'table'],
  ] as const) {
    await fresh(page)
    await taken(page)
    await send(page, asked)
    await page.locator('article[data-state="complete"]').waitFor({ timeout: 120_000 })
    await rest(2_000)
    note(`${name}: longest task`, highest((await taken(page)).tasks), 200, 'ms')
    note(`${name}: DOM nodes`, await page.evaluate(() => document.querySelectorAll('*').length), Number.POSITIVE_INFINITY, '')
  }
}

const fresh = (page: Page) => page.getByRole('button', { name: /^New/ }).first().click()
const send = async (page: Page, text: string) => {
  await box(page).fill(text)
  await box(page).press('Enter')
}

/** Live objects after a collection: bytes of the heap, the part of it that is compiled code, and counters. */
async function alive(session: CDPSession): Promise<{ heap: number; code: number; listeners: number; nodes: number }> {
  for (let turn = 0; turn < 3; turn += 1) await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0
  const code = (await heapByKind(session)).get('code')?.bytes ?? 0
  return { heap: of('JSHeapUsedSize'), code, listeners: of('JSEventListeners'), nodes: of('Nodes') }
}

/** Measures growth when something is repeated; what is created only once is created before. */
async function growth(page: Page, name: string, times: number, act: (turn: number) => Promise<void>, calmMs = 1_500): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  for (let turn = 0; turn < Math.max(12, times / 4); turn += 1) await act(turn)
  await rest(calmMs)
  await taken(page)
  const before = await alive(session)
  for (let turn = 0; turn < times; turn += 1) await act(turn)
  await rest(calmMs)
  // The recorded frames and presses do not belong to the page.
  await taken(page)
  const after = await alive(session)
  note(`${name}: heap before`, before.heap / 1e6, Number.POSITIVE_INFINITY, 'MB')
  // Frequently used code is recompiled: that converges, and is not a leak of a page.
  const share = (bytes: number) => (bytes / before.heap) * 100
  note(`${name}: heap growth without compiled code`, share(after.heap - after.code - before.heap + before.code), 5, '%')
  note(`${name}: compiled code more`, share(after.code - before.code), Number.POSITIVE_INFINITY, '%')
  note(`${name}: listeners more`, after.listeners - before.listeners, 20, '')
  note(`${name}: DOM nodes more`, after.nodes - before.nodes, 200, '')
  await session.detach()
}

async function conversations(page: Page): Promise<void> {
  await growth(page, `Conversations ${rounds} times`, Math.ceil(rounds / conversationCount) * conversationCount, (turn) => open(page, turn))
}

async function stopped(page: Page): Promise<void> {
  await fresh(page)
  await growth(page, `${stoppedStreams} streams stopped`, stoppedStreams, async () => {
    await send(page, 'endless')
    await page.locator('article[data-state="running"]').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.locator('article[data-state="running"]').waitFor({ state: 'detached' })
  })
}

/** Navigates between pages as a link does. */
async function pages(page: Page): Promise<void> {
  await growth(
    page,
    `Pages ${rounds} times`,
    rounds,
    async () => {
      for (const path of [...consolePages, '/']) {
        await page.evaluate((to) => {
          history.pushState(null, '', to)
          dispatchEvent(new PopStateEvent('popstate'))
        }, path)
        await (path === '/' ? box(page) : page.locator('.console h1')).waitFor()
        await page.locator('.skeleton').waitFor({ state: 'detached' })
      }
    },
    leftMs,
  )
}

/** Heap of a conversation of 10,000 messages that is open. */
async function manyMessages(page: Page): Promise<void> {
  await store(page, [longConversation(10_000)])
  await page.locator('aside').getByText('Ten thousand messages').click()
  await page.getByText('Message 9999.').waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  note('10,000 messages: heap', (await alive(session)).heap / 1e6, 150, 'MB')
}

const replies: Record<string, () => string> = {
  megabyte: () => 'A paragraph of words that say little, with `code` and *stress*, over more than one line of a page.\n\n'.repeat(10_300),
  code: () =>
    `\`\`\`ts\n${Array.from({ length: 5_000 }, (_, line) => `const value${line} = compute(${line}, "text")`).join('\n')}\n\`\`\`\n`,
  table: () =>
    `| a | b | c |\n|---|---|---|\n${Array.from({ length: 500 }, (_, row) => `| row ${row} | *some* words | ${row * 7} |`).join('\n')}\n`,
}

/** The requested text, in pieces; or endless pieces. */
async function answer(exchange: Exchange): Promise<void> {
  await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
  const say = (content: string) => exchange.chunk(eventOf({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  const asked = Object.keys(replies).find((name) => exchange.request.text().includes(`"${name}"`))
  if (asked === undefined) {
    while (!exchange.isGone()) {
      await say('some more words ')
      await rest(5)
    }
    return
  }
  for (const piece of replies[asked]?.().match(/[\s\S]{1,800}/g) ?? []) {
    await say(piece)
    await rest(1)
  }
  await exchange.chunk(eventOf({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
  await exchange.chunk('data: [DONE]\n\n')
  await exchange.lastChunk()
}

const parts = { presses: presses(1, 100), slow: presses(4, 200), largest, conversations, stopped, pages, heap: manyMessages }
const words = process.argv.slice(2)
const chosen = Object.entries(parts).filter(([name]) => words.length === 0 || words.includes(name))
await measure(answer, [fill, ...chosen.map(([, part]) => part)])
