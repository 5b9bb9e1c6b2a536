/** Rule 6: search, file, photo, screenshot and camera are present, can be found and read, and do nothing whatever is tried. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, slowDown, test } from './support/browser-test.ts'
import { messageBox, signIn, waitUntilStored } from './support/playground.ts'

const controls = ['Search', 'Attach file', 'Attach photo', 'Screenshot', 'Take photo']
const built = fileURLToPath(new URL('../dist/client', import.meta.url))

test('they say that they are off, to everyone', async ({ page }) => {
  await signIn(page)
  for (const name of controls) {
    const control = page.getByRole('toolbar').getByRole('button', { name, exact: true })
    await expect(control).toBeVisible()
    await expect(control).toHaveAttribute('aria-disabled', 'true')
    await expect(control).not.toHaveAttribute('disabled')
    await expect(control).toHaveAccessibleDescription('Not available in the playground')
  }
})

test('they are one tab stop with arrows inside, and tell why on focus', async ({ page }) => {
  await signIn(page)
  await messageBox(page).focus()
  await page.keyboard.press('Tab')
  for (const name of controls) {
    await expect(page.getByRole('toolbar').getByRole('button', { name, exact: true })).toBeFocused()
    await expect(page.locator('.tip')).toHaveText(`${name}: not available in the playground`)
    await page.keyboard.press('ArrowRight')
  }
  await page.keyboard.press('Escape')
  await expect(page.locator('.tip')).toHaveCount(0)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: /^Group, / })).toBeFocused()
})

test('mouse, keys, touch, double click and scripts change nothing', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ hasTouch: true, ...(baseURL === undefined ? {} : { baseURL }) })
  const page = await context.newPage()
  await slowDown(page)
  await signIn(page)
  await messageBox(page).fill('kept')
  await waitUntilStored(page, 'kept')
  await page.waitForLoadState('networkidle')
  const happened: string[] = []
  page.on('filechooser', () => happened.push('file chooser'))
  page.on('dialog', () => happened.push('dialog'))
  // The page fetches code ahead by itself, whenever the browser is idle.
  page.on('request', (request) => request.url().includes('/assets/') || happened.push(request.url()))
  page.on('popup', () => happened.push('popup'))
  const shape = () =>
    page.evaluate(() => [document.querySelectorAll('body *').length - document.querySelectorAll('.tip').length, location.href])
  const before = await shape()
  for (const name of controls) {
    const control = page.getByRole('toolbar').getByRole('button', { name, exact: true })
    // Playwright itself waits for a control to be enabled; a person does not.
    await control.click({ force: true })
    await control.dblclick({ force: true })
    await control.tap({ force: true })
    await control.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Space')
    await control.evaluate((element) => (element as HTMLElement).click())
  }
  await page.keyboard.press('Escape')
  expect(happened).toEqual([])
  expect(await shape()).toEqual(before)
  await expect(messageBox(page)).toHaveValue('kept')
  await context.close()
})

test('dropped and pasted files go nowhere', async ({ page }) => {
  await signIn(page)
  const address = page.url()
  for (const type of ['dragover', 'drop', 'paste'] as const) {
    const prevented = await messageBox(page).evaluate((element, kind) => {
      const data = new DataTransfer()
      data.items.add(new File(['x'], 'x.png', { type: 'image/png' }))
      const event =
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
      return !element.dispatchEvent(event)
    }, type)
    expect([type, prevented]).toEqual([type, true])
  }
  expect(page.url()).toBe(address)
  await expect(page.getByRole('status').first()).toHaveText('Not available in the playground')
})

test('nothing that was built could open a file, a camera or a screen, and the page may not', async ({ request }) => {
  const scripts = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.js'))
  for (const name of scripts) {
    const source = readFileSync(join(built, 'assets', name), 'utf8')
    expect([
      name,
      /type[=:]\s*["'`]?file\b|getUserMedia|getDisplayMedia|ImageCapture|showOpenFilePicker|capture=/.exec(source)?.[0],
    ]).toEqual([name, undefined])
  }
  const page = await request.get('/', { headers: { accept: 'text/html' } })
  const policy = page.headers()['permissions-policy'] ?? ''
  for (const feature of ['camera', 'microphone', 'display-capture']) expect(policy).toContain(`${feature}=()`)
})

test('the server refuses what they would send', async ({ page, tolerate }) => {
  tolerate(/status of 400/)
  await signIn(page)
  const ask = (body: unknown) =>
    page.evaluate(async (sent) => {
      const answer = await fetch('/pg/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      })
      return [answer.status, (await answer.json()).error.code]
    }, body)
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
  expect(await ask({ model: 'parley-demo', messages: [{ role: 'user', content: [picture] }] })).toEqual([400, 'unsupported_in_playground'])
  expect(await ask({ model: 'parley-demo', messages: [{ role: 'user', content: 'x' }], web_search_options: {} })).toEqual([
    400,
    'unsupported_in_playground',
  ])
})
