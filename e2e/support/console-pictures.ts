/**
 * Takes pictures of the console's pages, by hand: `bun e2e/support/console-pictures.ts FOLDER [WORD]` after `npm run build`. Each page in
 * both themes at 1440 and 360 pixels; only those whose name has WORD in it.
 */
import { mkdirSync } from 'node:fs'
import { chromium, type Page } from 'playwright'
import { busyInstallation } from './console-seed.ts'
import { signIn } from './playground.ts'

const [folder = 'test-results/console', word = ''] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const busy = await busyInstallation()

/** Every page: a name, its address, and what to do before the picture. */
const pages: readonly (readonly [name: string, path: string, act?: (page: Page) => Promise<unknown>])[] = [
  ['overview', '/overview'],
  ['requests', '/requests'],
  ['request-drawer', `/requests?open=${busy.retried}`],
  ['request-page', `/requests/${busy.retried}`],
  ['usage', '/usage'],
  ['usage-day', '/usage?by=key&days=7'],
  ['keys', '/keys'],
  ['keys-create', '/keys?create=ci', (page) => page.getByRole('dialog').waitFor()],
  ['key', `/keys/${busy.key}`],
  ['key-use', `/keys/${busy.key}?tab=use`],
  ['channels', '/admin/channels'],
  ['channel-gallery', '/admin/channels/new'],
  ['channel-add', '/admin/channels/new?vendor=openai'],
  ['channel-health', `/admin/channels/${busy.channel}`],
  ['channel-models', `/admin/channels/${busy.channel}?tab=models`],
  ['channel-settings', `/admin/channels/${busy.channel}?tab=settings`],
  ['simulate', '/admin/channels/simulate?model=gpt-5'],
  ['users', '/admin/users'],
  ['user', `/admin/users/${busy.user}`],
  ['prices', '/admin/prices'],
  ['price', '/admin/prices?open=gpt-5'],
  ['groups', '/admin/groups'],
  ['audit', '/admin/audit'],
  ['settings', '/admin/settings'],
  ['models', '/models'],
  ['account', '/account'],
  ['not-found', '/no/such/page'],
  ['palette', '/keys', (page) => page.keyboard.press('Control+k')],
]

const browser = await chromium.launch({ executablePath: process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  for (const [width, height] of [
    [1440, 900],
    [360, 640],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const touch = width < 760
      const context = await browser.newContext({
        baseURL: busy.program.url,
        viewport: { width, height },
        colorScheme,
        locale: process.env.LANGUAGE_TAG ?? 'en-US',
        timezoneId: 'Europe/Lisbon',
        hasTouch: touch,
        isMobile: touch,
      })
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && process.stdout.write(`console: ${message.text()}\n`))
      page.on('pageerror', (error) => process.stdout.write(`uncaught: ${error.message}\n`))
      await signIn(page)
      for (const [name, path, act] of pages.filter(([one]) => one.includes(word))) {
        await page.goto(path)
        await page.locator('.console h1').waitFor()
        await page.waitForLoadState('networkidle')
        await act?.(page)
        await page.waitForTimeout(400)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        if (wide > width) process.stdout.write(`${name} at ${width}: ${wide} pixels wide\n`)
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, animations: 'disabled' })
      }
      await context.close()
    }
  }
} finally {
  await browser.close()
  await busy.close()
}
