/**
 * Second factors in the browser: an app by its QR code, a passkey of Chromium's own virtual authenticator, recovery codes, what an
 * installation that asks for one shows, and the dialog that secrets and money open.
 */

import type { BrowserContext, Page } from 'playwright/test'
import { appCode } from '#testing/authenticator-app'
import { administrator, administratorPassword, type Program } from '#testing/program/program'
import { test as base, expect } from './support/browser-test.ts'
import { expectClean, openConsole, savedText } from './support/console.ts'

// Passkeys belong to names, not to addresses of numbers.
const test = base
test.use({ programOptions: { env: { ...administrator, PARLEY_HOST: 'localhost' } } })

const cookieOf = async (url: string, name: string, password: string) => {
  const answer = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

/** Calls the API as the administrator. */
async function asAdmin(program: Program, method: string, path: string, body?: object): Promise<unknown> {
  const cookie = await cookieOf(program.url, 'admin', administratorPassword)
  const answer = await fetch(program.url + path, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return answer.json()
}

const makeUser = async (program: Program, name: string) => {
  await asAdmin(program, 'POST', '/api/users', { name, password: `password of ${name}` })
  return { name, password: `password of ${name}` }
}

/** A device with a fingerprint reader, as far as pages can tell. */
async function addDevice(context: BrowserContext, page: Page) {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  })
  return {
    /** Whether the person is recognised from now on. */
    recognises: (isUserVerified: boolean) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

const card = (page: Page) => page.locator('section.card', { has: page.getByRole('heading', { name: 'Second factor' }) })

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/account')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
}

async function givePassword(page: Page, who: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Username').fill(who.name)
  await page.getByLabel('Password').fill(who.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('an app is added by its code, asked for at the next sign-in, and a recovery code stands in for it', async ({
  page,
  program,
  tolerate,
}) => {
  test.setTimeout(120_000)
  tolerate(/status of (401|400)/)
  const ann = await makeUser(program, 'ann')
  await openConsole(page, '/account', ann)
  await expect(card(page).getByText('No second factor yet.')).toBeVisible()
  await card(page).getByRole('button', { name: 'Add an app' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Old phone')
  await dialog.getByRole('button', { name: 'Next' }).click()
  await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  await expectClean(page, 'an app is added')
  const secret = (await dialog.locator('code').innerText()).trim()
  await dialog.getByLabel('Code from the app').fill('000000')
  await dialog.getByRole('button', { name: 'Add the app' }).click()
  await expect(dialog.getByText('This code does not match.')).toBeVisible()
  const used = appCode(secret, Date.now() - 30_000)
  await dialog.getByLabel('Code from the app').fill(used)
  await dialog.getByRole('button', { name: 'Add the app' }).click()

  const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  await expectClean(page, 'recovery codes')
  const saved = page.waitForEvent('download')
  await codes.getByRole('button', { name: 'Download' }).click()
  const recovery = (await savedText(saved)).trim().split('\n')
  await codes.getByRole('button', { name: 'I have saved them' }).click()
  await expect(card(page).getByRole('row', { name: /Old phone/ })).toBeVisible()
  await expect(card(page).getByText('10 unused recovery codes.')).toBeVisible()
  await expectClean(page, 'account with a second factor')

  await signOut(page)
  await givePassword(page, ann)
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible()
  await expectClean(page, 'second step of a sign-in')
  // A code is good once.
  await page.getByLabel('Code', { exact: true }).fill(used)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('main').getByText('Incorrect, or already used.')).toBeVisible()
  await page.getByLabel('Code', { exact: true }).fill(appCode(secret))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(/\/account$/)
  await expect(card(page).getByRole('row', { name: /Old phone/ })).toBeVisible()

  await signOut(page)
  await givePassword(page, ann)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(recovery[0]?.toUpperCase() ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(card(page).getByText('9 unused recovery codes.')).toBeVisible()
  await card(page).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(card(page).getByText('No second factor yet.')).toBeVisible()
})

test('a passkey is the second factor, signs in alone, and only where the device knows its person', async ({
  page,
  context,
  program,
  tolerate,
}) => {
  test.setTimeout(120_000)
  tolerate(/status of 401/)
  const bea = await makeUser(program, 'bea')
  const device = await addDevice(context, page)
  await openConsole(page, '/account', bea)
  await card(page).getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await expectClean(page, 'a passkey is added')
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('button', { name: 'I have saved them' }).click()
  await expect(card(page).getByRole('row', { name: /Laptop/ })).toBeVisible()
  expect(await device.credentials()).toBe(1)
  const { data } = (await asAdmin(program, 'GET', '/api/audit?action=secondFactor&limit=200')) as { data: { targetName: string }[] }
  expect(data.find(({ targetName }) => targetName === 'bea')).toMatchObject({
    action: 'secondFactor.add',
    after: { kind: 'passkey', name: 'Laptop' },
  })

  await signOut(page)
  await expectClean(page, 'sign-in with passkeys')
  await givePassword(page, bea)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page).toHaveURL(/\/account$/)

  await signOut(page)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(card(page).getByRole('row', { name: /Laptop/ })).toBeVisible()
  await expect(card(page).getByRole('row', { name: /Laptop/ })).not.toContainText('never')

  await signOut(page)
  await device.recognises(false)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await expect(page.getByRole('main').getByText('The browser returned no passkey.')).toBeVisible()
})

test('what a passkey has signed is good once, and only for what it was asked for', async ({ page, context, program, tolerate }) => {
  test.setTimeout(120_000)
  tolerate(/status of (401|400)/)
  const cleo = await makeUser(program, 'cleo')
  await addDevice(context, page)
  await openConsole(page, '/account', cleo)
  await card(page).getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click()
  await page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('button', { name: 'I have saved them' }).click()
  await signOut(page)
  const sent = page.waitForRequest((request) => request.url().endsWith('/api/session/passkey'))
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  const body = (await sent).postData() ?? ''
  await expect(card(page)).toBeVisible()
  const post = async (path: string, text: string, cookie = '') => {
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await fetch(program.url + path, { method: 'POST', headers, body: text })
    return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code]
  }
  expect(await post('/api/session/passkey', body)).toEqual([401, 'invalid_credentials'])
  // A fresh answer to one question is no answer to another one.
  await signOut(page)
  const held = page.waitForRequest((request) => request.url().endsWith('/api/session/passkey'))
  await page.route('**/api/session/passkey', (route) => route.abort())
  tolerate(/ERR_FAILED/)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  const unused = (await held).postData() ?? ''
  await expect(page.getByRole('main').getByText('The server is not responding.')).toBeVisible()
  const begun = await fetch(`${program.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(cleo),
  })
  expect(begun.status).toBe(202)
  const step = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  expect(await post('/api/session/step', unused, step)).toEqual([401, 'invalid_credentials'])
  const [status] = await post('/api/session/passkey', unused)
  expect(status).toBe(200)
})

test('where the installation asks for one, whoever has none is led to it, the administrator too', async ({ page, program, tolerate }) => {
  test.setTimeout(120_000)
  tolerate(/status of 403/)
  const dan = await makeUser(program, 'dan')
  const { key } = (await asAdmin(program, 'POST', '/api/management-keys', { name: 'second factors', scopes: ['settings'] })) as {
    key: string
  }
  await openConsole(page, '/admin/settings')
  await page.getByLabel('Second factor', { exact: true }).selectOption('everybody')
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await saved).status()).toBe(200)
  await page.goto('/overview')
  await expect(page.getByRole('heading', { name: 'Add a second factor' })).toBeVisible()
  await expectClean(page, 'enrolment')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await givePassword(page, dan)
  await expect(page.getByRole('heading', { name: 'Add a second factor' })).toBeVisible()
  await page.getByRole('button', { name: 'Add an app' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Next' }).click()
  const secret = (await dialog.locator('code').innerText()).trim()
  await dialog.getByLabel('Code from the app').fill(appCode(secret))
  await dialog.getByRole('button', { name: 'Add the app' }).click()
  await page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('button', { name: 'I have saved them' }).click()
  await expect(page.locator('.console h1')).toBeVisible()

  // The administrator has none, so that other files can keep using this program.
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ requireSecondFactor: 'off' })
  expect((await fetch(`${program.url}/api/settings`, { method: 'PATCH', headers, body })).status).toBe(200)
})
