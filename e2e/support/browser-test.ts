/**
 * The base of every browser test: Parley started from outside, once per worker, and a page that is watched. A test fails if its page logs
 * an error, violates the content security policy, throws, or sends a request to any other host; `tolerate` allows what a test provokes on
 * purpose.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import { test as base, type Page } from 'playwright/test'
import { administrator, administratorPassword, type Program, type ProgramOptions, startProgram } from '#testing/program/program'
import { channelNames } from './console-api.ts'

interface Watched {
  /** Allows console errors that match; the browser itself logs every refused request. */
  tolerate: (pattern: RegExp) => void
}

interface Shared {
  /** How this worker's program is started; set with `test.use`. */
  programOptions: ProgramOptions
  program: Program
}

export const test = base.extend<Watched, Shared>({
  programOptions: [{ env: administrator }, { option: true, scope: 'worker' }],
  program: [
    async ({ programOptions }, use) => {
      const program = await startProgram(programOptions)
      const found = await channelNames(program)
      await use(program)
      // Which files share a program differs from run to run; what one leaves behind, the next would meet.
      const left = (await channelNames(program)).filter((name) => !found.includes(name))
      await program.stop()
      if (left.length > 0) throw new Error(`tests of this program left channels behind: ${left.join(', ')}`)
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  baseURL: async ({ program }, use) => use(program.url),
  page: async ({ page }, use) => {
    await slowDown(page)
    await use(page)
  },
  tolerate: [
    async ({ page, baseURL }, use) => {
      const tolerated: RegExp[] = []
      const complaints = watch(page, baseURL ?? '')
      await use((pattern) => tolerated.push(pattern))
      const left = complaints.filter((text) => !tolerated.some((pattern) => pattern.test(text)))
      if (left.length > 0) throw new Error(`the page complained:\n${left.join('\n')}`)
    },
    { auto: true },
  ],
})

/**
 * For files whose models are scripted upstreams: their program has no demo model, and one worker runs them all on it. Each adds its
 * channel and removes it at its end.
 */
export const testWithoutDemo = test.extend({ programOptions: { env: { ...administrator, PARLEY_DEMO: 'off' } } })

export { expect } from 'playwright/test'

/** The administrator of programs started with default options. */
export const admin = { name: administrator.PARLEY_ADMIN_USER, password: administratorPassword }

/** The factor by which pages are slowed down, from PARLEY_SLOW; default 1. */
const slowness = Number(process.env.PARLEY_SLOW ?? 1)

/** Slows a page down as PARLEY_SLOW says; for pages that a test opens itself. */
export async function slowDown(page: Page): Promise<void> {
  if (slowness === 1) return
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
}

/** Collects everything that goes wrong on the page from now on, one line each. Violations of the policy are console errors. */
function watch(page: Page, home: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^(https?|wss?):$/.test(protocol) && origin.replace(/^ws/, 'http') !== home) complaints.push(`foreign request: ${origin}`)
  })
  return complaints
}

/** Waits until a page that was opened just now shows what it is. */
export const rendered = (page: Page): Promise<void> => page.locator('h1').first().waitFor({ state: 'attached' })

/** The accessibility reader. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * One line for each rule that is violated: its name and its elements; none on a clean page. Waits for transitions first, since colours
 * are read in the middle of one. Rules `without` are not asked. Frames are not looked into, so a page with frames is refused.
 */
export async function violationsOn(page: Page, without: readonly string[] = []): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('a page with frames needs a reader for each')
  await rendered(page)
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(axeSource)
  // Most of axe's time goes into describing passed checks.
  const options: RunOptions = { resultTypes: ['violations'], rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) }
  return page.evaluate(async (chosen) => {
    const moving = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
    await Promise.allSettled(moving.map(({ finished }) => finished))
    const { axe } = window as unknown as typeof import('axe-core') & { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, chosen)
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, options)
}
