/** What the tests of the console's pages share. */
import { readFileSync } from 'node:fs'
import { type Download, expect, type Page } from 'playwright/test'
import { admin, violationsOn } from './browser-test.ts'

/** Signs in and opens a page of the console. */
export async function openConsole(page: Page, path: string, who: { name: string; password: string } = admin): Promise<void> {
  await page.goto(path)
  await page.getByLabel('Username').fill(who.name)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.console h1').waitFor()
}

/** The accessibility reader finds nothing, in both themes, and nothing scrolls sideways at 320 pixels. */
export async function expectClean(page: Page, state: string): Promise<void> {
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
