/** Clicks and keys during pending work are not lost: in forms that wait for an answer, in fields whose error appears, at the start. */
import type { Page } from 'playwright/test'
import { admin, expect, test } from './support/browser-test.ts'
import { messageBox, sendMessage, signIn, waitForFrames, waitForReply } from './support/playground.ts'

/** Holds back the next answer from `path` until the returned function is called. */
async function hold(page: Page, path: string): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route(
    path,
    async (route) => {
      const answer = await route.fetch()
      await held.promise
      // The caller no longer waits for it.
      await route.fulfill({ response: answer }).catch(() => undefined)
    },
    { times: 1 },
  )
  return held.resolve
}

test('a sign-in that is corrected while the first is under way is the one that counts', async ({ page, tolerate }) => {
  tolerate(/status of 401/)
  await page.goto('/')
  await page.getByLabel('Username').fill(admin.name)
  await page.getByLabel('Password').fill('not the password')
  const release = await hold(page, '/api/session')
  await page.keyboard.press('Enter')
  const submit = page.getByRole('button', { name: 'Sign in' })
  await expect(submit).toHaveAttribute('aria-busy', 'true')
  await page.getByLabel('Password').fill(admin.password)
  await page.keyboard.press('Enter')
  release()
  await messageBox(page).waitFor()
})

test('a key that is asked about while another one is gets the answer', async ({ page, program, tolerate }) => {
  tolerate(/status of 401/)
  await page.goto('/key')
  const release = await hold(page, '/v1/key')
  const field = page.getByLabel('API key')
  await field.fill('sk-nothing-of-the-kind')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Show' })).toHaveAttribute('aria-busy', 'true')
  await field.fill(program.printed('PARLEY_KEY'))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'first' })).toBeVisible()
  // The answer about the other one comes late, and changes nothing.
  release()
  await expect(page.getByRole('button', { name: 'Show' })).not.toHaveAttribute('aria-busy')
  await expect(field).toHaveAccessibleDescription('Begins with sk-.')
})

test('a field whose error comes and goes keeps its place, its marks and the next key', async ({ page, tolerate }) => {
  tolerate(/status of 401/)
  await page.goto('/docs?page=conversations')
  const chat = page.getByRole('region', { name: /POST \/v1\/chat\/completions$/ }).first()
  await chat.getByRole('button', { name: 'Try it' }).click()
  const body = chat.getByRole('form').getByLabel('Request body')
  const before = await body.inputValue()
  await body.evaluate((area: HTMLTextAreaElement) => {
    area.focus()
    area.setSelectionRange(1, 1)
  })
  await page.keyboard.press('x')
  await expect(body).toHaveAttribute('aria-invalid', 'true')
  await page.keyboard.press('y')
  await expect(body).toHaveValue(`${before[0]}xy${before.slice(1)}`)
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await expect(body).toHaveValue(before)

  // Enter in the field that is wrong, at once after its error has come.
  await page.goto('/key')
  const field = page.getByLabel('API key')
  await field.fill('sk-nothing-of-the-kind')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAccessibleDescription(/not valid/)
  await expect(field).toBeFocused()
  expect(await field.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe('sk-nothing-of-the-kind'.length)
})

test('the message box takes the focus at the start from nobody who has pressed something', async ({ page }) => {
  await signIn(page)
  // A machine that draws late.
  await page.addInitScript(() => {
    const draw = window.requestAnimationFrame.bind(window)
    const due: FrameRequestCallback[] = []
    window.requestAnimationFrame = (frame) => due.push(frame)
    Object.assign(window, {
      drawNow() {
        window.requestAnimationFrame = draw
        for (const frame of due) draw(frame)
      },
    })
  })
  await page.reload()
  await page.getByRole('switch', { name: 'Send Temperature' }).click()
  const slider = page.getByRole('slider', { name: 'Temperature', exact: true })
  await slider.focus()
  await page.evaluate(() => (window as unknown as { drawNow(): void }).drawNow())
  await waitForFrames(page)
  await expect(slider).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('textbox', { name: 'Temperature', exact: true })).toHaveValue('0.99')
})

test('a menu that is opened while a conversation is being deleted stays open', async ({ page }) => {
  await signIn(page)
  await sendMessage(page, 'Soon gone')
  await waitForReply(page)
  await page.getByRole('button', { name: 'Actions for Soon gone' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
  // Another transaction on the same rows: the deletion has to wait for it.
  await page.evaluate(async () => {
    const [{ name = '' } = {}] = await indexedDB.databases()
    const opening = indexedDB.open(name)
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const rows = opening.result.transaction('messages', 'readwrite').objectStore('messages')
    const hold = () => {
      if (!('released' in window)) rows.count().onsuccess = hold
    }
    hold()
  })
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: /Account$/ }).click()
  await page.getByRole('menuitem', { name: 'Import conversations' }).waitFor()
  await page.evaluate(() => Object.assign(window, { released: true }))
  await expect(page.getByRole('status').getByText('Soon gone')).toBeVisible()
  await waitForFrames(page)
  await page.getByRole('menuitem', { name: 'Import conversations' }).click({ timeout: 5_000 })
  await expect(page.getByRole('dialog')).toBeVisible()
})
