/** Single sign-on in the browser: through a real provider and back, a failure in words, and linking in the account. */

import { startIdentityProvider } from '#testing/identity/provider'
import { administrator, startProgram } from '#testing/program/program'
import { test as base, expect } from './support/browser-test.ts'
import { expectClean, openConsole } from './support/console.ts'

const client = { id: 'parley', secret: 'a secret of the provider for Parley' }

const test = base.extend<object, { provider: Awaited<ReturnType<typeof startIdentityProvider>> }>({
  provider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern which fixtures are needed
    async ({}, use) => {
      const provider = await startIdentityProvider({ 'subject-ann': { preferred_username: 'ann' } })
      await use(provider)
      await provider.close()
    },
    { scope: 'worker' },
  ],
  program: [
    async ({ provider }, use) => {
      const env = { PARLEY_OIDC_ISSUER: provider.issuer, PARLEY_OIDC_CLIENT_ID: client.id, PARLEY_OIDC_CLIENT_SECRET: client.secret }
      const program = await startProgram({ env: { ...administrator, ...env } })
      await provider.register({ ...client, redirectUri: `${program.url}/api/session/oidc/callback` })
      await use(program)
      await program.stop()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
})

test.beforeEach(async ({ context, tolerate, provider }) => {
  // The provider's page asks another host for a font.
  await context.route(/googleapis\.com/, (route) => route.abort())
  tolerate(/foreign request: .*googleapis/)
  tolerate(new RegExp(`foreign request: ${provider.issuer}`))
  tolerate(/ERR_FAILED/)
})

test('a person signs in at the provider and comes back to the page that was wanted', async ({ page }) => {
  await page.goto('/keys')
  await expect(page.getByRole('button', { name: 'Single sign-on' })).toBeVisible()
  await expect(page.getByText('created by its administrator')).toHaveCount(0)
  await expectClean(page, 'sign-in with a provider')
  await page.getByRole('button', { name: 'Single sign-on' }).click()
  await page.getByPlaceholder('Enter any login').fill('subject-ann')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/keys$/)
  await expect(page.getByRole('heading', { name: 'Keys', level: 1 })).toBeVisible()
})

test('a sign-in that was declined says so, once', async ({ page, tolerate }) => {
  tolerate(/401/)
  await page.goto('/keys')
  await page.getByRole('button', { name: 'Single sign-on' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByText('The identity provider could not confirm who you are. Try again.')).toBeVisible()
  await expect(page).toHaveURL(/\/keys$/)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Single sign-on' })).toBeVisible()
  await expect(page.getByText('The identity provider could not confirm')).toHaveCount(0)
})

test('an identity is linked in the account and unlinked again', async ({ page }) => {
  await openConsole(page, '/account')
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Single sign-on' }) })
  await card.getByRole('button', { name: 'Link an identity' }).click()
  await page.getByPlaceholder('Enter any login').fill('subject-bea')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/account$/)
  await expect(card.getByRole('button', { name: 'Unlink' })).toBeVisible()
  await expectClean(page, 'a linked identity')
  await card.getByRole('button', { name: 'Unlink' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await expect(page.getByText('Unlinked.').first()).toBeVisible()
  await expect(card.getByText('Link your identity at your identity provider')).toBeVisible()
})
