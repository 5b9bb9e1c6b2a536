/**
 * Management keys from outside: every route of the console's API with every scope, whose powers a key has, when it stops, and what it
 * never opens.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { scopes } from '#shared/console/management-key'
import { sampledEngine } from '#testing/database/database'
import { wait } from '#testing/upstream/scripted-answers'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'

/** Which scopes open a route, written down by hand from the contract. */
const table: Record<string, string> = {
  'GET /api/session': scopes.join(' '),
  'GET /api/groups': 'groups read',
  'POST /api/groups': 'groups',
  'PATCH /api/groups/{name}': 'groups',
  'DELETE /api/groups/{name}': 'groups',
  'GET /api/models': 'prices read',
  'GET /api/capabilities': 'channels read',
  'GET /api/keys': 'keys read',
  'POST /api/keys': 'keys',
  'GET /api/keys/{id}': 'keys read',
  'PATCH /api/keys/{id}': 'keys',
  'POST /api/keys/{id}/rotate': 'keys',
  'DELETE /api/keys/{id}': 'keys',
  'GET /api/quotas': 'keys read',
  'GET /api/logs': 'usage read',
  'GET /api/logs/{requestId}': 'usage read',
  'GET /api/usage': 'usage read',
  'GET /api/overview': 'read',
  'GET /api/search': 'read',
  'GET /api/events': 'read',
  'GET /api/prices': 'prices read',
  'GET /api/prices/{model}/history': 'prices read',
  'POST /api/prices/effect': 'prices read',
  'POST /api/prices/cost': 'prices read',
  'GET /api/catalogue': 'prices read',
  'GET /api/catalogue/totals': 'prices read',
  'PUT /api/prices/{model}': 'prices',
  'DELETE /api/prices/{model}': 'prices',
  'GET /api/channels': 'channels read',
  'GET /api/channels/outcomes': 'channels read',
  'GET /api/channels/totals': 'channels read',
  'POST /api/channels': 'channels',
  'GET /api/channels/{id}': 'channels read',
  'PATCH /api/channels/{id}': 'channels',
  'PATCH /api/channels/{id}/keys/{key}': 'channels',
  'DELETE /api/channels/{id}': 'channels',
  'GET /api/channels/{id}/health': 'channels read',
  'GET /api/channels/{id}/outcomes': 'channels read',
  'POST /api/channels/{id}/reset': 'channels',
  'POST /api/channels/{id}/test': 'channels',
  'GET /api/channels/{id}/models': 'channels read',
  'POST /api/channels/models': 'channels',
  'GET /api/health': 'channels read',
  'POST /api/route': 'channels read',
  'POST /api/invoices/check': 'usage read',
  'GET /api/settings': 'settings read',
  'PATCH /api/settings': 'settings',
  'GET /api/environment': 'settings read',
  'GET /api/export': 'read',
  'GET /api/bodies/export': 'bodies',
  'GET /api/bodies/{requestId}': 'bodies',
  'GET /api/bodies/{requestId}/{part}': 'bodies',
  'DELETE /api/bodies/{requestId}': 'bodies',
  'DELETE /api/bodies': 'bodies',
  'GET /api/users/totals': 'users read',
  'GET /api/users/{id}': 'users read',
  'GET /api/users/{id}/sessions': 'users read',
  'DELETE /api/users/{id}/sessions': 'users',
  'DELETE /api/users/{id}/sessions/{session}': 'users',
  'GET /api/invitations': 'users read',
  'POST /api/invitations': 'users',
  'DELETE /api/invitations/{id}': 'users',
  'DELETE /api/users/{id}/factors': 'users',
  'GET /api/replays': 'replay',
  'POST /api/replays/estimate': 'replay',
  'POST /api/replays': 'replay',
  'GET /api/replays/{id}': 'replay',
  'GET /api/replays/{id}/items/{n}': 'replay',
  'GET /api/replays/{id}/export': 'replay',
  'POST /api/replays/{id}/stop': 'replay',
  'DELETE /api/replays/{id}': 'replay',
  'GET /api/users': 'users read',
  'POST /api/users': 'users',
  'PATCH /api/users/{id}': 'users',
  'DELETE /api/users/{id}': 'users',
  'GET /api/users/{id}/entries': 'users read',
  'POST /api/users/{id}/credit': 'users',
  'GET /api/teams': 'teams read',
  'POST /api/teams': 'teams',
  'GET /api/teams/{id}': 'teams read',
  'PATCH /api/teams/{id}': 'teams',
  'DELETE /api/teams/{id}': 'teams',
  'POST /api/teams/{id}/credit': 'teams',
  'GET /api/teams/{id}/entries': 'teams read',
  'GET /api/teams/{id}/members': 'teams read',
  'POST /api/teams/{id}/members': 'teams',
  'PATCH /api/teams/{id}/members/{user}': 'teams',
  'DELETE /api/teams/{id}/members/{user}': 'teams',
  'GET /api/plan': 'credits read',
  'GET /api/plans': 'credits read',
  'POST /api/plans': 'credits',
  'PATCH /api/plans/{id}': 'credits',
  'DELETE /api/plans/{id}': 'credits',
  'PUT /api/users/{id}/plan': 'credits',
  'DELETE /api/users/{id}/plan': 'credits',
  'PUT /api/teams/{id}/plan': 'credits',
  'DELETE /api/teams/{id}/plan': 'credits',
  'GET /api/codes': 'credits read',
  'POST /api/codes': 'credits',
  'DELETE /api/codes/{id}': 'credits',
  'GET /api/credits': 'credits read',
  'POST /api/credits': 'credits',
  'POST /api/credits/refund': 'credits',
  'GET /api/alerts': 'settings read',
  'POST /api/alerts/{id}/retry': 'settings',
  'GET /api/batches': 'usage read',
  'GET /api/work': 'usage read',
  'POST /api/batches/{id}/stop': 'keys',
  'POST /api/work/{id}/stop': 'keys',
  'GET /api/alerts/hooks': 'settings read',
  'POST /api/alerts/hooks': 'settings',
  'PATCH /api/alerts/hooks/{id}': 'settings',
  'DELETE /api/alerts/hooks/{id}': 'settings',
  'POST /api/alerts/hooks/{id}/test': 'settings',
  'GET /api/audit': 'audit read',
  'GET /api/books': 'audit read',
  // Only a person opens these.
  'DELETE /api/session': '',
  'PATCH /api/session/password': '',
  'GET /api/session/proof': '',
  'POST /api/session/proof': '',
  'GET /api/session/factors': '',
  'POST /api/session/factors/apps': '',
  'POST /api/session/factors/apps/{id}': '',
  'POST /api/session/factors/passkeys': '',
  'DELETE /api/session/factors/{id}': '',
  'POST /api/session/recovery-codes': '',
  'POST /api/invitations/accept': '',
  'POST /api/codes/redeem': '',
  'GET /api/sessions': '',
  'DELETE /api/sessions': 'users',
  'DELETE /api/sessions/{id}': '',
  'GET /api/session/identities': '',
  'DELETE /api/session/identities/{id}': '',
  'GET /api/conversations': '',
  'GET /api/conversations/{id}': '',
  'PUT /api/conversations/{id}': '',
  'DELETE /api/conversations/{id}': '',
  'GET /api/shares': '',
  'POST /api/shares': '',
  'DELETE /api/shares/{id}': '',
  'GET /api/management-keys': '',
  'POST /api/management-keys': '',
  'DELETE /api/management-keys/{id}': '',
}
/** Open without any credential. */
const open = [
  ...['GET /api/status', 'POST /api/setup', 'POST /api/session', 'POST /api/session/oidc', 'GET /api/session/oidc/callback'],
  'GET /api/shares/{id}',
  // Ways in: what they ask for is in the body, or in the cookie of a step.
  ...['POST /api/session/step', 'POST /api/session/passkey', 'POST /api/session/passkey-options', 'POST /api/join', 'POST /api/join/look'],
]
/** It would end the session of these tests: the last of them calls it. */
const forEverybody = 'DELETE /api/sessions'

