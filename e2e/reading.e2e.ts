/** The reading position stays where it is: only the reader's scrolling, a message of their own or another conversation moves the page. */
import type { Page } from 'playwright/test'
import { respondJson } from '#testing/upstream/scripted-answers'
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
  turnCount,
  waitForFrames,
  waitForReply,
  waitUntilStored,
} from './support/playground.ts'

const paragraphs = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `Paragraph ${from + index}. ${'Words that fill more than a line. '.repeat(4)}\n\n`)

let upstream: ScriptedUpstream
/** Lets the reply in progress continue. */
let goOn: () => void
test.beforeAll(async ({ program }) => {
  upstream = await scriptedUpstream()
  await addChannel(program, `${upstream.url}/v1`, 'long-winded')
})
test.afterAll(async ({ program }) => {
  await removeChannels(program)
  await upstream?.close()
})

test.beforeEach(async ({ page }) => {
  await signIn(page)
  await chooseModel(page, 'long-winded')
})

test('a draft, a setting, the words of a running reply and its end do not move who reads further up', async ({ page }) => {
  await sayAndHold(page)
  const place = await readFurtherUp(page, -900)
  await messageBox(page).fill('half a thought')
  await waitUntilStored(page, 'half a thought')
  await page.getByRole('switch', { name: 'Send Temperature' }).click()
  await waitForFrames(page)
  expect(await placeOf(page)).toEqual(place)
  goOn()
  await page.getByText('Paragraph 60.').waitFor({ state: 'attached' })
  await waitForFrames(page)
  expect(await placeOf(page)).toEqual(place)
  goOn()
  await waitForReply(page)
  await waitForFrames(page)
  expect(await placeOf(page)).toEqual(place)
})

test('the least movement upward stops following, and being back near the end starts it again', async ({ page }) => {
  await sayAndHold(page)
  const place = await readFurtherUp(page, -30)
  goOn()
  await page.getByText('Paragraph 60.').waitFor({ state: 'attached' })
  await waitForFrames(page)
  expect(await placeOf(page)).toEqual(place)
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  goOn()
  await waitForReply(page)
  await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
})

test('who is at the end stays there while the input box grows', async ({ page }) => {
  await sayAndHold(page)
  await messageBox(page).fill('a line\n'.repeat(9))
  await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
  goOn()
  goOn()
  await waitForReply(page)
  await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
})

test('turns that come in above are measured without moving what is read, however the reader moves meanwhile', async ({ page }) => {
  // They come from the ledger after the reply and may take a second line under it.
  const figures = page.locator('[data-latest] .cost')
  for (let turn = 0; turn < 5; turn += 1) {
    upstream.answer(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      // Headings take more room than the list guesses, so every turn has to be measured.
      await exchange.chunk(event({ content: '# One\n\n'.repeat(20 + turn) }, 'stop'))
      await exchange.chunk('data: [DONE]\n\n')
      await exchange.lastChunk()
    })
    await sendMessage(page, `Question ${turn}`)
    await waitForReply(page)
    await expect(figures).toBeVisible()
  }
  // Another page has measured nothing yet.
  await reloadStored(page)
  await expect.poll(() => turnCount(page)).toBe(10)
  await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
  await expect(figures).toBeVisible()
  await waitForFrames(page)
  const jumps = await page.getByRole('log').evaluate(async (log) => {
    const step = 120
    const edge = log.getBoundingClientRect().top
    const seen = () => {
      const rows = [...log.querySelectorAll('article')].map((row) => ({ row, place: row.getBoundingClientRect() }))
      return new Map(rows.filter(({ place }) => place.bottom > edge).map(({ row, place }) => [row, place.top]))
    }
    // In the middle of a frame: its event comes with the next one, when turns above may have been measured already.
    const move = () =>
      new Promise((painted) => {
        requestAnimationFrame(() => {
          log.scrollTop -= step
          setTimeout(painted)
        })
      })
    const found: number[] = []
    for (let before = seen(); log.scrollTop > step; before = seen()) {
      await move()
      for (const [row, top] of seen()) {
        const moved = top - (before.get(row) ?? top - step) - step
        if (Math.abs(moved) > 2) found.push(moved)
      }
    }
    return found
  })
  expect(jumps).toEqual([])
})

/** Sends a question and waits for the first third of its reply; each `goOn` brings a third more. */
async function sayAndHold(page: Page): Promise<void> {
  let steps = Promise.withResolvers<void>()
  let asked = 0
  goOn = () => {
    asked += 1
    steps.resolve()
  }
  const third = async (number: number) => {
    while (asked < number) {
      await steps.promise
      steps = Promise.withResolvers<void>()
    }
  }
  upstream.answer(async (exchange) => {
    await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
    for (const [at, from] of [1, 31, 61].entries()) {
      await third(at)
      for (const content of paragraphs(from, 30)) await exchange.chunk(event({ content }))
    }
    await exchange.chunk(event({}, 'stop'))
    await exchange.chunk('data: [DONE]\n\n')
    await exchange.lastChunk()
  })
  await sendMessage(page, 'Tell me everything.')
  await page.getByText('Paragraph 30.').waitFor()
  await expect.poll(() => distance(page)).toBeLessThanOrEqual(1)
}

/** Turns the wheel by `pixels` over the conversation; answers the place that is then read. */
async function readFurtherUp(page: Page, pixels: number): Promise<{ text: string; top: number }> {
  await page.getByRole('log').hover()
  await page.mouse.wheel(0, pixels)
  await expect.poll(() => distance(page)).toBeGreaterThanOrEqual(-pixels - 1)
  return placeOf(page)
}

/** The first paragraph that is seen, and where. */
const placeOf = (page: Page): Promise<{ text: string; top: number }> =>
  page.getByRole('log').evaluate((log) => {
    const edge = log.getBoundingClientRect().top
    const first = [...log.querySelectorAll('p')].find((one) => one.getBoundingClientRect().top >= edge)
    return { text: first?.textContent?.slice(0, 13) ?? '', top: Math.round((first?.getBoundingClientRect().top ?? 0) - edge) }
  })

const distance = (page: Page): Promise<number> =>
  page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'long-winded', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true })

  test('each reply that fails is in sight, whatever it changes above', async ({ page, tolerate }) => {
    tolerate(/status of (400|502)/)
    const refused = { message: 'Unsupported parameter: temperature.', type: 'invalid_request_error', param: 'temperature' }
    for (let count = 0; count < 6; count += 1) {
      upstream.answer(count % 2 === 0 ? respondJson(400, { error: refused }) : respondJson(503, { error: { message: 'Overloaded' } }))
      await sendMessage(page, `Fail ${count}`)
      await waitForReply(page, 'failed')
      await waitForFrames(page)
      expect(await distance(page)).toBeLessThanOrEqual(1)
    }
  })
})
