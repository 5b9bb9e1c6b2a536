/** Invitations in the browser: created by an administrator and in a team, used by a new and an existing user; and re-authentication. */
import { admin, expect, test } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

test('an administrator invites by a link, and a stranger comes in by it once', async ({ page, browser, tolerate }) => {
  test.setTimeout(120_000)
  await openConsole(page, '/admin/users?tab=invitations')
  await expect(page.getByText('There are no invitations.')).toBeVisible()
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('for nora')
  await expectClean(page, 'an invitation is made')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByLabel('The link').inputValue()
  expect(link).toMatch(/\/join#inv-\w{40}$/)
  // Behind a dialog the page is hidden from screen readers; it is back when the dialog has gone.
  await expect(page.locator('#root')).not.toHaveAttribute('aria-hidden')
  await expectClean(page, 'a fresh invitation')
  await page.reload()
  const row = page.getByRole('row', { name: /for nora/ })
  await expect(row).toContainText('0 of 1')
  await expect(page.getByText(link)).toHaveCount(0)
  // Whoever has an account can go on to it.
  const own = await page.context().newPage()
  await own.goto(link)
  await expect(own.getByText('this invitation is for people without one')).toBeVisible()
  await own.getByRole('link', { name: 'Continue' }).click()
  await expect(own.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible()
  await own.close()

  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await expect(other.getByText('admin invites you to this server.')).toBeVisible()
  await expectClean(other, 'an invitation is opened')
  await other.getByLabel('Username').fill('admin')
  await other.getByLabel('Password').fill('a password of nora')
  await other.getByRole('button', { name: 'Create account' }).click()
  await expect(other.getByText('This name is taken. Choose another one.').first()).toBeVisible()
  await other.getByLabel('Username').fill('nora')
  await other.getByRole('button', { name: 'Create account' }).click()
  await other.waitForURL((url) => url.pathname === '/')
  await other.goto('/account')
  await expect(other.getByText('nora').first()).toBeVisible()
  await other.goto('/keys')
  await other.goto(link)
  await expect(other.getByRole('heading', { name: 'This invitation has ended' })).toBeVisible()
  await expectClean(other, 'an invitation that is over')
  await other.context().close()

  await page.reload()
  await expect(row).toContainText('1 of 1')
  await row.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('There are no invitations.')).toBeVisible()
  tolerate(/status of (404|409)/)
})

test('a link without its secret says that it is incomplete', async ({ page }) => {
  await page.goto('/join')
  await expect(page.getByRole('heading', { name: 'This link is incomplete' })).toBeVisible()
  await expect(page.getByText('The invitation was accepted.')).toHaveCount(0)
  await expectClean(page, 'an incomplete link')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
})

test('a team invites, and somebody with an account joins', async ({ page, program, browser }) => {
  test.setTimeout(120_000)
  const cookie = await (async () => {
    const answer = await fetch(`${program.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(admin),
    })
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  })()
  const call = (path: string, body: object) =>
    fetch(program.url + path, { method: 'POST', headers: { cookie, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  await call('/api/teams', { name: 'lab' })
  await call('/api/users', { name: 'wim', password: 'password of wim' })
  await openConsole(page, '/admin/teams')
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Invitations' }) })
  await card.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog', { name: 'Invite to lab' })
  await dialog.getByLabel('Role').selectOption('manager')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByLabel('The link').inputValue()

  const other = await (await browser.newContext()).newPage()
  await openConsole(other, `${program.url}/account`, { name: 'wim', password: 'password of wim' })
  await other.goto(link)
  await other.reload()
  await expect(other.getByText('admin invites you to the team lab.')).toBeVisible()
  await other.getByRole('button', { name: 'Join as wim' }).click()
  await expect(other).toHaveURL(/\/team$/)
  await expect(other.getByRole('heading', { name: 'lab' })).toBeVisible()
  await other.context().close()
})

test('what needs a fresh proof asks for it and is done then, without typing it again', async ({ page, program, tolerate }) => {
  test.setTimeout(120_000)
  tolerate(/status of (403|401)/)
  await openConsole(page, '/account')
  // A quarter of an hour has passed, as far as the page can tell: proofs.test.ts lets it pass on the server.
  let stale = true
  await page.route('**/api/management-keys', (route) => {
    if (!stale || route.request().method() !== 'POST') return route.continue()
    const error = { message: 'Prove again that it is you.', type: 'invalid_request_error', code: 'reauthentication_required', param: null }
    return route.fulfill({ status: 403, json: { error } })
  })
  page.on('response', (response) => {
    if (response.url().endsWith('/api/session/proof') && response.request().method() === 'POST' && response.ok()) stale = false
  })
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Management keys' }) })
  const make = async (name: string) => {
    await card.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click()
  }
  await make('terraform')
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await expect(proof.getByLabel('Password')).toBeVisible()
  await expectClean(page, 'a proof is asked for')
  await proof.getByLabel('Password').fill('not it')
  await proof.getByRole('button', { name: 'Continue' }).click()
  await expect(proof.getByText('Incorrect, or already used.')).toBeVisible()
  await proof.getByLabel('Password').fill(admin.password)
  await proof.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByLabel('The new management key').first()).toBeVisible()
  const { url } = program
  expect(new URL(page.url()).origin).toBe(url)
})
