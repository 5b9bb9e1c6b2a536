/**
 * A reseller's day: makes a plan and a batch of codes, sells one, posts a payment and refunds part of it; the customer redeems, asks until a
 * window is used up, and hands out a key whose holder sees what it has left.
 */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

const ask = (url: string, key: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }),
  })

test('a reseller sells a plan by code, a customer redeems it and uses it up, the holder of a key sees what it has left', async ({
  page,
  program,
  tolerate,
}) => {
  // Deliberate refusals, and the session of each user, which ends before the next one begins.
  tolerate(/status of (400|401|409)/)
  test.setTimeout(120_000)
  const call = await consoleApi(program)
  const customer = { name: 'customer', password: 'password of the customer' }
  await call('POST', '/api/users', customer)
  await call('POST', '/api/groups', { name: 'resold', description: 'Sold on', ratio: '1.5' })

  await openConsole(page, '/admin/selling')
  await expect(page.getByText('No plans yet')).toBeVisible()
  await expectClean(page, 'nothing sold yet')
  await page.getByRole('button', { name: 'New plan' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Starter')
  await dialog.getByLabel('Windows').fill('5h 0.001\n1mo')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByLabel('Windows')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Windows').fill('5h 0.001\n1mo 30')
  await expectClean(page, 'a plan about to be made')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toHaveCount(0)
  const plans = page.getByRole('table', { name: 'Plans' })
  await expect(plans).toContainText('in 5 hours')

  await page.getByRole('link', { name: 'Codes', exact: true }).click()
  await page.getByRole('button', { name: 'New codes' }).click()
  await dialog.getByLabel('How many').fill('3')
  await dialog.getByLabel('Credit each').fill('20')
  await dialog.getByLabel('Plan').selectOption({ label: 'Starter' })
  await dialog.getByLabel('Days').fill('30')
  await dialog.getByLabel('Note').fill('shop')
  await expectClean(page, 'codes about to be made')
  await dialog.getByRole('button', { name: 'Create codes' }).click()
  const fresh = page.getByRole('region', { name: 'The new codes' })
  const shown = (await fresh.getByRole('textbox').inputValue()).split('\n')
  expect(shown).toHaveLength(3)
  await expectClean(page, 'codes that were just made')
  // Closing them before they were taken asks first.
  await fresh.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Keep them open' }).click()
  const saved = page.waitForEvent('download')
  await fresh.getByRole('button', { name: 'Download CSV' }).click()
  const lines = (await savedText(saved)).trim().split('\r\n')
  expect(lines.map((line) => line.split(',')[0])).toEqual(['code', ...shown])
  expect(lines[1]).toContain(',20,Starter,30,,shop,batch_')
  await fresh.getByRole('button', { name: 'Close' }).click()
  await expect(fresh).toHaveCount(0)
  const codes = page.getByRole('table', { name: 'Codes' })
  await expect(codes.getByRole('row')).toHaveCount(4)
  for (const code of shown) await expect(page.locator('main')).not.toContainText(code)

  await page.getByRole('searchbox', { name: 'Note, batch or name' }).fill('no such code')
  await expect(page.getByText('Active filters: no such code.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(codes.getByRole('row')).toHaveCount(4)
  await expectClean(page, 'codes')

  // The payment for it comes from a payment system; by hand it is the same.
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('button', { name: 'Post a payment' }).click()
  await dialog.getByLabel('Reference').fill('order-1')
  await dialog.getByLabel('Name or ID').fill('customer')
  await dialog.getByLabel('Amount').fill('5')
  await expectClean(page, 'a payment about to be posted')
  await dialog.getByRole('button', { name: 'Post' }).click()
  const payments = page.getByRole('table', { name: 'Payments' })
  await expect(payments).toContainText('$5.00')
  await page.getByRole('button', { name: 'Refund order-1' }).click()
  await dialog.getByLabel('Amount, or empty for all of it').fill('6')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(dialog.getByText('more than is left of the credit').first()).toBeVisible()
  await dialog.getByLabel('Amount, or empty for all of it').fill('2')
  await dialog.getByRole('button', { name: 'Refund' }).click()
  await expect(payments).toContainText('refund of order-1')
  await expect(payments.getByRole('row', { name: /^order-1/ })).toContainText('$2.00 refunded')
  await expectClean(page, 'payments')
  await page.context().clearCookies()

  // The customer.
  await openConsole(page, '/account', customer)
  await expect(page.getByText('No plan. Your spending')).toBeVisible()
  await page.getByLabel('Code', { exact: true }).fill('NOT-A-CODE')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(/not valid/)
  await page.getByLabel('Code', { exact: true }).fill(` ${shown[0]?.toLowerCase()} `)
  await page.getByRole('button', { name: 'Redeem' }).click()
  const plan = page.getByRole('region', { name: 'Starter' })
  await expect(plan).toContainText('5 hours')
  await expect(plan).toContainText('$30.00 of $30.00 left')
  await expect(page.getByText('$23.00').first()).toBeVisible()
  await page.getByLabel('Code', { exact: true }).fill(shown[0] ?? '')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(/already/)
  await expectClean(page, 'an account with a plan')

  const { key } = (await page.evaluate(async () => {
    const body = JSON.stringify({ name: 'handed out', budget: { daily: '1' } })
    return (await fetch('/api/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
  })) as { key: string }
  let last = 200
  for (let n = 0; n < 60 && last === 200; n++) last = (await ask(program.url, key)).status
  expect(last).toBe(429)
  await page.reload()
  await expect(plan.getByRole('meter').first()).toBeVisible()
  expect(Number(await plan.getByRole('meter').first().getAttribute('aria-valuenow'))).toBeGreaterThan(50)

  // Who holds the key has no account.
  await page.context().clearCookies()
  await page.goto('/key')
  await page.getByLabel('API key').fill(key)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'handed out' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Budgets' })).toContainText('of $1.00')
  await expect(page.getByRole('table', { name: 'By model' })).toContainText('parley-demo')
  await expectClean(page, 'a key that has spent')

  // Unsold codes are revoked at the end of the day.
  await openConsole(page, '/admin/selling?tab=codes&state=open')
  await expect(codes.getByRole('row')).toHaveCount(3)
  await page.getByRole('button', { name: /^Status open/ }).click()
  await page.getByRole('menuitemradio', { name: 'all' }).click()
  await expect(codes).toContainText('customer')
  await codes
    .getByRole('button', { name: /^More for/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: 'Revoke batch' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(codes.getByText('revoked')).toHaveCount(2)
  expect(await call('GET', '/api/books')).toMatchObject({ exact: true, faults: [] })
})
