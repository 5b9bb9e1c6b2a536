/** The accessibility reader: what it finds wrong on a page as it stands. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright/test'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * One line for each rule that is violated: its name and its elements; none on a clean page. Waits for transitions first, since colours
 * are read in the middle of one. Rules `without` are not asked. Frames are not looked into, so a page with frames is refused.
 */
export async function violationsOn(page: Page, without: readonly string[] = []): Promise<string[]> {
  if (page.frames().length > 1) throw new Error('a page with frames needs a reader for each')
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(source)
  // Most of the reader's time goes into describing what is well.
  const options: RunOptions = { resultTypes: ['violations'], rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) }
  return page.evaluate(async (chosen) => {
    const moving = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
    await Promise.allSettled(moving.map(({ finished }) => finished))
    const { axe } = window as unknown as typeof import('axe-core') & { axe: typeof import('axe-core') }
    const { violations } = await axe.run(document, chosen)
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }, options)
}
