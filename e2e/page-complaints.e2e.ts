/** The checks of every browser test work: each of these pages causes an error, so each of these tests must fail. */
import { expect, test, violationsOn } from './support/browser-test.ts'
import { layoutFaults } from './support/console.ts'

test.describe('a page that complains fails its test', () => {
  test.fail()
  test.beforeEach(async ({ page }) => {
    await page.goto('/healthz')
  })

  test('an error on the console', async ({ page }) => {
    await page.evaluate(() => console.error('planted'))
  })

  test('an exception that nobody catches', async ({ page }) => {
    const thrown = page.waitForEvent('pageerror')
    await page.evaluate(() => setTimeout(() => Promise.reject(new Error('planted')), 0))
    await thrown
  })

  test('a request to another host', async ({ page }) => {
    await page.evaluate(() => fetch('http://127.0.0.1:9/').catch(() => {}))
  })
})

test('what a test provokes on purpose can be tolerated', async ({ page, tolerate }) => {
  tolerate(/^console: planted \(/)
  await page.goto('/healthz')
  await page.evaluate(() => console.error('planted'))
  expect(await page.textContent('body')).not.toBe('')
})

test('words that are cut or squeezed, lines that are too many, text beyond the edge and buttons that touch are seen', async ({ page }) => {
  await page.goto('/')
  await page.getByLabel('Username').waitFor()
  expect(await layoutFaults(page, [360, 1280])).toEqual([])
  await page.evaluate(() => {
    const text = 'words that need a place of their own'
    const row = (...children: Node[]) => {
      const planted = document.createElement('div')
      planted.style.cssText = 'position: absolute; top: 0; display: flex; width: 340px'
      planted.append(...children)
      document.body.append(planted)
    }
    const make = (tag: string, className: string, textContent: string, cssText = '') => {
      const made = Object.assign(document.createElement(tag), { className, textContent })
      made.style.cssText = cssText
      return made
    }
    row(make('p', 'narrow', `${text} ${text}`, 'flex: 1'), make('button', 'btn', 'Go', 'min-width: 240px'))
    row(make('button', 'btn', 'One'), make('button', 'btn', 'Two'))
    const styles = {
      cut: 'width: 90px; overflow: hidden; white-space: nowrap',
      'btn lines': 'width: 90px; white-space: normal',
      wide: 'left: 1200px; white-space: nowrap',
    }
    for (const [name, style] of Object.entries(styles)) {
      const planted = document.createElement('p')
      Object.assign(planted, { className: name, textContent: text })
      planted.style.cssText = `position: absolute; ${style}`
      document.body.append(planted)
    }
  })
  const faults = await layoutFaults(page, [1280])
  for (const kind of [
    /: cut: .*class="cut"/,
    /: two lines: .*class="btn lines"/,
    /: beyond the edge: .*class="wide"/,
    /: squeezed: .*class="narrow"/,
    /: touching: .*One and .*Two/,
  ])
    expect(faults).toContainEqual(expect.stringMatching(kind))
})

test('the accessibility reader sees what is planted, and colours as they are after a transition', async ({ page }) => {
  await page.goto('/')
  await page.getByLabel('Username').waitFor()
  expect(await violationsOn(page)).toEqual([])
  await page.evaluate(() => {
    const planted = document.createElement('p')
    planted.textContent = 'pale'
    planted.style.cssText = 'transition: color 300ms steps(1); background: white; color: black'
    document.querySelector('main')?.append(planted)
    planted.getBoundingClientRect()
    planted.style.color = '#eee'
  })
  const [contrast, ...others] = await violationsOn(page)
  expect(contrast).toMatch(/^color-contrast: .*pale/)
  expect(others).toEqual([])
  expect(await violationsOn(page, ['color-contrast'])).toEqual([])
})
