/**
 * WCAG 2.2 on the pages as they are used: at 200 and 400 % (a window of 1280 is 640 and 320 wide then), with wider text (1.4.12), by keyboard
 * (the focus is never behind something, 2.4.11), with names that say what is seen (2.5.3) and fields that browsers may fill (1.3.5, 3.3.8).
 */
import type { Page } from 'playwright/test'
import { expect, test } from './support/browser-test.ts'
import { layoutFaults, openConsole } from './support/console.ts'
import { sendMessage, signIn, waitForReply } from './support/playground.ts'

const pages = [
  '/overview',
  '/requests',
  '/usage',
  '/keys',
  '/models',
  '/account',
  '/docs?page=errors',
  '/admin/channels',
  '/admin/settings',
]

/** The text spacing that a reader may set. */
const widen = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }',
    )
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
  })

test('at 200 and 400 per cent nothing is cut and nothing scrolls sideways', async ({ page }) => {
  test.setTimeout(120_000)
  await openConsole(page, '/overview')
  const faults: string[] = []
  for (const path of ['/', ...pages]) {
    await page.goto(path)
    await page.locator('h1, h2').first().waitFor()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    faults.push(...(await layoutFaults(page, [640, 320])).map((fault) => `${path} at ${fault}`))
  }
  expect(faults).toEqual([])
})

test('wider text stays whole', async ({ page }) => {
  test.setTimeout(120_000)
  await openConsole(page, '/overview')
  const faults: string[] = []
  for (const path of ['/', ...pages]) {
    await page.goto(path)
    await page.locator('h1, h2').first().waitFor()
    await expect(page.locator('.skeleton')).toHaveCount(0)
    await widen(page)
    // That a label takes a second line is what room is for.
    const found = (await layoutFaults(page, [1280])).filter((fault) => /: (cut|beyond the edge|the page is)/.test(fault))
    faults.push(...found.map((fault) => `${path} at ${fault}`))
  }
  expect(faults).toEqual([])
})

test('whatever has the focus is in sight, and its name begins with the words on it', async ({ page }) => {
  test.setTimeout(120_000)
  await signIn(page)
  await sendMessage(page, 'Show a table and some code.')
  await waitForReply(page)
  const seen = new Set<string>()
  const faults: string[] = []
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const one = document.activeElement
      if (!(one instanceof HTMLElement) || one === document.body) return undefined
      const { left, top, right, bottom } = one.getBoundingClientRect()
      const [x, y] = [Math.max(0, Math.min((left + right) / 2, innerWidth - 1)), Math.max(0, Math.min((top + bottom) / 2, innerHeight - 1))]
      const above = document.elementFromPoint(x, y)
      const shown = one.cloneNode(true) as HTMLElement
      for (const unseen of shown.querySelectorAll('.hidden-text, kbd, [hidden], [id]')) unseen.remove()
      const plain = (text: string) =>
        text
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, ' ')
          .trim()
      const words = one.matches('button, a') ? plain(shown.textContent ?? '') : ''
      const name = one.getAttribute('aria-label') ?? ''
      return {
        what: `${one.tagName} ${name || words || one.className}`,
        isHidden: above === null || !(one.contains(above) || above.contains(one)),
        isMisnamed: name !== '' && !plain(name).includes(words),
      }
    })
    if (found === undefined) break
    if (seen.size > 5 && seen.has(found.what) && presses > 60) break
    seen.add(found.what)
    if (found.isHidden) faults.push(`hidden: ${found.what}`)
    if (found.isMisnamed) faults.push(`misnamed: ${found.what}`)
  }
  expect(faults).toEqual([])
  expect(seen.size).toBeGreaterThan(20)
})

test('browsers may fill in who signs in, and a password can be pasted', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/')
  await expect(page.getByLabel('Username')).toHaveAttribute('autocomplete', /username/)
  const password = page.getByLabel('Password')
  await expect(password).toHaveAttribute('autocomplete', 'current-password')
  await page.evaluate(() => navigator.clipboard.writeText('pasted secret'))
  await password.focus()
  await page.keyboard.press('ControlOrMeta+v')
  await expect(password).toHaveValue('pasted secret')
})

test('the title says which conversation, and the language of the page is the reader’s', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Titles matter')
  await waitForReply(page)
  await expect(page).toHaveTitle('Titles matter · Parley')
  await expect(page.locator('html')).toHaveAttribute('lang', /^en/)
})