const onlyForAdministrators =
  /^\S+ \/api\/(plans|codes|credits|teams\/\{id\}\/plan|alerts|channels|capabilities|catalogue|users|audit|books|settings|environment|export|health|route|invoices)|^(POST|PATCH|DELETE) \/api\/groups|^DELETE \/api\/sessions$|^(PUT|DELETE) \/api\/prices|^GET \/api\/prices\/\{model\}\/history|^POST \/api\/prices\/effect|^POST \/api\/(teams(\/\{id\}\/credit)?|invitations)$|^(PATCH|DELETE) \/api\/teams\/\{id\}$/

interface Made {
  id: string
  name: string
  key: string
}

let gateway: Gateway

/** Calls the API with a management key and nothing else. A body is always sent, empty, so that a write gets as far as its own checks. */
async function ask(key: string, route: string, body: unknown = {}): Promise<{ status: number; code?: string; text: string }> {
  const [method = '', path = ''] = route.split(' ')
  const address = gateway.url + path.replace(/\{\w+\}/g, 'nothing-with-this-name')
  const write = method !== 'GET' && method !== 'DELETE'
  const answer = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(write && { 'content-type': 'application/json' }) },
    ...(write && { body: JSON.stringify(body) }),
  })
  // A stream has no end; that it has begun says enough.
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isStream ? '' : await answer.text()
  if (isStream) await answer.body?.cancel()
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { code?: string } }
  return { status: answer.status, ...(error?.code && { code: error.code }), text }
}

