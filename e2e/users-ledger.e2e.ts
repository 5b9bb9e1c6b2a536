/** The ledger of a user: every movement with its reason, corrections as separate entries, and sums that equal the balance. */
import { parseUsd } from '#shared/money'
import { expect, test } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'
import { consoleApi } from './support/console-api.ts'
import { sendMessage, signIn, waitForReply } from './support/playground.ts'

interface Entry {
  id: string
  kind: string
  amount: string
  reason: string
  ref: string
}

test('a credit, a correction and a request stand in the ledger with what they were for', async ({ page, program, tolerate }) => {
  // The page of the first user asks once more after their session was taken away.
  tolerate(/status of 401/)
  const call = await consoleApi(program)
  const password = 'password of payer'
  const made = (await call('POST', '/api/users', { name: 'payer', password, balance: '10' })) as { id: string }
  await signIn(page, { name: 'payer', password })
  await sendMessage(page, 'Hello')
  const reply = await waitForReply(page)
  await reply.locator('.foot .cost').waitFor()
  await page.context().clearCookies()
  await signIn(page)
  await page.goto(`/admin/users/${made.id}`)
  for (const [amount, reason] of [
    ['5', 'thanks'],
    ['-2', 'entered twice'],
  ] as const) {
    await page.getByRole('button', { name: 'Credit or correct' }).click()
    await page.getByLabel('Amount').fill(amount)
    await page.getByLabel('Reason').fill(reason)
    await page.getByRole('dialog').getByRole('button', { name: 'Post the entry' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  const ledger = page.getByRole('table', { name: 'Ledger' })
  await expect(ledger.getByRole('row').nth(1)).toContainText('entered twice')
  await expect(ledger).toContainText('thanks')
  await expect(ledger).toContainText('Opening grant')
  await expect(ledger).toContainText(/credit:[\w-]{8}/)
  await expect(page.getByRole('button', { name: 'Copy the ID of the user' })).toBeVisible()
  await expectClean(page, 'a user with a ledger')
  // What requests were charged stands by the day, which opens to them.
  const day = ledger.getByRole('button', { name: '1 request' })
  await day.click()
  await expect(page).toHaveURL(/day=\d{4}-\d\d-\d\d/)
  await expect(page.getByRole('list', { name: /^Charges on / }).getByRole('link')).toHaveText(/^req_/)
  await expectClean(page, 'a day of a ledger')
  await page.reload()
  await expect(page.getByRole('list', { name: /^Charges on / }).getByRole('listitem')).toHaveCount(1)
  await day.click()
  await expect(page.getByRole('list', { name: /^Charges on / })).toHaveCount(0)
  await page.getByRole('button', { name: 'Every entry' }).click()
  await expect(ledger.getByRole('row').nth(3)).toContainText('req_')
  await page.getByRole('button', { name: 'By day' }).click()
  await expect(day).toBeVisible()
  // What each left behind; the newest is the balance.
  await expect(ledger.getByRole('row').nth(1).locator('td').last().locator('[title]')).toHaveAttribute('title', /^\$12\.99/)
  await page.getByRole('link', { name: 'Keys', exact: true }).last().click()
  await expect(page.getByText('This user has no key.')).toBeVisible()
  await page.getByRole('link', { name: 'Ledger' }).click()
  await page.getByRole('button', { name: 'Entry all' }).click()
  await page.getByRole('menuitemradio', { name: 'Opening grant' }).click()
  await expect(ledger.getByRole('row')).toHaveCount(2)
  await expect(page).toHaveURL(/kind=grant/)
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  expect((await savedText(saved)).split('\r\n').map((line) => line.split(',').slice(2, 6).join())).toEqual([
    'kind,amount,balance,reason',
    'grant,10,10,opening balance',
    '',
  ])
  const { data, next } = (await call('GET', `/api/users/${made.id}/entries?limit=2`)) as { data: Entry[]; next: string }
  expect(data.map(({ reason, amount }) => [reason, amount])).toEqual([
    ['entered twice', '-2'],
    ['thanks', '5'],
  ])
  const rest = (await call('GET', `/api/users/${made.id}/entries?limit=200&after=${next}`)) as { data: Entry[]; next: null }
  expect(rest.next).toBeNull()
  expect(rest.data.map(({ kind }) => kind)).toEqual(['usage', 'grant'])
  const users = (await call('GET', '/api/users?limit=200')) as { data: { id: string; balance: string }[] }
  const sum = [...data, ...rest.data].reduce((all, { amount }) => all + parseUsd(amount), 0n)
  expect(sum).toBe(parseUsd(users.data.find(({ id }) => id === made.id)?.balance ?? ''))
})

test('a change of role says before and after how many management keys it ends', async ({ page, program }) => {
  const call = await consoleApi(program)
  const who = { name: 'deputy', password: 'password of deputy' }
  const made = (await call('POST', '/api/users', { ...who, role: 'admin' })) as { id: string }
  const deputy = await consoleApi(program, who)
  await deputy('POST', '/api/management-keys', { name: 'nightly', scopes: ['read'] })
  await signIn(page)
  await page.goto(`/admin/users/${made.id}?tab=settings`)
  await page.getByLabel('Role').selectOption('user')
  await expect(page.getByText('Saving revokes 1 management key of this user')).toBeVisible()
  await expectClean(page, 'a role about to change')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved. 1 management key was revoked with the old role.').first()).toBeVisible()
  const { data } = (await call('GET', '/api/users?limit=200')) as { data: { id: string; managementKeys: number }[] }
  expect(data.find(({ id }) => id === made.id)?.managementKeys).toBe(0)
})

test('a setting says its default and whether it was changed', async ({ page }) => {
  await openConsole(page, '/admin/settings')
  await expect(page.getByText('Default: omni-moderation-latest.')).toBeVisible()
  await expect(page.getByText('changed', { exact: true })).toHaveCount(0)
  await page.getByLabel('API keys').fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('changed', { exact: true })).toHaveCount(1)
  await expectClean(page, 'a changed setting')
  await page.getByLabel('API keys').fill('200')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('changed', { exact: true })).toHaveCount(0)
})

test('all settings are reset after their differences were shown, and lead to who changed them', async ({ page, program }) => {
  const call = await consoleApi(program)
  await call('PATCH', '/api/settings', { keepLogsMonths: 3, shareLinks: true })
  await openConsole(page, '/admin/settings')
  const reset = page.getByRole('button', { name: 'Reset all settings' })
  await reset.click()
  await expect(reset).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Review' }).click()
  const review = page.getByRole('dialog')
  await expect(review).toContainText('Usage records are kept for')
  await expect(review).toContainText('Links to conversations')
  await expectClean(page, 'settings about to be reset')
  await review.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('.toast')).toContainText('Saved')
  expect(await call('GET', '/api/settings')).toMatchObject({ keepLogsMonths: null, shareLinks: false, changed: [] })
  await page.getByRole('link', { name: 'Change history' }).click()
  await expect(page.getByRole('link', { name: 'Settings changed' }).first()).toBeVisible()
})

