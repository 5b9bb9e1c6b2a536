/** The parameter panel in a real browser: every combination of switches sends exactly the parameters that are on. */
import { expect, test } from './support/browser-test.ts'
import { nextBody, reloadStored, sendMessage, signIn, waitForReply } from './support/playground.ts'

const parameters = [
  ['Temperature', 'temperature', 1],
  ['Top P', 'top_p', 1],
  ['Frequency penalty', 'frequency_penalty', 0],
  ['Presence penalty', 'presence_penalty', 0],
  ['Max tokens', 'max_tokens', 4096],
] as const

test('all 32 combinations', async ({ page }) => {
  test.setTimeout(240_000)
  await signIn(page)
  let on = 0
  for (let step = 0; step < 32; step += 1) {
    // Gray code: one switch changes per step.
    const wanted = step ^ (step >> 1)
    const changed = Math.log2(wanted ^ on)
    if (wanted !== on) await page.getByRole('switch', { name: `Send ${parameters[changed]?.[0]}` }).click()
    on = wanted
    const body = await nextBody(page, () => sendMessage(page, '/long 1'))
    const expected = Object.fromEntries(parameters.flatMap(([, field, value], index) => (on & (1 << index) ? [[field, value]] : [])))
    const sent = Object.fromEntries(parameters.flatMap(([, field]) => (field in body ? [[field, body[field]]] : [])))
    expect([step, sent]).toEqual([step, expected])
    await waitForReply(page)
    await page.getByRole('button', { name: 'New chat' }).first().click()
  }
})

test('what is typed out of range is corrected with a sentence, and the slider does the same job', async ({ page }) => {
  await signIn(page)
  await page.getByRole('switch', { name: 'Send Temperature' }).click()
  const box = page.getByRole('textbox', { name: 'Temperature', exact: true })
  await box.fill('7')
  await box.press('Enter')
  await expect(box).toHaveValue('2')
  await expect(page.getByText('The range is 0 to 2. Set to 2.')).toBeVisible()
  const slider = page.getByRole('slider', { name: 'Temperature', exact: true })
  await slider.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(box).toHaveValue('1.99')
  await reloadStored(page)
  await expect(page.getByRole('textbox', { name: 'Temperature', exact: true })).toHaveValue('1.99')
})
