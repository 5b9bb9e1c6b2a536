/** Tiers and factors of a price are fields, not JSON: added, refused where they are wrong, saved, shown again, removed. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'

test('a tier is added, saved and removed by its fields', async ({ page, program }) => {
  const api = await consoleApi(program)
  const path = '/api/prices/tiered-model'
  await api('PUT', path, { input: '1', output: '4', cacheRead: '0.1' })
  const stored = async () => {
    const { data } = (await api('GET', '/api/prices?limit=200')) as { data: { model: string; tiers?: unknown[] }[] }
    return data.find(({ model }) => model === 'tiered-model')?.tiers ?? []
  }
  await openConsole(page, '/admin/prices?open=tiered-model')
  const drawer = page.getByRole('complementary', { name: 'Price of tiered-model' })
  await drawer.getByRole('button', { name: 'Add tier' }).click()
  const tier = drawer.getByRole('group', { name: 'Tier 1' })
  // What the model has a price for is offered; the rest stays away.
  await expect(tier.getByLabel('Cache read')).toBeVisible()
  await expect(tier.getByLabel('Audio in')).toHaveCount(0)
  await tier.getByLabel('Input', { exact: true }).fill('2')
  await tier.getByLabel('Output', { exact: true }).fill('6')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(tier.getByLabel('For input above')).toHaveAccessibleDescription('Enter a whole number of tokens.')
  await expectClean(page, 'a tier without tokens')
  await tier.getByLabel('For input above').fill('200,000')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect.poll(stored).toEqual([{ above: 200_000, input: '2', output: '6' }])

  await page.goto('/admin/prices?open=tiered-model')
  await expect(tier.getByLabel('For input above')).toHaveValue('200000')
  await tier.getByRole('button', { name: 'Remove tier' }).click()
  await expect(tier).toHaveCount(0)
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect.poll(stored).toEqual([])
  await api('DELETE', path)
})

test('factors are added, refused where they are wrong, saved and removed by their fields', async ({ page, program }) => {
  const api = await consoleApi(program)
  const path = '/api/prices/factor-model'
  await api('PUT', path, { input: '1', output: '3', factors: { service_tier: { flex: '0.5' } } })
  const kept = async () => {
    const { data } = (await api('GET', '/api/prices?limit=200')) as { data: { model: string; factors?: object }[] }
    return data.find(({ model }) => model === 'factor-model')?.factors
  }
  await openConsole(page, '/admin/prices?open=factor-model')
  const drawer = page.getByRole('complementary', { name: 'Price of factor-model' })
  const first = drawer.getByRole('group', { name: 'Factor 1' })
  await expect(first.getByLabel('Value')).toHaveValue('flex')
  await drawer.getByRole('button', { name: 'Add factor' }).click()
  const second = drawer.getByRole('group', { name: 'Factor 2' })
  await second.getByLabel('Value').fill('Flex')
  await second.getByLabel('Factor', { exact: true }).fill('twice')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect(second.getByLabel('Value')).toHaveAccessibleDescription('Enter a value such as priority, once.')
  await expect(second.getByLabel('Factor', { exact: true })).toHaveAccessibleDescription('Enter a number from 0 to 999.')
  await expectClean(page, 'wrong factors')
  await second.getByLabel('Served with').selectOption('speed')
  await second.getByLabel('Value').fill('fast')
  await second.getByLabel('Factor', { exact: true }).fill('6')
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect.poll(kept).toEqual({ service_tier: { flex: '0.5' }, speed: { fast: '6' } })

  await page.goto('/admin/prices?open=factor-model')
  await expect(second.getByLabel('Value')).toHaveValue('fast')
  await first.getByRole('button', { name: 'Remove factor' }).click()
  await drawer.getByRole('button', { name: 'Save' }).click()
  await expect.poll(kept).toEqual({ speed: { fast: '6' } })
  await api('DELETE', path)
})
