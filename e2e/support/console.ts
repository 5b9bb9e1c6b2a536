/** What the tests of the console's pages share. */
import { readFileSync } from 'node:fs'
import { type Download, expect, type Page } from 'playwright/test'
import { admin, rendered, violationsOn } from './browser-test.ts'

/** Signs in and opens a page of the console. */
export async function openConsole(page: Page, path: string, who: { name: string; password: string } = admin): Promise<void> {
  await page.goto(path)
  await page.getByLabel('Username').fill(who.name)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.console h1').waitFor()
}

/**
 * The accessibility reader finds nothing, in both themes, and nothing scrolls sideways at 320 pixels. A page that was just opened, and
 * what is shown pale until its next answer is there, are waited for.
 */
export async function expectClean(page: Page, state: string): Promise<void> {
  await rendered(page)
  await expect(page.locator(':is(.table-frame, .stack)[aria-busy=true]')).toHaveCount(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect([state, colorScheme, await violationsOn(page)]).toEqual([state, colorScheme, []])
  }
  const size = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  expect([state, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([state, 320])
  if (size) await page.setViewportSize(size)
}

/** The text of a file that the page let the browser save. */
export const savedText = async (download: Promise<Download>): Promise<string> => readFileSync(await (await download).path(), 'utf8')

/** The widths that pages are made for: phones, tablets, and windows of desktops. */
export const widths = [360, 390, 768, 1024, 1280, 1440, 1920] as const

/**
 * One line for each fault of the page at each width; none on a page that is well. What is cut off on purpose says so by an ellipsis
 * and has its whole text in a title; what scrolls sideways may be as wide as it likes.
 */
export async function layoutFaults(page: Page, at: readonly number[] = widths): Promise<string[]> {
  const size = page.viewportSize()
  const found: string[] = []
  for (const width of at) {
    await page.setViewportSize({ width, height: 900 })
    found.push(...(await page.evaluate(faultsHere)).map((fault) => `${width}: ${fault}`))
  }
  if (size) await page.setViewportSize(size)
  return found
}

/**
 * Gives Chinese characters the width that they have everywhere, from the next navigation on: machines of tests lack their fonts, and show
 * narrow boxes. The font has one glyph, a box of a full em.
 */
export async function withChineseWidths(page: Page): Promise<void> {
  await page.addInitScript((font) => {
    // A name that the pages' own list of fonts has.
    const face = new FontFace(
      'PingFang SC',
      Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0)),
    )
    document.fonts.add(face)
    void face.load()
  }, fullWidthFont)
}

/** A TrueType font, in Base64. */
const fullWidthFont = [
  'AAEAAAAKAIAAAwAgT1MvMnTgTYQAAAEoAAAAYGNtYXAAH4FSAAABkAAAAGhnbHlm7iR/uAAAAgAAAAAoaGVhZDFUk8IAAACsAAAANmhoZWEHWgOuAAAA5AAA',
  'ACRobXR4BCQAAAAAAYgAAAAGbG9jYQAUAAAAAAH4AAAABm1heHAABQAKAAABCAAAACBuYW1lRz1wbgAAAigAAABXcG9zdAADAAAAAAKAAAAAIAABAAAAAQAA',
  '1vfu2l8PPPUAAwPoAAAAAOcqp/UAAAAA5yqn9QA8/8QDrAM0AAAAAwACAAAAAAAAAAEAAANw/4gAAAPoADwAPAOsAAEAAAAAAAAAAAAAAAAAAAABAAEAAAAC',
  'AAgAAgAAAAAAAgAAAAAAAAAAAAAAAAAAAAAAAwPoAZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAAAAAAPz8/PwAA',
  'MAD/YANw/4gAAANwAHgAAAAAAAAAAAAAAAAAAAAgAAAD6AAAADwAAAAAAAIAAwABAAAAFAADAAoAAAA0AAQAIAAAAAQABAABAABOAP//AABOAP//sgEAAQAA',
  'AAAADQAAAAAANAAAAAAAAAADAAAwAAAAMD8AAAABAAA0AAAAn/8AAAABAAD/AAAA/2AAAAABAAAAAAAUAAAAAgA8/8QDrAM0AAMABwAAFxEhEScRIRE8A3BG',
  '/Rw8A3D8kEYC5P0cAAAABAA2AAEAAAAAAAEABAAAAAEAAAAAAAIABwAEAAMAAQQJAAEACAALAAMAAQQJAAIADgATV2lkZVJlZ3VsYXIAVwBpAGQAZQBSAGUA',
  'ZwB1AGwAYQByAAADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
].join('')