test('everybody is signed out but the one who says so, and all that was kept is deleted', async ({ page, program }) => {
  const call = await consoleApi(program)
  await call('POST', '/api/users', { name: 'elsewhere', password: 'password of elsewhere' })
  const other = await consoleApi(program, { name: 'elsewhere', password: 'password of elsewhere' })
  await other('GET', '/api/session')
  await openConsole(page, '/admin/settings')
  for (const [button, said] of [
    ['Delete all kept requests', /^\d+ kept requests? deleted\./],
    ['Sign everybody out', /sessions? ha(s|ve) ended\./],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).getByRole('button', { name: button }).click()
    await expect(page.locator('.toast', { hasText: said })).toBeVisible()
  }
  await expect(other('GET', '/api/session')).rejects.toThrow('not_signed_in')
  await page.goto('/admin/audit?action=session')
  await expect(page.getByRole('link', { name: 'Everybody signed out' }).first()).toBeVisible()
})

test('the section of the settings that is read is marked, whether by scrolling or by a press', async ({ page }) => {
  await openConsole(page, '/admin/settings')
  const sections = page.getByRole('navigation', { name: 'Sections' })
  const current = sections.locator('[aria-current]')
  await expect(current).toHaveText(/^Models/)
  await sections.getByRole('button', { name: 'Routing' }).click()
  await expect(current).toHaveText(/^Routing/)
  await page.locator('.page').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await expect(current).toHaveText('Environment')
  await page.getByRole('checkbox', { name: 'Only non-default settings' }).check()
  await expect(sections.getByRole('button', { name: 'Routing' })).toHaveCount(0)
  await expect(page).toHaveURL(/only=changed/)
  await expectClean(page, 'settings that differ')
})

