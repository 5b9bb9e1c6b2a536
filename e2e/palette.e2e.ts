/** The palette: a pasted request id, the end of a key, a user and a model lead to their pages. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { addUser } from './support/playground.ts'

test('whatever is pasted is found, and Enter goes there', async ({ page, program }) => {
  test.setTimeout(90_000)
  await addUser(program, 'palette-user', 'password of palette-user')
  const api = await consoleApi(program)
  const { key } = (await api('POST', '/api/keys', { name: 'palette-key' })) as { key: string }
  const asked = await fetch(`${program.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await asked.text()
  const id = asked.headers.get('x-request-id') ?? ''
  await openConsole(page, '/overview')

  const find = async (text: string, heading: string | RegExp, address: RegExp) => {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search or jump to' })
    await field.fill(text)
    await expect(page.getByRole('option').first()).toContainText(heading)
    if (text === id) await expectClean(page, 'palette')
    await field.press('Enter')
    await expect(page).toHaveURL(address)
  }
  await find(id, id, new RegExp(`/requests/${id}$`))
  await find(key.slice(-4), 'palette-key', /\/keys\/\w+$/)
  await find('palette-user', 'palette-user', /\/admin\/users\/\w+$/)
  const team = (await api('POST', '/api/teams', { name: 'zebras' })) as { id: string }
  const plan = (await api('POST', '/api/plans', { name: 'striped plan' })) as { id: string }
  await find('zebras', 'zebras', new RegExp(`/admin/teams\\?open=${team.id}$`))
  await find('striped', 'striped plan', /\/admin\/selling$/)
  await api('DELETE', `/api/plans/${plan.id}`)
  await find('parley-demo-embed', 'parley-demo-embed', /\/models\?q=parley-demo-embed$/)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).fill('no such thing anywhere')
  await expect(page.getByText('Nothing matches')).toBeVisible()
})

test('what is typed before the palette has been loaded is not lost', async ({ page }) => {
  const held = Promise.withResolvers<void>()
  await page.route(/assets\/palette-[\w-]+\.js$/, async (route) => {
    await held.promise
    await route.continue()
  })
  await openConsole(page, '/keys')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('settingz')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('s')
  held.resolve()
  await expect(page.getByRole('combobox', { name: 'Search or jump to' })).toHaveValue('settings')
  await expect(page.getByRole('option', { name: 'Settings' })).toBeVisible()
})
