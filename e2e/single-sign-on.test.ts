/** Sign-in by an identity provider: a real one, from its package, and everything that may come back from it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { PlainBrowser, type RunningProvider, startIdentityProvider } from '#testing/identity/provider'
import { type Gateway, startGateway } from './support/gateway.ts'

const client = { id: 'parley', secret: 'a secret of the provider for Parley' }
let provider: RunningProvider
let gateway: Gateway

beforeAll(async () => {
  provider = await startIdentityProvider({
    'subject-ann': { preferred_username: 'ann', groups: ['staff', 'unknown here'] },
    'subject-admin': { preferred_username: 'admin', groups: [] },
    'subject-bea': { preferred_username: 'bea', groups: [] },
    'subject-cid': {},
  })
  const env = {
    PARLEY_OIDC_ISSUER: provider.issuer,
    PARLEY_OIDC_CLIENT_ID: client.id,
    PARLEY_OIDC_CLIENT_SECRET: client.secret,
    PARLEY_OIDC_GROUPS: 'groups',
  }
  gateway = await startGateway(sampledEngine(import.meta.file), { env })
  for (const name of ['staff', 'research']) await gateway.admin.call('POST', '/api/groups', { name })
}, 60_000)
afterAll(async () => {
  await gateway.close()
  await provider.close()
})

interface Me {
  user: { id: string; name: string; role: string; group: string; groups: string[]; balance: string }
}

async function begin(browser: PlainBrowser, body: object = {}): Promise<string> {
  const answer = await browser.fetch(`${gateway.url}/api/session/oidc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { address } = (await answer.json()) as { address: string }
  expect(answer.status).toBe(200)
  return address
}

/** Where Parley sends the browser in the end. */
async function signIn(browser: PlainBrowser, login: string, body: object = {}): Promise<string | null> {
  const returned = await browser.signInAt(await begin(browser, body), login, gateway.url)
  const answer = await browser.fetch(returned)
  expect(answer.status).toBe(302)
  return answer.headers.get('location')
}

const me = async (browser: PlainBrowser) => {
  const answer = await browser.fetch(`${gateway.url}/api/session`)
  return answer.status === 200 ? ((await answer.json()) as Me).user : undefined
}

