/**
 * Takes the screenshots of README.md, by hand: `bun e2e/support/pictures/screenshots.ts [WORD...]` after `npm run build`. The conversation is scripted, so the
 * pictures only change when the page does.
 */
import { mkdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { chromiumPath } from '#testing/chromium'
import { administrator, type Program, startProgram } from '#testing/program/program'
import { stream } from '#testing/upstream/scripted-answers'
import { scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { busyInstallation } from '../console-seed.ts'
import { addChannel, chooseModel, messageBox, sendMessage, signIn, waitForReply } from '../playground.ts'

const folder = fileURLToPath(new URL('../../../docs', import.meta.url))
const maxBytes = 200_000
const words = process.argv.slice(2)
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word))
const model = 'gpt-5-mini'

const go = `Here it is with a cap of \`10 s\` and full jitter. The delay doubles after every failure, and a cancelled context ends the wait at once:

\`\`\`go
func retry(ctx context.Context, max int, fn func() error) error {
	delay := 200 * time.Millisecond
	for try := 0; ; try++ {
		err := fn()
		if err == nil || try == max || ctx.Err() != nil {
			return err
		}
		// full jitter: anywhere between zero and the delay
		sleep(ctx, rand.N(delay))
		delay = min(2*delay, 10*time.Second)
	}
}
\`\`\``
const thought = 'Go 1.24 has rand.N for durations in math/rand/v2, and the built-in min. Keep the signature; no dependency.'

/** The questions of older conversations, oldest first; each of the first three begins a conversation. */
const asides = [
  ['Rerank scores for invoices', 'Normalise them per query first.'],
  ['Schema for order events', 'One table, one row per change of state.'],
  ['SSE parser edge cases', 'A line may end with CR, LF or both, and a chunk may end anywhere.'],
] as const
const opening = [
  'Retry with back-off in Go',
  'Wait longer after each failure and add jitter, so that callers do not return in step. Cap the delay, and stop when the context ends.',
] as const
const question = 'Show it as one function, with context cancellation. Go 1.24.'

const upstream = await scriptedUpstream()
const program = await startProgram({ env: administrator })
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
try {
  mkdirSync(folder, { recursive: true })
  await addChannel(program, `${upstream.url}/v1`, model)
  const desktop = { viewport: { width: 1280, height: 800 } }
  await picture('playground-light', browser, program, { ...desktop, colorScheme: 'light' })
  await picture('playground-dark', browser, program, { ...desktop, colorScheme: 'dark' })
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true }
  await picture('playground-phone', browser, program, { ...phone, colorScheme: 'light' })
  await consolePictures(browser, desktop, phone)
} finally {
  await browser.close()
  await program.stop()
  await upstream.close()
}

/** The console of a busy installation. */
async function consolePictures(on: Browser, desktop: BrowserContextOptions, phone: BrowserContextOptions): Promise<void> {
  const busy = await busyInstallation()
  try {
    for (const [name, path, options] of [
      ['console-overview-light', '/overview', { ...desktop, colorScheme: 'light' }],
      ['console-overview-dark', '/overview', { ...desktop, colorScheme: 'dark' }],
      ['console-channels-light', '/admin/channels', { ...desktop, colorScheme: 'light' }],
      ['console-usage-dark', '/usage', { ...desktop, colorScheme: 'dark' }],
      ['console-requests-phone', '/requests', { ...phone, colorScheme: 'light' }],
    ] as const) {
      if (!isWanted(name)) continue
      const context = await on.newContext({ ...options, baseURL: busy.program.url, locale: 'en-US', timezoneId: 'Europe/Lisbon' })
      const page = await context.newPage()
      await signIn(page)
      await page.goto(path)
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('networkidle')
      await page.waitForTimeout(500)
      await save(page, name)
      await context.close()
    }
  } finally {
    await busy.close()
  }
}

async function save(page: Page, name: string): Promise<void> {
  const path = `${folder}/${name}.png`
  await page.screenshot({ path, animations: 'disabled' })
  const { size } = statSync(path)
  process.stdout.write(`${name}.png: ${Math.round(size / 1000)} kB\n`)
  if (size > maxBytes) throw new Error(`${name}.png is larger than ${maxBytes / 1000} kB`)
}

async function picture(name: string, on: Browser, from: Program, options: BrowserContextOptions): Promise<void> {
  if (!isWanted(name)) return
  const context = await on.newContext({ ...options, baseURL: from.url, locale: 'en-US' })
  const page = await context.newPage()
  await signIn(page)
  await chooseModel(page, model)
  if (name === 'playground-phone') await hold(page, opening)
  else for (const aside of [...asides, opening]) await hold(page, aside)
  if (name !== 'playground-phone') await setParameters(page)
  answer(go, thought)
  await sendMessage(page, question)
  const reply = await waitForReply(page)
  await reply.locator('.cost').waitFor()
  if (name !== 'playground-phone') await reply.getByRole('button', { name: /^Thought/ }).click()
  // Waits for highlighted code and the last announcement.
  await reply.locator('.hljs-keyword').first().waitFor()
  await messageBox(page).blur()
  await page.mouse.move(0, 0)
  await page.waitForTimeout(500)
  await page.locator('.hljs-keyword').last().scrollIntoViewIfNeeded()
  await save(page, name)
  await context.close()
}

/** Holds a conversation of one question and one answer. */
async function hold(page: Page, [asked, answered]: readonly [string, string]): Promise<void> {
  const fresh = page.getByRole('button', { name: 'New chat' }).first()
  if (await fresh.isVisible()) await fresh.click()
  answer(answered)
  await sendMessage(page, asked)
  await waitForReply(page)
}

async function setParameters(page: Page): Promise<void> {
  for (const [name, value] of [
    ['Temperature', '0.7'],
    ['Frequency penalty', '0.3'],
  ] as const) {
    await page.getByRole('switch', { name: `Send ${name}` }).click()
    await page.getByRole('textbox', { name, exact: true }).fill(value)
    await page.keyboard.press('Enter')
  }
}

/** Lets the upstream answer at the pace of a fast model. */
function answer(text: string, reasoning = ''): void {
  const event = (delta: object, finish: string | null = null, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
  const words = (said: string) => said.match(/\S+\s*|\s+/g) ?? []
  const tokens = (said: string) => Math.ceil(said.length / 4)
  const out = tokens(text + reasoning)
  const usage = {
    prompt_tokens: 96,
    completion_tokens: out,
    total_tokens: 96 + out,
    completion_tokens_details: { reasoning_tokens: tokens(reasoning) },
  }
  const pieces = [
    ...words(reasoning).map((word) => event({ reasoning_content: word })),
    ...words(text).map((word) => event({ content: word })),
    event({}, 'stop'),
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ]
  upstream.answer(stream(pieces, { everyMs: 12 }))
}
