/** The table of models as a customer reads it: list price, the ratio of the group, and what a request would cost. */
import type { CostAnswer } from '#shared/console/inspection/cost'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

test.afterAll(async ({ program }) => {
  const call = await consoleApi(program)
  await call('DELETE', '/api/prices/parley-demo')
  await call('PATCH', '/api/groups/default', { ratio: '1' })
})

test('a model says what it costs in a group and why, and calculates a request as its bill would be', async ({ page, program }) => {
  const call = await consoleApi(program)
  await call('PATCH', '/api/groups/default', { ratio: '1.5' })
  await call('POST', '/api/users', { name: 'reckoner', password: 'password of the reckoner' })
  await call('PUT', '/api/prices/parley-demo', {
    ...{ input: '1', output: '2', cacheRead: '0.1', tiers: [{ above: 200_000, input: '3', output: '4' }] },
    factors: { service_tier: { priority: '2' } },
  })
  const who = { name: 'reckoner', password: 'password of the reckoner' }
  await page.setViewportSize({ width: 1440, height: 900 })
  await openConsole(page, '/models', who)
  await page.getByRole('link', { name: 'parley-demo', exact: true }).click()
  const drawer = page.locator('.drawer')
  await expect(drawer.getByText('The group default has the ratio 1.5')).toBeVisible()
  await expect(drawer.getByRole('row', { name: /^Output per 1M \$2\.00 \$3\.00$/ })).toBeVisible()
  await expect(drawer.getByRole('row', { name: /^Input above 200k tokens/ })).toContainText('$4.50')
  await expect(drawer.getByText('Price changed')).toBeVisible()
  // (1,000 * 1 + 500 * 2) / 1M * 1.5
  const charged = drawer.locator('tr.charged')
  await expect(charged).toHaveText(/Per request\$0\.003$/)
  await drawer.getByLabel('Input').fill('300000')
  await drawer.getByLabel('Service tier').selectOption('priority')
  const asked = { model: 'parley-demo', group: 'default', amounts: { input: 300_000, output: 500 }, servedAs: { service_tier: 'priority' } }
  const { bill } = (await (await consoleApi(program, who))('POST', '/api/prices/cost', asked)) as CostAnswer
  expect(bill.cost).toBe('2.706')
  await expect(charged).toHaveText(`Per request$${bill.cost}`)
  await drawer.getByLabel('Requests').fill('1000')
  await expect(drawer.getByText('1,000 such requests: $2,706.00')).toBeVisible()
  await drawer.getByLabel('Output').fill('many')
  await expect(drawer.getByText('Enter a whole number.')).toBeVisible()
  await expect(charged).toHaveCount(0)
  await drawer.getByLabel('Output').fill('')
  await expect(charged).toHaveText('Per request$2.7')
  await expect(drawer.locator('[aria-live][aria-busy=false]')).toBeVisible()
  await expectClean(page, 'a model with its calculator')
  // Rarely needed columns are optional.
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.keyboard.press('Escape')
  const heads = page.getByRole('columnheader', { name: 'Price changed' })
  await expect(heads).toHaveCount(0)
  await page.getByRole('button', { name: 'Columns and row height' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Price changed' }).click()
  await expect(heads).toBeVisible()
  await page.getByRole('menuitem', { name: 'Default columns' }).click()
  // The address is that of the open model, whatever the filters hide.
  await page.goto(`${new URL(page.url()).pathname}?q=nothing-has-this-name&open=parley-demo`)
  await expect(drawer.getByRole('heading', { name: 'parley-demo' })).toBeVisible()
})