test('while the provider does not answer, a sign-in says so, and works once it does', async () => {
  const answer = await fetch(`${gateway.url}/api/session/oidc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect([answer.status, await answer.json()]).toMatchObject([502, { error: { code: 'upstream_error' } }])
  await provider.register({ ...client, redirectUri: `${gateway.url}/api/session/oidc/callback` })
  expect(await begin(new PlainBrowser())).toStartWith(`${provider.issuer}/auth?`)
})

test('the first sign-in makes a user without rights, in those of the named groups that exist; the next one finds them', async () => {
  const browser = new PlainBrowser()
  expect(await signIn(browser, 'subject-ann', { to: '/keys?user=me#top' })).toBe('/keys?user=me#top')
  const ann = await me(browser)
  expect(ann).toMatchObject({ name: 'ann', role: 'user', group: 'staff', groups: ['staff'], balance: '0' })

  provider.people['subject-ann'] = { preferred_username: 'ann the second', groups: ['research', 'staff'] }
  const elsewhere = new PlainBrowser()
  expect(await signIn(elsewhere, 'subject-ann')).toBe('/')
  const again = await me(elsewhere)
  expect(again).toMatchObject({ id: ann?.id, name: 'ann', group: 'staff' })
  expect(again?.groups.toSorted()).toEqual(['research', 'staff'])

  const { data } = await gateway.admin.call<{ data: { action: string; actor: string }[] }>('GET', '/api/audit?limit=50')
  expect(data.filter(({ actor }) => actor === 'provider').map(({ action }) => action)).toEqual(['user.change', 'user.create'])
})

test('names are no proof: whoever is called like a user becomes another one', async () => {
  const browser = new PlainBrowser()
  await signIn(browser, 'subject-admin')
  expect(await me(browser)).toMatchObject({ name: 'admin-2', role: 'user', group: 'default', groups: ['default'] })
  const nameless = new PlainBrowser()
  await signIn(nameless, 'subject-cid')
  expect(await me(nameless)).toMatchObject({ name: 'user' })
})

test('two first sign-ins at once make one user', async () => {
  const browsers = [new PlainBrowser(), new PlainBrowser()]
  await Promise.all(browsers.map((browser) => signIn(browser, 'subject-dan')))
  const [one, other] = await Promise.all(browsers.map(me))
  expect(one?.id).toBe(other?.id ?? '')
})

test('what comes back counts once, in the browser that began, and only if the provider gave it', async () => {
  const browser = new PlainBrowser()
  const returned = await browser.signInAt(await begin(browser), 'subject-bea', gateway.url)
  const before = provider.exchanges()

  const stranger = new PlainBrowser()
  expect((await stranger.fetch(returned)).headers.get('location')).toBe('/?sign-in=expired')
  // A stranger's own attempt does not fit another's answer.
  await begin(stranger)
  expect((await stranger.fetch(returned)).headers.get('location')).toBe('/?sign-in=refused')
  expect(provider.exchanges()).toBe(before)

  const forged = new URL(returned)
  forged.searchParams.set('code', 'a-code-that-nobody-gave')
  const kept = new Map(browser.cookies.get(gateway.url))
  expect((await browser.fetch(forged)).headers.get('location')).toBe('/?sign-in=refused')
  expect(await me(browser)).toBeUndefined()

  browser.cookies.set(gateway.url, new Map(kept))
  expect((await browser.fetch(returned)).headers.get('location')).toBe('/')
  expect(await me(browser)).toMatchObject({ name: 'bea' })
  // Used up, here and at the provider.
  browser.cookies.set(gateway.url, new Map(kept))
  expect((await browser.fetch(returned)).headers.get('location')).toBe('/?sign-in=refused')
})

test('a person who declines comes back to the page with a word for it', async () => {
  const browser = new PlainBrowser()
  await begin(browser, { to: '/keys' })
  const answer = await browser.fetch(`${gateway.url}/api/session/oidc/callback?error=access_denied&state=x`)
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/keys?sign-in=refused'])
})

test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)', '\\\\evil.example'])(
  'no sign-in ends on another site: %s',
  async (to) => {
    const browser = new PlainBrowser()
    await begin(browser, { to })
    const answer = await browser.fetch(`${gateway.url}/api/session/oidc/callback?error=access_denied`)
    expect(answer.headers.get('location')).toBe('/?sign-in=refused')
  },
)

test('a disabled user does not get in', async () => {
  const browser = new PlainBrowser()
  await signIn(browser, 'subject-eve')
  const eve = await me(browser)
  await gateway.admin.call('PATCH', `/api/users/${eve?.id}`, { enabled: false })
  expect(await signIn(new PlainBrowser(), 'subject-eve')).toBe('/?sign-in=disabled')
  expect(await me(browser)).toBeUndefined()
})

test('a user links an identity, signs in with it, and gives it up; nobody else can have it', async () => {
  const { session, id } = await gateway.user('fay', '1')
  const browser = new PlainBrowser()
  const [name = '', value = ''] = session.cookie.split('=')
  browser.cookies.set(gateway.url, new Map([[name, value]]))
  expect(await signIn(browser, 'subject-fay', { to: '/account', link: true })).toBe('/account')
  const own = await session.call<{ data: { id: string; issuer: string; label: string | null }[] }>('GET', '/api/session/identities')
  expect(own.data).toMatchObject([{ issuer: provider.issuer, label: null }])

  const elsewhere = new PlainBrowser()
  await signIn(elsewhere, 'subject-fay')
  expect((await me(elsewhere))?.id).toBe(id)

  const other = await gateway.user('gil', '1')
  const others = new PlainBrowser()
  const [, gils = ''] = other.session.cookie.split('=')
  others.cookies.set(gateway.url, new Map([[name, gils]]))
  expect(await signIn(others, 'subject-fay', { to: '/account', link: true })).toBe('/account?sign-in=taken')

  await session.call('DELETE', `/api/session/identities/${own.data[0]?.id}`)
  const { data } = await gateway.admin.call<{ data: { action: string; target: string }[] }>('GET', '/api/audit?limit=50')
  const noted = data.filter(({ action, target }) => target === id && action.startsWith('identity.')).map(({ action }) => action)
  expect(noted).toEqual(['identity.unlink', 'identity.link'])
  await signIn(elsewhere, 'subject-fay')
  expect((await me(elsewhere))?.id).not.toBe(id)
})

test('the only way in is not given up', async () => {
  const browser = new PlainBrowser()
  await signIn(browser, 'subject-hal')
  const { data } = (await (await browser.fetch(`${gateway.url}/api/session/identities`)).json()) as { data: { id: string }[] }
  const answer = await browser.fetch(`${gateway.url}/api/session/identities/${data[0]?.id}`, {
    method: 'DELETE',
    headers: { origin: gateway.url },
  })
  expect([answer.status, await answer.json()]).toMatchObject([409, { error: { code: 'still_in_use' } }])
})

test('a page of another site begins nothing', async () => {
  const answer = await fetch(`${gateway.url}/api/session/oidc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
    body: '{"link":true}',
  })
  expect(answer.status).toBe(403)
})