const make = (session: Session, fields: object) =>
  session.call<Made>('POST', '/api/management-keys', { name: 'terraform', scopes: ['read'], ...fields })

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 90_000)
afterAll(() => gateway?.close())

describe('every route with every scope', () => {
  test('the table has every route of the API document, which says the same', async () => {
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>
    }
    const told = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { security }]) => [`${method.toUpperCase()} ${path}`, security] as const),
      )
    const documented = Object.fromEntries(
      told
        .filter(([route]) => !open.includes(route))
        .map(([route, security]) => [route, security.flatMap(({ managementKey }) => managementKey ?? []).sort()]),
    )
    expect(documented).toEqual(
      Object.fromEntries(Object.entries(table).map(([route, words]) => [route, words.split(' ').filter(Boolean).sort()])),
    )
  })

  test.each(scopes)(
    '%s opens its own routes and no other',
    async (scope) => {
      const { key } = await make(gateway.admin, { name: `only ${scope}`, scopes: [scope] })
      for (const [route, words] of Object.entries(table)) {
        const isOpen = words.split(' ').includes(scope)
        if (isOpen && route === forEverybody) continue
        const { status, code, text } = await ask(key, route)
        // Whatever the route itself says to an empty question, it is no refusal of the key.
        expect([route, status === 401 || code === 'not_permitted']).toEqual([route, !isOpen])
        if (!isOpen) expect([route, status, code, text.includes('sk-')]).toEqual([route, 403, 'not_permitted', false])
      }
    },
    60_000,
  )

  test('a key may never do what its owner may not', async () => {
    const { session } = await gateway.user('holder', '5')
    const { key } = await make(session, { scopes: [...scopes] })
    for (const [route, words] of Object.entries(table)) {
      const { code } = await ask(key, route)
      const refused = words === '' || onlyForAdministrators.test(route)
      expect([route, code === 'not_permitted']).toEqual([route, refused])
    }
    const rows = JSON.parse((await ask(key, 'GET /api/keys')).text) as { data: { user: { name: string } }[] }
    expect(rows.data.map(({ user }) => user.name)).toEqual(['holder'])
    expect((await ask(key, 'GET /api/keys?all=true')).code).toBe('not_permitted')
  }, 60_000)
})

describe('endpoints', () => {
  test('a management key reaches no endpoint of models, a key of models no route of the console', async () => {
    const { key } = await make(gateway.admin, { scopes: [...scopes] })
    const chat = { model: 'parley-demo', messages: [{ role: 'user', content: 'hello' }] }
    for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/embeddings', '/v1beta/models/parley-demo:generateContent']) {
      expect([path, (await ask(key, `POST ${path}`, chat)).status]).toEqual([path, 401])
    }
    for (const carrier of ['x-api-key', 'x-goog-api-key']) {
      expect((await fetch(`${gateway.url}/v1/models`, { headers: { [carrier]: key } })).status).toBe(401)
    }
    expect(await ask(key, 'POST /pg/chat/completions', { ...chat, group: 'default' })).toMatchObject({ status: 401, code: 'not_signed_in' })
    for (const route of Object.keys(table)) expect([route, (await ask(gateway.key, route)).code]).toEqual([route, 'not_signed_in'])
  })

  test('it needs no cookie, and no page of ours', async () => {
    const { key } = await make(gateway.admin, { scopes: ['groups'] })
    const answer = await fetch(`${gateway.url}/api/groups`, {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'content-type': 'application/json',
        origin: 'https://elsewhere.example',
        'sec-fetch-site': 'cross-site',
      },
      body: JSON.stringify({ name: 'from-a-program', ratio: '1' }),
    })
    expect(answer.status).toBe(201)
  })

  test('with a cookie beside it the key counts', async () => {
    const { key } = await make(gateway.admin, { scopes: ['usage'] })
    const answer = await gateway.admin.raw('GET', '/api/users', undefined, { authorization: `Bearer ${key}` })
    expect(answer.status).toBe(403)
    expect((await gateway.admin.raw('GET', '/api/users', undefined, { authorization: 'Bearer pk-notakeyatall' })).status).toBe(401)
  })
})

