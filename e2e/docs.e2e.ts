/** The reference page in a browser: clean under axe in both themes, readable at 320 pixels, usable with the keyboard alone. */
import { expect, test, violationsOn } from './support/browser-test.ts'

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page is clean, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(120_000)
    await page.emulateMedia({ colorScheme })
    await page.goto('/docs.html')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Parley API reference')
    expect(await violationsOn(page)).toEqual([])
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(background).toBe(colorScheme === 'light' ? 'rgb(246, 246, 242)' : 'rgb(13, 16, 15)')
  })
}

test('at 320 pixels only tables and samples scroll sideways', async ({ page }) => {
  test.setTimeout(120_000)
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto('/docs.html')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  expect(await violationsOn(page)).toEqual([])
})

test('by keyboard: to the content, to a section, into a table', async ({ page }) => {
  await page.goto('/docs.html')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#content$/)
  await page.getByRole('navigation').getByRole('link', { name: 'Errors' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Errors' })).toBeInViewport()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('group', { name: 'Error codes' })).toBeFocused()
})

test('every entry of the contents leads to a heading, and the document is a link away', async ({ page }) => {
  await page.goto('/docs.html')
  const broken = await page.evaluate(() =>
    [...document.querySelectorAll('nav a')]
      .filter((link) => !document.querySelector(`:is(h2, h3)${link.getAttribute('href')}`))
      .map((link) => link.textContent),
  )
  expect(broken).toEqual([])
  await expect(page.getByRole('link', { name: 'openapi.json' })).toHaveAttribute('href', '/openapi.json')
})
