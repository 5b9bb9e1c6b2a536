/** Sign-in by an identity provider: a real one, from its package, and everything that may come back from it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appCode } from '#testing/authenticator-app'
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
    PARLEY_TRUSTED_PROXIES: '127.0.0.1',
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

const signedIn = async (login: string, browser: PlainBrowser) => {
  expect(await signIn(browser, login)).toBe('/')
  return browser
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

test('a claim puts people into teams that ask for it, takes them out again, and leaves what people gave', async () => {
  const team = (name: string, claim?: string) =>
    gateway.admin.call<{ id: string }>('POST', '/api/teams', { name, balance: '1', ...(claim && { claim }) })
  const [asked, given, named] = [await team('of researchers', 'research'), await team('by hand', 'research'), await team('research')]
  provider.people['subject-ann'] = { preferred_username: 'ann', groups: ['staff', 'research'] }
  const browser = new PlainBrowser()
  const ann = await me(await signedIn('subject-ann', browser))
  await gateway.admin.call('DELETE', `/api/teams/${given.id}/members/${ann?.id}`)
  await gateway.admin.call('POST', `/api/teams/${given.id}/members`, { user: ann?.id, role: 'accountant' })
  const places = async () => {
    const answer = await browser.fetch(`${gateway.url}/api/teams`)
    return ((await answer.json()) as { data: { id: string; role: string }[] }).data.map(({ id, role }) => [id, role])
  }
  expect((await places()).toSorted()).toEqual(
    [
      [asked.id, 'member'],
      [given.id, 'accountant'],
    ].toSorted(),
  )
  // A team that merely has the name of a group gets no members.
  expect((await places()).map(([id]) => id)).not.toContain(named.id)
  provider.people['subject-ann'] = { preferred_username: 'ann', groups: ['staff'] }
  await signedIn('subject-ann', browser)
  expect(await places()).toEqual([[given.id, 'accountant']])
  const { data } = await gateway.admin.call<{ data: { action: string; actor: string }[] }>('GET', '/api/audit?action=member&limit=50')
  expect(data.filter(({ actor }) => actor === 'provider').map(({ action }) => action)).toEqual([
    'member.remove',
    'member.create',
    'member.create',
  ])
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

test('codes that nobody gave are asked about a hundred times an hour for one address, and others sign in meanwhile', async () => {
  const browser = new PlainBrowser()
  const returned = new URL(await browser.signInAt(await begin(browser), 'subject-bea', gateway.url))
  returned.searchParams.set('code', 'a-code-that-nobody-gave')
  const kept = new Map(browser.cookies.get(gateway.url))
  const before = provider.exchanges()
  const words = new Set<string | null>()
  const [name, value = ''] = [...kept].find(([, one]) => Buffer.from(one, 'base64url').includes('"verifier"')) ?? ['']
  for (let tries = 0; tries < 130; tries++) {
    // The browser keeps its own attempt: an attacker with a forged code must forge that, too.
    const begun = { ...(JSON.parse(Buffer.from(value, 'base64url').toString()) as object), state: `made-up-${tries}` }
    returned.searchParams.set('state', begun.state)
    browser.cookies.set(gateway.url, new Map([[name, Buffer.from(JSON.stringify(begun)).toString('base64url')]]))
    words.add((await browser.fetch(returned, { headers: { 'x-forwarded-for': '203.0.113.7' } })).headers.get('location'))
  }
  expect(provider.exchanges() - before).toBeLessThanOrEqual(100)
  expect([...words]).toEqual(['/?sign-in=refused', '/?sign-in=wait'])
  // Another user, from another address.
  expect(await signIn(new PlainBrowser(), 'subject-bea')).toBe('/')
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

test('whoever has the provider only proves there again who they are, and nobody else can for them', async () => {
  const browser = new PlainBrowser()
  await signIn(browser, 'subject-ivo')
  const proofs = async () => {
    const { data } = await gateway.admin.call<{ data: object[] }>('GET', '/api/audit?action=session.prove&limit=200')
    return data.length
  }
  const methods = await (await browser.fetch(`${gateway.url}/api/session/proof`)).json()
  expect(methods).toMatchObject({ provider: true, password: false, app: false })
  const address = new URL(await begin(browser, { to: '/account', proof: true }))
  expect([address.searchParams.get('prompt'), address.searchParams.get('max_age')]).toEqual(['login', '0'])
  const before = await proofs()
  const returned = await browser.signInAt(address.href, 'subject-ivo', gateway.url)
  expect((await browser.fetch(returned)).headers.get('location')).toBe('/account')
  expect(await proofs()).toBe(before + 1)
  // Another person at the same provider, in the same browser.
  browser.cookies.delete(provider.issuer)
  const other = await browser.signInAt(await begin(browser, { to: '/account', proof: true }), 'subject-jan', gateway.url)
  expect((await browser.fetch(other)).headers.get('location')).toBe('/account?sign-in=refused')
  expect(await proofs()).toBe(before + 1)
  expect((await me(browser))?.name).toStartWith('user')
})

test('the second factor is the provider’s, unless a setting asks for it here', async () => {
  const browser = new PlainBrowser()
  await signIn(browser, 'subject-kim')
  const post = async (path: string, body: object) => {
    const answer = await browser.fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: gateway.url },
      body: JSON.stringify(body),
    })
    return [answer.status, await answer.json()] as [number, Record<string, never>]
  }
  const [, app] = await post('/api/session/factors/apps', { name: 'Phone' })
  const code = appCode(app.secret ?? '')
  const [, { recoveryCodes = [] }] = (await post(`/api/session/factors/apps/${app.id}`, { code })) as [number, { recoveryCodes?: string[] }]
  const elsewhere = await signedIn('subject-kim', new PlainBrowser())
  expect(await me(elsewhere)).toBeDefined()
  await gateway.admin.call('PATCH', '/api/settings', { secondFactorAfterProvider: true })
  try {
    browser.cookies.clear()
    expect(await signIn(browser, 'subject-kim', { to: '/keys' })).toBe('/keys?sign-in=second-factor')
    expect(await me(browser)).toBeUndefined()
    expect(await post('/api/session/step', { recoveryCode: recoveryCodes[0] })).toMatchObject([200, { user: {} }])
    expect(await me(browser)).toBeDefined()
  } finally {
    await gateway.admin.call('PATCH', '/api/settings', { secondFactorAfterProvider: false })
  }
})

test('an invitation by the provider gives a new user role, group and team, and one who is there the team alone', async () => {
  const team = await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'invited' })
  const { link } = await gateway.admin.call<{ link: string }>('POST', '/api/invitations', { group: 'research', team: team.id, uses: 2 })
  const invitation = new URL(link).hash.slice(1)
  const fresh = new PlainBrowser()
  expect(await signIn(fresh, 'subject-lea', { to: '/join', invitation })).toBe('/join')
  expect(await me(fresh)).toMatchObject({ role: 'user', group: 'research' })
  const known = new PlainBrowser()
  await signIn(known, 'subject-max')
  const before = await me(known)
  expect(await signIn(known, 'subject-max', { to: '/join', invitation })).toBe('/join')
  expect(await me(known)).toMatchObject({ id: before?.id, group: before?.group })
  const { data } = await gateway.admin.call<{ data: { id: string }[] }>('GET', `/api/teams/${team.id}/members`)
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([before?.id ?? '', (await me(fresh))?.id ?? '']))
  // It is used up: signing in creates an account, but no membership.
  const late = new PlainBrowser()
  expect(await signIn(late, 'subject-nik', { to: '/join', invitation })).toBe('/join?sign-in=invitation')
  expect(await me(late)).toMatchObject({ role: 'user', group: 'default' })
})