describe('a life', () => {
  const state = async (key: string) => (await ask(key, 'GET /api/session')).status

  test('the secret is shown once; the row has its end, its last use and where from', async () => {
    const made = await make(gateway.admin, { name: 'export', scopes: ['usage', 'read'] })
    expect(made.key).toMatch(/^pk-[A-Za-z0-9]{48}$/)
    await ask(made.key, 'GET /api/usage')
    const { data } = await gateway.admin.call<{ data: Record<string, unknown>[] }>('GET', '/api/management-keys')
    const row = data.find(({ id }) => id === made.id)
    expect(row).toMatchObject({
      name: 'export',
      scopes: ['usage', 'read'],
      hint: `pk-...${made.key.slice(-4)}`,
      lastUsedFrom: '127.0.0.1',
      valid: true,
    })
    expect(JSON.stringify(data)).not.toContain(made.key)
    expect(Date.parse(String(row?.lastUsedAt))).toBeGreaterThan(Date.now() - 60_000)
  })

  test('it ends when it is deleted, and at its expiry', async () => {
    const made = await make(gateway.admin, {})
    expect(await state(made.key)).toBe(200)
    await gateway.admin.call('DELETE', `/api/management-keys/${made.id}`)
    expect(await state(made.key)).toBe(401)
    const brief = await make(gateway.admin, { expiresAt: new Date(Date.now() + 1_500).toISOString() })
    expect(await state(brief.key)).toBe(200)
    while ((await state(brief.key)) === 200) await wait(100)
    expect(await ask(brief.key, 'GET /api/session')).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  test('it stops with its owner: disabled, another role, deleted', async () => {
    const { session, id } = await gateway.user('owner', '0')
    const { key } = await make(session, {})
    await gateway.admin.call('PATCH', `/api/users/${id}`, { enabled: false })
    expect(await state(key)).toBe(401)
    await gateway.admin.call('PATCH', `/api/users/${id}`, { enabled: true })
    expect(await state(key)).toBe(200)
    await gateway.admin.call('PATCH', `/api/users/${id}`, { role: 'admin' })
    expect(await state(key)).toBe(401)
    const again = await gateway.signIn('owner', 'password of owner')
    const { key: powerful } = await make(again, {})
    expect((await ask(powerful, 'GET /api/users')).status).toBe(200)
    await gateway.admin.call('PATCH', `/api/users/${id}`, { role: 'user' })
    expect([await state(powerful), await state(key)]).toEqual([401, 200])
    await gateway.admin.call('DELETE', `/api/users/${id}`)
    expect(await state(key)).toBe(401)
  })

  test('nobody else sees it or removes it', async () => {
    const { session } = await gateway.user('curious', '0')
    const made = await make(gateway.admin, {})
    expect((await session.call<{ data: unknown[] }>('GET', '/api/management-keys')).data).toEqual([])
    expect((await session.raw('DELETE', `/api/management-keys/${made.id}`)).status).toBe(404)
    expect(await state(made.key)).toBe(200)
  })

  test.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['all'] }, 'scopes.0'],
    [{ scopes: ['read', 'read'] }, 'scopes'],
    [{ name: '' }, 'name'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    [{ user: 'admin' }, 'user'],
  ])('%j is refused', async (fields, param) => {
    const answer = await gateway.admin.raw('POST', '/api/management-keys', { name: 'x', scopes: ['read'], ...fields })
    expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([400, param])
  })
})

test('the audit trail names the key and its owner, and finds both', async () => {
  const made = await make(gateway.admin, { name: 'deploy', scopes: ['keys'] })
  expect((await ask(made.key, 'POST /api/keys', { name: 'made by a program' })).status).toBe(201)
  const { id: self } = (await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')).user
  for (const actor of [made.id, 'deploy', self]) {
    const { data } = await gateway.admin.call<{ data: object[] }>('GET', `/api/audit?action=key.create&actor=${actor}`)
    expect(data[0]).toMatchObject({
      actor: made.id,
      actorName: 'deploy',
      owner: { id: self, name: 'admin' },
      targetName: 'made by a program',
    })
  }
  const { data } = await gateway.admin.call<{ data: object[] }>('GET', `/api/audit?target=${made.id}`)
  expect(data).toMatchObject([
    { action: 'managementKey.create', actorName: 'admin', owner: null, after: { digest: 'set', scopes: ['keys'] } },
  ])
  expect(JSON.stringify(data)).not.toContain(made.key)
})

test('a program signs everybody out, whoever made its key too, and goes on itself', async () => {
  const { key } = await make(gateway.admin, { name: 'alarm', scopes: ['users', 'audit'] })
  const { status, text } = await ask(key, forEverybody)
  expect([status, Object.keys(JSON.parse(text))]).toEqual([200, ['ended']])
  expect((await gateway.admin.raw('GET', '/api/session')).status).toBe(401)
  const { data } = JSON.parse((await ask(key, 'GET /api/audit')).text) as { data: { action: string; actorName: string }[] }
  expect(data.find(({ action }) => action === 'session.endAll')?.actorName).toBe('alarm')
})