test('balancing and checks of channels that rest are settings, each with its default', async ({ page, program }) => {
  const call = await consoleApi(program)
  const stored = async () => {
    const { balancing, checkMinutes } = (await call('GET', '/api/settings')) as { balancing?: string; checkMinutes?: number }
    return { balancing, checkMinutes }
  }
  await openConsole(page, '/admin/settings?q=channels')
  await expect(page.getByText('Default: random, by weight.')).toBeVisible()
  await page.getByLabel('Order of channels with the same priority').selectOption('least_open')
  await page.getByLabel('Check resting channels every').fill('5')
  await page.getByRole('button', { name: 'Review' }).click()
  await expect(page.getByRole('dialog')).toContainText('fewest open requests first')
  await expectClean(page, 'review of routing')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('changed', { exact: true })).toHaveCount(2)
  expect(await stored()).toEqual({ balancing: 'least_open', checkMinutes: 5 })
  await page.getByLabel('Order of channels with the same priority').selectOption('weight')
  await page.getByLabel('Check resting channels every').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('changed', { exact: true })).toHaveCount(0)
  expect(await stored()).toEqual({})
})

test('a banner is plain text above every page of whoever is signed in, until it is closed or says something else', async ({
  page,
  program,
}) => {
  const call = await consoleApi(program)
  const text = 'Upgrade on <b>Sunday</b>, 10 to 11 UTC.'
  const notice = page.getByRole('region', { name: 'From the administrators' })
  await openConsole(page, '/admin/settings?q=banner')
  await expect(page.getByText('Default: none.')).toBeVisible()
  await expect(notice).toHaveCount(0)
  await page.getByLabel('Text of the banner').fill(text)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(notice).toContainText(text)
  await expectClean(page, 'settings under a banner')
  for (const path of ['/overview', '/']) {
    await page.goto(path)
    await expect(notice).toContainText(text)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectClean(page, `${path} under a banner`)
  }
  await notice.getByRole('button', { name: 'Close the notice' }).click()
  await expect(notice).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await expect(notice).toHaveCount(0)
  await call('PATCH', '/api/settings', { banner: 'It is done.' })
  await page.reload()
  await expect(notice).toContainText('It is done.')
  expect(await call('GET', '/api/session')).toMatchObject({ banner: 'It is done.' })
  expect(Object.keys((await (await fetch(`${program.url}/api/status`)).json()) as object)).not.toContain('banner')
  await expect(call('PATCH', '/api/settings', { banner: 'x'.repeat(501) })).rejects.toThrow()
  await call('PATCH', '/api/settings', { banner: null })
  expect(await call('GET', '/api/session')).not.toHaveProperty('banner')
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await expect(notice).toHaveCount(0)
})

test('an administrator sees where a user is signed in, and ends it', async ({ page, program }) => {
  const call = await consoleApi(program)
  const who = { name: 'wanderer', password: 'password of wanderer' }
  const made = (await call('POST', '/api/users', who)) as { id: string }
  const theirs = await fetch(`${program.url}/api/session`, {
    ...{ method: 'POST', body: JSON.stringify(who) },
    headers: { 'content-type': 'application/json', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
  })
  const cookie = theirs.headers.get('set-cookie')?.split(';')[0] ?? ''
  await openConsole(page, `/admin/users/${made.id}?tab=sessions`)
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await expect(sessions).toContainText('Firefox, Linux')
  await expectClean(page, 'sessions of a user')
  await page.getByRole('button', { name: 'End all', exact: true }).click()
  await expect(page.getByText('This user is not signed in anywhere.')).toBeVisible()
  expect((await fetch(`${program.url}/api/session`, { headers: { cookie } })).status).toBe(401)
})