/** Runs in the page. */
function faultsHere(): string[] {
  const found = new Set<string>()
  const width = document.documentElement.clientWidth
  if (document.documentElement.scrollWidth > width) found.add(`the page is ${document.documentElement.scrollWidth} wide`)
  const oneLine = '.btn, .chip, .bdg, .seg > *, .link-tabs a, thead th, .nav, .st'
  const nameOf = (element: Element) =>
    `<${element.tagName.toLowerCase()} class="${element.className}"> ${element.textContent?.trim().slice(0, 60)}`
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!element || !node.nodeValue?.trim() || element.closest('.hidden-text, .sr-only, script, style, option, svg')) continue
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    range.selectNodeContents(node)
    const lines = [...range.getClientRects()].filter((one) => one.width > 0)
    const box = range.getBoundingClientRect()
    if (lines.length === 0) continue
    const single = element.closest<HTMLElement>(oneLine)
    if (single && new Set(lines.map((one) => Math.round(one.top))).size > 1) found.add(`two lines: ${nameOf(single)}`)
    let right = box.right
    let isScrolled = false
    for (let one: Element | null = element; one && one !== document.body && !isScrolled; one = one.parentElement) {
      const style = getComputedStyle(one)
      if (style.overflowX === 'visible') continue
      const frame = one.getBoundingClientRect()
      // A region that scrolls, or a head that is there for screen readers only.
      isScrolled = style.overflowX === 'auto' || style.overflowX === 'scroll' || frame.width <= 1
      const isTold = style.textOverflow === 'ellipsis' && one.closest('[title], [aria-label]') !== null
      if (!isScrolled && !isTold && (right > frame.right + 1 || box.left < frame.left - 1)) found.add(`cut: ${nameOf(one)}`)
      right = Math.min(right, frame.right)
    }
    if (right > width + 1) found.add(`beyond the edge: ${nameOf(element)}`)
    // Text beside a button, squeezed to a word or two a line.
    const beside = element.parentElement?.querySelector(':scope > .btn')?.getBoundingClientRect()
    const isBeside = beside !== undefined && beside.top < box.bottom && beside.bottom > box.top && beside.width > 0
    if (isBeside && lines.length > 4) found.add(`squeezed: ${nameOf(element)}`)
  }
  // Bordered controls in one row have space between them; parts of one control are recognized by their frame.
  for (const control of document.querySelectorAll('.btn:not(.ghost), .switch, .chip')) {
    const next = control.nextElementSibling
    if (!next?.matches('.btn:not(.ghost), .switch, .chip')) continue
    const [one, other] = [control.getBoundingClientRect(), next.getBoundingClientRect()]
    const isOneRow = one.width > 0 && other.width > 0 && one.top < other.bottom && other.top < one.bottom
    if (isOneRow && other.left - one.right < 4) found.add(`touching: ${nameOf(control)} and ${nameOf(next)}`)
  }
  // In cards of tables a label has one value, which ends at the right edge.
  for (const cell of document.querySelectorAll('.table td[data-label]')) {
    if (getComputedStyle(cell).display === 'flex' && cell.childElementCount > 1) found.add(`crooked: ${nameOf(cell)}`)
  }
  return [...found]
}
