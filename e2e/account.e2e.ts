/** One's own account: a management key is made, taken, used and deleted. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { sendMessage, signIn, waitForReply } from './support/playground.ts'

test('a management key is made in the account, shown once, used and deleted', async ({ page, program }) => {
  test.setTimeout(90_000)
  await openConsole(page, '/account')
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Management keys' }) })
  await card.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('terraform')
  await dialog.getByRole('checkbox', { name: /^read / }).uncheck()
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  await expect(dialog.getByText('Choose at least one scope.')).toBeVisible()
  await dialog.getByRole('checkbox', { name: /^groups / }).check()
  await expectClean(page, 'new management key')
  // The explanation of a scope can be read on a phone, too.
  await page.setViewportSize({ width: 360, height: 640 })
  const list = dialog.locator('.checks')
  expect(await list.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 720 })
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  const secret = await page.getByRole('textbox', { name: 'The new management key' }).inputValue()
  expect(secret).toMatch(/^pk-\w{48}$/)
  await expectClean(page, 'a fresh management key')

  // Leaving without it asks.
  await card.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  const download = page.waitForEvent('download')
  await card.getByRole('button', { name: 'parley.env' }).click()
  expect((await download).suggestedFilename()).toBe('parley.env')
  await card.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByText(secret)).toHaveCount(0)

  const headers = { authorization: `Bearer ${secret}` }
  expect((await fetch(`${program.url}/api/groups`, { headers })).status).toBe(200)
  expect((await fetch(`${program.url}/api/users`, { headers })).status).toBe(403)
  await page.reload()
  const row = card.getByRole('row', { name: /terraform/ })
  await expect(row).toContainText('groups')
  await expect(row).not.toContainText(secret)

  await row.getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('dialog')).toContainText('from 127.0.0.1. Calls with this key fail at once.')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke the key' }).click()
  await expect(page.getByText('“terraform” was revoked.').first()).toBeVisible()
  await expect(row).toHaveCount(0)
  expect((await fetch(`${program.url}/api/groups`, { headers })).status).toBe(401)
})

test('the chosen time zone decides on the days and times of usage, ledger and requests, in this browser', async ({ page }) => {
  test.setTimeout(90_000)
  await signIn(page)
  await sendMessage(page, 'Hello')
  await waitForReply(page)
  const asked = (path: string) =>
    page
      .waitForRequest((request) => request.url().includes(path) && request.url().includes('timezone='))
      .then((one) => new URL(one.url()).searchParams)
  const { user } = await page.evaluate(async () => (await fetch('/api/session')).json())
  const [row] = (await page.evaluate(async () => (await fetch('/api/logs?limit=1')).json())).data
  const field = page.getByRole('combobox', { name: 'Time zone' })
  const seen: { day: string; clock: string }[] = []
  // A day and an hour apart: never the same date.
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    await page.goto('/account')
    await field.click()
    await field.fill(zone)
    await page.getByRole('option', { name: zone }).click()
    await expect(field).toHaveValue(zone)
    const write = (options: Intl.DateTimeFormatOptions, at = new Date(row.at)) =>
      new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour12: false, ...options }).format(at)
    const [day, clock] = [write({ day: 'numeric', month: 'short' }), write({ hour: '2-digit', minute: '2-digit', second: '2-digit' })]
    seen.push({ day, clock })

    const usage = asked('/api/usage?')
    await page.goto('/usage?days=7&by=day')
    expect((await usage).get('timezone')).toBe(zone)
    expect(write({ hour: '2-digit', minute: '2-digit' }, new Date((await usage).get('from') ?? ''))).toBe('00:00')
    await expect(page.getByText(`Times in ${zone}`)).toBeVisible()
    await expect(page.getByRole('row', { name: day }).first()).toBeVisible()

    const ledger = asked('/entries?')
    await page.goto(`/admin/users/${user.id}`)
    expect((await ledger).get('timezone')).toBe(zone)
    await expect(page.getByText(day, { exact: true }).first()).toBeVisible()

    await page.goto('/requests')
    await expect(page.getByText(clock).first()).toBeVisible()
  }
  expect(seen[0]?.day).not.toBe(seen[1]?.day)
  expect(seen[0]?.clock).not.toBe(seen[1]?.clock)

  await page.goto('/account')
  await field.click()
  await expectClean(page, 'time zones to choose')
  await page.getByRole('option', { name: /^This browser’s: / }).click()
  const usage = asked('/api/usage?')
  await page.goto('/usage')
  expect((await usage).get('timezone')).toBe(await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone))
})
