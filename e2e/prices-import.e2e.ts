/** Prices from a catalogue: reviewed as a difference before they are written, and in the history of their model afterwards. */
import { expect, test } from './support/browser-test.ts'
import { expectClean } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { signIn } from './support/playground.ts'

const catalogue = JSON.stringify({
  google: {
    id: 'google',
    models: { 'imported-1': { cost: { input: 1.25, output: 10 } }, 'imported-2': { cost: { input: 3, output: 15 } } },
  },
})

test('what a catalogue would change is shown, chosen and written', async ({ page, program }) => {
  const call = await consoleApi(program)
  const models = ['imported-1', 'imported-2', 'not-in-it']
  const made = (await call('POST', '/api/channels', {
    name: 'priced',
    vendor: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    keys: ['sk-x'],
    models,
  })) as { id: string }
  await call('PUT', '/api/prices/imported-1', { input: '1.250', output: '8' })
  await signIn(page)
  await page.goto('/admin/prices')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Catalogue as JSON' }).fill('{"no": "catalogue"}')
  await expect(dialog.getByText('This catalogue format is not known.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Catalogue as JSON' }).fill(catalogue)
  const proposals = dialog.getByRole('list', { name: 'Proposed prices' }).getByRole('listitem')
  await expect(proposals).toHaveCount(2)
  // Only what differs: the input of the first is the same.
  await expect(proposals.first()).toContainText('Output 8 → 10')
  await expect(proposals.first()).not.toContainText('Input')
  await dialog.getByRole('checkbox', { name: /imported-2/ }).uncheck()
  await expectClean(page, 'proposed prices')
  await dialog.getByRole('button', { name: 'Set 1 price' }).click()
  await expect(dialog).toHaveCount(0)
  const { data } = (await call('GET', '/api/prices?limit=200')) as { data: { model: string; output?: string }[] }
  expect(data.find((row) => row.model === 'imported-1')?.output).toBe('10')
  expect(data.find((row) => row.model === 'imported-2')).toBeUndefined()
  await page.getByRole('link', { name: 'imported-1' }).click()
  const history = page.locator('.drawer-part').filter({ has: page.getByRole('heading', { name: 'History' }) })
  await expect(history.getByRole('listitem').first()).toContainText('admin')
  await expect(history.getByRole('listitem').first()).toContainText('10')
  await call('DELETE', `/api/channels/${made.id}`)
})
