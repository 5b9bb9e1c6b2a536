/** Shared by the benchmarks of the playground: the program with a scripted upstream, a browser, and figures with their budgets. */
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { chromiumPath } from '#testing/chromium'
import { administrator, startProgram } from '#testing/program/program'
import { putConversations, type StoredConversation } from '#testing/stored-conversations'
import { type Script, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { watch } from './page-watch.ts'

interface Figure {
  name: string
  value: number
  most: number
  unit: string
}

const figures: Figure[] = []

/** Records a figure and its budget. */
export const note = (name: string, value: number, most: number, unit: string) => void figures.push({ name, value, most, unit })

/** The message box. */
export const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

/** Waits, in milliseconds. */
export const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Starts the program with such an upstream, and runs the parts one after the other on a signed-in page that is measured. Prints
 * every figure with its budget at the end; the process exits with 1 when one is exceeded.
 */
export async function measure(answer: Script, parts: readonly ((page: Page, context: BrowserContext) => Promise<void>)[]): Promise<void> {
  if (!existsSync('dist/client/index.html')) throw new Error('the client is not built: npm run build')
  console.log(`load before: ${load()}`)
  const upstream = await scriptedUpstream(answer)
  const program = await startProgram({ config: declaration(upstream.url), env: { ...administrator, PARLEY_LOG: 'warn' } })
  const browser = await chromium.launch({ executablePath: chromiumPath, args: flags })
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await watch(page)
    await page.goto(program.url)
    await page.getByLabel('Username').fill(administrator.PARLEY_ADMIN_USER)
    await page.getByLabel('Password').fill(administrator.PARLEY_ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await box(page).waitFor()
    for (const part of parts) await part(page, context)
  } finally {
    print()
    await browser.close()
    await program.stop()
    await upstream.close().catch(() => undefined)
  }
}

/** Puts conversations into the store of the browser, and reads the page again. */
export async function store(page: Page, conversations: readonly StoredConversation[]): Promise<void> {
  await page.evaluate(putConversations, conversations)
  await page.reload()
  await box(page).waitFor()
  await rest(1_000)
}

function print(): void {
  console.log(`load after: ${load()}\n`)
  console.log(`${''.padEnd(52)}${'budget'.padStart(12)}${'figure'.padStart(12)}`)
  for (const { name, value, most, unit } of figures) {
    const shown = value.toFixed(unit === '' ? 0 : 1)
    console.log(
      `${name.padEnd(52)}${(Number.isFinite(most) ? `${most} ${unit}` : '').padStart(12)}${`${shown} ${unit}`.padStart(12)}${value > most ? '  over' : ''}`,
    )
  }
  if (figures.some(({ value, most }) => value > most)) process.exitCode = 1
}

const load = () =>
  loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')

/** An event of an upstream's stream. */
export const eventOf = (fields: object) => `data: ${JSON.stringify({ ...chunk, ...fields })}\n\n`

const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1, model: 'bench-model' }

/** As in playwright.config.ts. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const declaration = (upstream: string) => `
channels:
  - { name: bench, vendor: openai-compatible, baseUrl: "${upstream}/v1", keys: [upstream], models: [bench-model], priority: 10 }
prices:
  bench-model: { input: 0, output: 0 }
`
