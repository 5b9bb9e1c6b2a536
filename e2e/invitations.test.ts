/** Invitations from outside: who may make which, who comes in by them, how often, and when they end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'

let gateway: Gateway
let mara: { session: Session; id: string }
let team: string

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
  mara = await gateway.user('mara', '1')
  team = (await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'apps', balance: '5' })).id
  await gateway.admin.call('POST', `/api/teams/${team}/members`, { user: 'mara', role: 'manager' })
}, 60_000)
afterAll(() => gateway?.close())

interface Made {
  id: string
  link: string
}

const invite = async (by: Session, fields: object = {}) => {
  const made = await by.call<Made>('POST', '/api/invitations', fields)
  return { ...made, token: new URL(made.link).hash.slice(1) }
}
const refused = async (answer: Promise<Response>) => {
  const response = await answer
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
}
const post = (path: string, body: object, cookie = '') =>
  fetch(gateway.url + path, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) })
const join = (token: string, name: string) => post('/api/join', { token, name, password: `password of ${name}` })
const look = (token: string) => post('/api/join/look', { token })

describe('whoever has the link', () => {
  test('sees what it is for, makes an account with role and group, and is signed in', async () => {
    await gateway.admin.call('POST', '/api/groups', { name: 'vip' })
    const { link, token, id } = await invite(gateway.admin, { group: 'vip', note: 'for nora' })
    expect(link).toBe(`${gateway.url}/join#${token}`)
    const facts = await look(token)
    expect([facts.status, await facts.json()]).toMatchObject([200, { by: 'admin', team: null, role: 'user' }])
    const answer = await join(token, 'nora')
    expect([answer.status, await answer.json()]).toMatchObject([201, { user: { name: 'nora', role: 'user', group: 'vip', balance: '0' } }])
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect((await fetch(`${gateway.url}/api/session`, { headers: { cookie } })).status).toBe(200)
    const trail = await gateway.admin.call<{ data: object[] }>('GET', `/api/audit?target=${id}`)
    expect(trail.data).toMatchObject([
      { action: 'invitation.use', actorName: 'nora', before: { uses: 0 }, after: { uses: 1 } },
      { action: 'invitation.create', actorName: 'admin', after: { digest: 'set', most: 1 } },
    ])
    expect(JSON.stringify(trail)).not.toContain(token)
    const rows = await gateway.admin.call('GET', '/api/invitations')
    expect(rows).toMatchObject({ data: [{ id, note: 'for nora', uses: 1, most: 1, valid: false }] })
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('comes in as often as it says, however many try at once', async () => {
    const { token } = await invite(gateway.admin, { uses: 2 })
    const names = ['omar', 'pia', 'quinn', 'rosa', 'sven']
    const answers = await Promise.all(names.map((name) => join(token, name)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 404, 404, 404])
    expect(await refused(look(token))).toEqual([404, 'not_found'])
    const { data } = await gateway.admin.call<{ data: { name: string }[] }>('GET', '/api/users?limit=200')
    expect(data.filter(({ name }) => names.includes(name))).toHaveLength(2)
  })

  test('gets nothing by a name that is taken or a weak password, and the link stays good', async () => {
    const { token } = await invite(gateway.admin)
    expect(await refused(join(token, 'mara'))).toEqual([409, 'name_taken'])
    expect(await refused(post('/api/join', { token, name: 'tess', password: 'password' }))).toEqual([400, 'weak_password'])
    expect((await join(token, 'tess')).status).toBe(201)
  })

  test('gets nothing by one that was taken back, or by any other text', async () => {
    const { token, id } = await invite(gateway.admin)
    await gateway.admin.call('DELETE', `/api/invitations/${id}`)
    for (const text of [token, '', 'inv-', `inv-${'a'.repeat(40)}`, id])
      expect(await refused(join(text, 'uma'))).toEqual([404, 'not_found'])
  })
})

describe('a team', () => {
  test('takes a new user in, and one who is there, each once', async () => {
    const { token } = await invite(mara.session, { team, teamRole: 'accountant', uses: 2 })
    const answer = await join(token, 'vera')
    expect([answer.status, await answer.json()]).toMatchObject([201, { user: { name: 'vera', role: 'user', group: 'default' } }])
    const { session } = await gateway.user('wim', '1')
    const accept = () => session.raw('POST', '/api/invitations/accept', { token })
    expect((await accept()).status).toBe(204)
    expect(await refused(accept())).toEqual([404, 'not_found'])
    const more = await invite(mara.session, { team })
    expect(await refused(session.raw('POST', '/api/invitations/accept', { token: more.token }))).toEqual([409, 'name_taken'])
    const { data } = await gateway.admin.call<{ data: { name: string; role: string }[] }>('GET', `/api/teams/${team}/members`)
    expect(Object.fromEntries(data.map(({ name, role }) => [name, role]))).toEqual({
      mara: 'manager',
      vera: 'accountant',
      wim: 'accountant',
    })
    // It gave a place in the team, and nothing else.
    const other = await invite(gateway.admin, { role: 'admin' })
    expect(await refused(session.raw('POST', '/api/invitations/accept', { token: other.token }))).toEqual([400, 'invalid_value'])
    expect(await session.call('GET', '/api/session')).toMatchObject({ user: { role: 'user' } })
  })

  test('is open only to those who run it, as far as their role reaches', async () => {
    const { session } = await gateway.user('xaver', '1')
    const other = (await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'others' })).id
    const may = async (by: Session, fields: object) => {
      const answer = await by.raw('POST', '/api/invitations', fields)
      await answer.text()
      return answer.status
    }
    expect(await may(session, {})).toBe(403)
    expect(await may(session, { team })).toBe(404)
    expect(await may(mara.session, { team: other })).toBe(404)
    expect(await may(mara.session, {})).toBe(403)
    expect(await may(mara.session, { team, teamRole: 'manager' })).toBe(403)
    expect(await may(mara.session, { team, role: 'admin' })).toBe(403)
    expect(await may(mara.session, { team, group: 'vip' })).toBe(403)
    expect(await may(mara.session, { team, teamRole: 'member' })).toBe(201)
    const foreign = await invite(gateway.admin, { team: other })
    expect((await mara.session.raw('DELETE', `/api/invitations/${foreign.id}`)).status).toBe(404)
    const seen = await mara.session.call<{ data: { team: { id: string } }[] }>('GET', '/api/invitations')
    expect(new Set(seen.data.map(({ team }) => team.id))).toEqual(new Set([team]))
    expect(await session.call('GET', '/api/invitations')).toEqual({ data: [], next: null })
  })

  test('an invitation ends with the right of whoever made it', async () => {
    const { session, id } = await gateway.user('yara', '1')
    await gateway.admin.call('POST', `/api/teams/${team}/members`, { user: 'yara', role: 'manager' })
    const { token } = await invite(session, { team })
    expect((await look(token)).status).toBe(200)
    await gateway.admin.call('PATCH', `/api/teams/${team}/members/${id}`, { role: 'member' })
    expect(await refused(look(token))).toEqual([404, 'not_found'])
    await gateway.admin.call('PATCH', `/api/teams/${team}/members/${id}`, { role: 'manager' })
    expect((await look(token)).status).toBe(200)
    await gateway.admin.call('PATCH', `/api/users/${id}`, { enabled: false })
    expect(await refused(join(token, 'zoe'))).toEqual([404, 'not_found'])
  })
})

test('a management key invites users and no administrators', async () => {
  const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/management-keys', { name: 'k', scopes: ['users'] })
  const byKey = (fields: object) =>
    fetch(`${gateway.url}/api/invitations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
  expect(await refused(byKey({ role: 'admin' }))).toEqual([403, 'not_permitted'])
  expect((await byKey({})).status).toBe(201)
})
