/** A manager's day with a team: adds a member with a cap, gives them a key, watches and changes the cap, and lets them go. */
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { nextBody, sendMessage, signIn, waitForReply } from './support/playground.ts'

test('a manager runs members, caps and keys of a team without being an administrator', async ({ page, program }) => {
  const call = await consoleApi(program)
  const mara = { name: 'mara', password: 'password of mara' }
  await call('POST', '/api/users', mara)
  await call('POST', '/api/users', { name: 'nils', password: 'password of nils' })
  const team = (await call('POST', '/api/teams', { name: 'apps', balance: '5' })) as { id: string }
  await call('POST', '/api/teams', { name: 'not hers', balance: '5' })
  await call('POST', `/api/teams/${team.id}/members`, { user: 'mara', role: 'manager' })

  await openConsole(page, '/team', mara)
  await expect(page.getByRole('heading', { name: 'apps' })).toBeVisible()
  await expect(page.getByText('not hers')).toHaveCount(0)
  await expect(page.locator('.stats').getByText('$5.00', { exact: true })).toBeVisible()
  // Administrators' controls are hidden.
  for (const name of ['New team', 'Credit', 'Settings', 'Delete team'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0)

  await page.getByRole('button', { name: 'Add member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('User').fill('nils')
  await expect(dialog.getByLabel('Role').locator('option')).toHaveCount(2)
  await dialog.getByLabel('Monthly').fill('2')
  await expectClean(page, 'a member about to be added')
  await dialog.getByRole('button', { name: 'Add member' }).click()
  await expect(dialog).toHaveCount(0)
  const cap = page.getByLabel('Monthly cap of nils')
  await expect(cap).toHaveValue('2')
  // Members cannot raise their own cap.
  await expect(page.getByLabel('Monthly cap of mara')).toHaveCount(0)

  await page.getByRole('button', { name: 'New team key' }).click()
  await dialog.getByLabel('Name').fill('nightly')
  await dialog.getByLabel('For').fill('nils')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = await dialog.getByLabel('Key', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('table', { name: 'Keys paid by the team' })).toContainText('nightly')
  const ask = () =>
    fetch(`${program.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }),
    })
  expect((await ask()).status).toBe(200)

  await page.reload()
  const members = page.getByRole('table', { name: 'Members' })
  await expect(members.getByRole('row', { name: /nils/ })).toContainText(/\$0\.0+[1-9]/)
  await cap.fill('0.000001')
  await cap.press('Enter')
  await expect(page.getByText('Saved.').first()).toBeVisible()
  await expect.poll(async () => (await ask()).status).toBe(429)
  await expectClean(page, 'the team of a manager')

  await page.getByRole('button', { name: 'Edit nils' }).click()
  await dialog.getByRole('button', { name: 'Remove from the team' }).click()
  await page.getByRole('button', { name: 'Remove nils' }).waitFor()
  // The question dims the form below it, which takes no clicks.
  const above = await page.evaluate(() => {
    const form = document.querySelector<HTMLElement>('.dialog') as HTMLElement
    form.style.pointerEvents = 'auto'
    const { left, top } = form.getBoundingClientRect()
    return document.elementFromPoint(left + 8, top + 8)?.className
  })
  expect(above).toBe('scrim')
  await page.getByRole('button', { name: 'Remove nils' }).click()
  await expect(members).not.toContainText('nils')
  // The key belongs to the team, and keeps working.
  await expect.poll(async () => (await ask()).status).toBe(200)
})

test('an administrator makes, credits and ends a team', async ({ page, program }) => {
  const call = await consoleApi(program)
  await openConsole(page, '/admin/teams')
  await page.getByRole('button', { name: 'New team', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('back office')
  await dialog.getByLabel('Opening balance').fill('3')
  await expectClean(page, 'a team about to be made')
  await dialog.getByRole('button', { name: 'Create team' }).click()
  await expect(page.getByRole('heading', { name: 'back office' })).toBeVisible()
  await page.getByRole('button', { name: 'Credit', exact: true }).click()
  await dialog.getByLabel('Amount').fill('4.5')
  await dialog.getByLabel('Reason').fill('for the quarter')
  await dialog.getByRole('button', { name: 'Post' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.locator('.stats').getByText('$7.50', { exact: true })).toBeVisible()
  await expectClean(page, 'the teams of the house')
  await page.getByRole('button', { name: 'Delete team' }).click()
  await page.getByRole('button', { name: 'Delete back office' }).click()
  await expect(page.getByRole('heading', { name: 'back office' })).toHaveCount(0)
  const { data } = (await call('GET', '/api/audit?action=team')) as { data: { action: string; targetName: string }[] }
  expect(data.filter(({ targetName }) => targetName === 'back office').map(({ action }) => action)).toEqual([
    ...['team.remove', 'team.credit', 'team.create', 'team.grant'],
  ])
})

test('a conversation in the playground is paid by whom its parameters name, in the groups of that team and with its models', async ({
  page,
  program,
}) => {
  const call = await consoleApi(program)
  const olga = { name: 'olga', password: 'password of olga' }
  await call('POST', '/api/users', olga)
  await call('POST', '/api/groups', { name: 'labs' })
  const models = ['lab-model', 'kept-from-them'].map((name) => ({ name, upstream: 'parley-demo' }))
  const channel = (await call('POST', '/api/channels', { name: 'lab', vendor: 'demo', groups: ['labs'], models })) as { id: string }
  for (const { name } of models) await call('PUT', `/api/prices/${name}`, { input: '1', output: '2' })
  const fields = { name: 'laboratory', balance: '5', group: 'labs', groups: ['labs'], models: ['lab-*'] }
  const team = (await call('POST', '/api/teams', fields)) as { id: string }
  await call('POST', `/api/teams/${team.id}/members`, { user: 'olga' })
  await signIn(page, olga)
  await page.getByRole('button', { name: 'Paid by: me' }).click()
  await page.getByRole('menuitemradio', { name: 'laboratory' }).click()
  await expect(page.getByRole('button', { name: 'Group, labs' })).toBeVisible()
  await page.getByRole('button', { name: 'Model, lab-model' }).click()
  await expect(page.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Escape')
  // Olga herself has no money.
  const sent = await nextBody(page, () => sendMessage(page, 'Hello'))
  expect(sent).toMatchObject({ team: team.id, group: 'labs', model: 'lab-model' })
  await (await waitForReply(page)).locator('.foot .cost').waitFor()
  const { balance } = (await call('GET', `/api/teams/${team.id}`)) as { balance: string }
  expect(Number(balance)).toBeLessThan(5)
  await expectClean(page, 'the parameters of a conversation that a team pays')
  await call('DELETE', `/api/channels/${channel.id}`)
})
