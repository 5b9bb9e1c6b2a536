/**
 * Pages do not leak: nodes, listeners, objects and functions are counted after leaving a page, except those created only once. Bytes are
 * not compared: the browser compiles frequently used code, and counts it as memory of the page.
 */
import type { Page } from 'playwright/test'
import { heapByKind } from '#testing/heap-snapshot'
import { expect, test } from './support/browser-test.ts'
import { messageBox, signIn } from './support/playground.ts'

const visits = 6
/** Longer than the playground waits before it is closed. */
const leftMs = 60_000

interface Alive {
  nodes: number
  listeners: number
  /** Objects and functions of scripts. */
  objects: number
}

/** Live objects after a garbage collection. */
async function alive(page: Page): Promise<Alive> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  for (let turn = 0; turn < 4; turn += 1) await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const kinds = await heapByKind(session)
  const objects = ['object', 'closure'].reduce((sum, kind) => sum + (kinds.get(kind)?.count ?? Number.NaN), 0)
  await session.detach()
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN
  return { nodes: of('Nodes'), listeners: of('JSEventListeners'), objects }
}

/** From page to page as by a link. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  await (path === '/' ? messageBox(page) : page.locator('.console h1')).waitFor()
  await expect(page.locator('.skeleton')).toHaveCount(0)
}

test('pages that are opened again and again leave nothing behind', async ({ page }) => {
  test.setTimeout(120_000)
  await page.clock.install()
  await signIn(page)
  for (const path of ['/', '/requests', '/admin/channels']) {
    const round = async () => {
      await go(page, path)
      await go(page, '/account')
    }
    const count = async () => {
      await page.clock.runFor(leftMs)
      return alive(page)
    }
    for (let visit = 0; visit < 3; visit += 1) await round()
    let after = await count()
    // A page has hundreds of nodes: one that stays of each visit would show, however often it is looked. What was left last may be closed a
    // moment later, and a browser that is busy may keep one page for long.
    const more = async () => {
      const before = after
      for (let visit = 0; visit < visits; visit += 1) await round()
      after = await count()
      const each = (of: keyof Alive) => Math.round((after[of] - before[of]) / visits)
      const isNothing = each('nodes') < 16 && each('listeners') < 2 && each('objects') < 400
      return isNothing ? 'nothing' : `${each('nodes')} nodes, ${each('listeners')} listeners, ${each('objects')} objects`
    }
    await expect.poll(more, { message: path }).toBe('nothing')
  }
})
