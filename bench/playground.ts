/**
 * `bun bench/playground.ts`: the playground in a real Chromium against the running program, whose upstream streams 200 tokens per
 * second. Prints every figure with its budget and exits with 1 when one is exceeded. Takes about ninety seconds. The figures are
 * meaningful only on an idle machine, so its load is printed too.
 */
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright'
import type { Exchange } from '#testing/upstream/scripted-upstream'
import { highest, percentile, scriptsOfFirstPaint, taken } from './page-watch.ts'
import { box, eventOf, measure, note, rest, store } from './playground-run.ts'
import { longConversation, longReply } from './playground-texts.ts'

const tokensPerSecond = 200
const token = 4
const replyCharacters = 40_000
const messageCount = 10_000
const pastedLines = 20_000

let sentAt = 0

async function firstPaint(page: Page): Promise<void> {
  await page.reload()
  await box(page).waitFor()
  await rest(1_000)
  const scripts = await scriptsOfFirstPaint(page)
  const sizes = await Promise.all(scripts.map(async (url) => gzipSync(await (await fetch(url)).arrayBuffer(), { level: 9 }).length))
  note('JavaScript until the input box shows, gzip', sizes.reduce((sum, size) => sum + size, 0) / 1_000, 90, 'kB')
}

/** One reply of forty thousand characters, with the page scrolled to its end while it streams. */
async function stream(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  // Processor time, which other work on the machine does not lengthen.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busy = async () => (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  await box(page).fill('How long does a request wait?')
  await rest(500)
  // The page's CPU share while it only counts its frames.
  const still = { busy: await busy(), at: Date.now() }
  await rest(3_000)
  const idle = ((await busy()) - still.busy) / ((Date.now() - still.at) / 1_000)
  await taken(page)
  const before = { busy: await busy(), at: Date.now() }
  await box(page).press('Enter')
  const endedAt = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => (document.querySelector('article[data-state="complete"]') ? resolve(Date.now()) : requestAnimationFrame(look))
        look()
      }),
  )
  const share = ((await busy()) - before.busy) / ((Date.now() - before.at) / 1_000)
  await rest(1_500)
  const { tasks, frames } = await taken(page)
  note('Stream: longest task', highest(tasks), 100, 'ms')
  note('Stream: tasks over 100 ms', tasks.filter((ms) => ms > 100).length, 0, '')
  note('Stream: p99 of frames', percentile(frames, 0.99), 50, 'ms')
  note('Counting frames alone: main thread, processor time', idle * 100, Number.POSITIVE_INFINITY, '%')
  note('Stream: main thread beyond that, processor time', (share - idle) * 100, 20, '%')
  note('Stream: end behind the last event', endedAt - sentAt, 150, 'ms')
}

async function manyMessages(page: Page): Promise<void> {
  await store(page, [longConversation(messageCount)])
  await taken(page)
  const entry = page.locator('aside').getByText('Ten thousand messages')
  const opened = await entry.evaluate(
    (element, last) => {
      const began = performance.now()
      ;(element as HTMLElement).click()
      return new Promise<number>((resolve) => {
        const look = () => {
          const shown = document.querySelector(`[data-message="${last}"]`)?.textContent?.includes('Message')
          if (shown) setTimeout(() => resolve(performance.now() - began))
          else requestAnimationFrame(look)
        }
        look()
      })
    },
    `m${messageCount - 1}`,
  )
  note('10,000 messages: open', opened, 800, 'ms')
  await rest(1_000)
  await taken(page)
  note('10,000 messages: most DOM nodes while scrolling', await scrollThrough(page), 3_000, '')
  const { tasks, frames } = await taken(page)
  note('10,000 messages: p95 of frames while scrolling', percentile(frames, 0.95), 33, 'ms')
  note('10,000 messages: longest task while scrolling', highest(tasks), 100, 'ms')
  await box(page).focus()
  await page.keyboard.type('words that are typed with a long conversation behind', { delay: 30 })
  await rest(200)
  note('10,000 messages: slowest key', highest((await taken(page)).keys), 50, 'ms')
}

/** Scrolls up, to the beginning and to the end. Returns the largest number of nodes at any time. */
async function scrollThrough(page: Page): Promise<number> {
  let most = 0
  const count = async () => {
    most = Math.max(most, await page.evaluate(() => document.querySelectorAll('*').length))
  }
  await page.locator('.talk').hover()
  for (let turn = 0; turn < 60; turn++) {
    await page.mouse.wheel(0, turn % 20 === 19 ? 300 : -400)
    await rest(30)
    if (turn % 5 === 0) await count()
  }
  for (const share of [0, 0.5, 0.25, 1]) {
    await page.locator('.talk').evaluate((element, at) => element.scrollTo(0, element.scrollHeight * at), share)
    await rest(300)
    await count()
  }
  return most
}

/**
 * From the insertion to the end of the frame that shows it, compared with the same in an empty page, since the time that the
 * browser needs to lay out so many lines cannot be avoided.
 */
async function paste(page: Page): Promise<void> {
  const bare = await page.context().newPage()
  await bare.setContent('<textarea aria-label="Message" style="max-height: 306px"></textarea>')
  const alone = await insert(bare)
  note('Paste of 20,000 lines into an empty page', alone, Number.POSITIVE_INFINITY, 'ms')
  await bare.close()
  await page.getByRole('button', { name: /^New/ }).first().click()
  await box(page).fill('')
  await taken(page)
  note('Paste of 20,000 lines: until it shows', await insert(page), Math.max(200, Math.round(1.25 * alone)), 'ms')
}

function insert(page: Page): Promise<number> {
  const text = Array.from({ length: pastedLines }, (_, line) => `${line}: a line of a log that somebody wants explained`).join('\n')
  return box(page).evaluate((element, pasted) => {
    const began = performance.now()
    ;(element as HTMLTextAreaElement).setRangeText(pasted)
    element.dispatchEvent(new InputEvent('input', { bubbles: true }))
    return new Promise<number>((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began))))
  }, text)
}

/** The scripted reply, token by token on an absolute schedule, so that a late token does not delay the next ones. */
async function streamReply(exchange: Exchange): Promise<void> {
  const event = (fields: object) => exchange.chunk(eventOf(fields))
  await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
  const text = longReply(replyCharacters).slice(0, replyCharacters)
  const began = performance.now()
  for (let at = 0; at < text.length && !exchange.isGone(); at += token) {
    const early = began + ((at / token) * 1_000) / tokensPerSecond - performance.now()
    if (early > 0) await rest(early)
    await event({ choices: [{ index: 0, delta: { content: text.slice(at, at + token) }, finish_reason: null }] })
  }
  await event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  await event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: text.length / token, total_tokens: 20 + text.length / token } })
  await exchange.chunk('data: [DONE]\n\n')
  await exchange.lastChunk()
}

await measure(
  async (exchange) => {
    await streamReply(exchange)
    sentAt = Date.now()
  },
  [firstPaint, stream, manyMessages, paste],
)
