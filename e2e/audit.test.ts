/**
 * The audit trail from outside: every console route that writes leaves a row, or is in the short list of those that change nothing stored.
 * The routes come from the program's own API document, so a new one cannot be forgotten.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampledEngine, sampledEngines } from '#testing/database/database'
import { administratorPassword } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Row {
  id: string
  actor: string
  actorName: string | null
  action: string
  target: string
  targetName: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  requestId: string | null
}

/** A reset only clears memory; the others only read. */
const changesNothing = [
  // What users keep of their own conversations: nobody else sees it, and it changes with every message.
  'PUT /api/conversations/{id}',
  'DELETE /api/conversations/{id}',
  // Only with an identity provider, which e2e/single-sign-on.test.ts has, and reads the audit trail.
  'POST /api/session/oidc',
  'DELETE /api/session/identities/{id}',
  'POST /api/channels/{id}/reset',
  'POST /api/channels/{id}/test',
  'POST /api/channels/models',
  'POST /api/route',
]

const secrets = {
  password: 'a secret password',
  other: 'another secret password',
  vendor: 'sk-vendor-secret-1',
  team: 'header-secret',
  param: 'param-secret',
  option: 'option-secret',
  query: 'query-secret',
}
const channel = { name: 'c', vendor: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', keys: [secrets.vendor], models: ['m'] }

type Call = (gateway: Gateway, made: Record<string, string>) => Promise<Record<string, unknown> | undefined>

const again = ({ signIn }: Gateway) => signIn('admin', administratorPassword)

/** The id of a request whose bodies are kept. */
async function keptRequest({ url, key }: Gateway): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'none', messages: [{ role: 'user', content: 'Hello' }] })
  const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
  expect(answer.headers.get('x-parley-stored')).toBe('30d')
  return answer.headers.get('x-request-id') ?? ''
}

/** Requests by route, in an order in which each finds what it needs; ids of created rows are kept by kind. */
const calls: Record<string, { by: Call; actions: string[] }> = {
  'POST /api/groups': { by: ({ admin }) => admin.call('POST', '/api/groups', { name: 'vip', ratio: '0.8' }), actions: ['group.create'] },
  'PATCH /api/groups/{name}': { by: ({ admin }) => admin.call('PATCH', '/api/groups/vip', { ratio: '0.7' }), actions: ['group.change'] },
  'POST /api/users': {
    by: ({ admin }) => admin.call('POST', '/api/users', { name: 'eve', password: secrets.password, balance: '3' }),
    actions: ['user.create', 'user.grant'],
  },
  'PATCH /api/users/{id}': {
    by: ({ admin }, { user }) => admin.call('PATCH', `/api/users/${user}`, { password: secrets.other, role: 'admin' }),
    actions: ['user.change'],
  },
  'POST /api/users/{id}/credit': {
    by: async ({ admin }, { user }) => {
      const post = () =>
        admin.raw('POST', `/api/users/${user}/credit`, { amount: '-1.5', reason: 'a mistake' }, { 'Idempotency-Key': 'k1' })
      expect((await post()).status).toBe(200)
      expect((await post()).status).toBe(200)
      return undefined
    },
    actions: ['user.credit'],
  },
  'POST /api/keys': { by: ({ admin }) => admin.call('POST', '/api/keys', { name: 'k' }), actions: ['key.create'] },
  'PATCH /api/keys/{id}': {
    by: ({ admin }, { key }) => admin.call('PATCH', `/api/keys/${key}`, { strict: true }),
    actions: ['key.change'],
  },
  'POST /api/keys/{id}/rotate': {
    by: ({ admin }, { key }) => admin.call('POST', `/api/keys/${key}/rotate`, { overlapHours: 1 }),
    actions: ['key.change'],
  },
  'DELETE /api/keys/{id}': { by: ({ admin }, { key }) => admin.call('DELETE', `/api/keys/${key}`), actions: ['key.remove'] },
  'POST /api/management-keys': {
    by: ({ admin }) => admin.call('POST', '/api/management-keys', { name: 'terraform', scopes: ['read'] }),
    actions: ['managementKey.create'],
  },
  'DELETE /api/management-keys/{id}': {
    by: ({ admin }, { managementKey }) => admin.call('DELETE', `/api/management-keys/${managementKey}`),
    actions: ['managementKey.remove'],
  },
  'POST /api/channels': { by: ({ admin }) => admin.call('POST', '/api/channels', channel), actions: ['channel.create'] },
  'PATCH /api/channels/{id}': {
    by: ({ admin }, { channel: id }) =>
      admin.call('PATCH', `/api/channels/${id}`, {
        keys: ['sk-vendor-secret-2'],
        headers: { 'x-team': secrets.team },
        params: { set: { api_key: secrets.param, user: 'visible' } },
        options: { secretToken: secrets.option },
        baseUrl: `http://127.0.0.1:9/v1?code=${secrets.query}`,
      }),
    actions: ['channel.change'],
  },
  'DELETE /api/channels/{id}': {
    by: ({ admin }, { channel: id }) => admin.call('DELETE', `/api/channels/${id}`),
    actions: ['channel.remove'],
  },
  'PUT /api/prices/{model}': {
    by: ({ admin }) => admin.call('PUT', '/api/prices/vendor%2Fm', { input: '1', output: '2' }),
    actions: ['price.put'],
  },
  'DELETE /api/prices/{model}': { by: ({ admin }) => admin.call('DELETE', '/api/prices/vendor%2Fm'), actions: ['price.remove'] },
  'PATCH /api/settings': {
    by: ({ admin }) => admin.call('PATCH', '/api/settings', { moderationModel: 'judge', bodies: { keep: true } }),
    actions: ['settings.change'],
  },
  'DELETE /api/bodies/{requestId}': {
    by: async (gateway) => gateway.admin.call('DELETE', `/api/bodies/${await keptRequest(gateway)}`),
    actions: ['body.remove'],
  },
  'DELETE /api/bodies': {
    by: async (gateway, { user }) => {
      await keptRequest(gateway)
      const { id } = (await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')).user
      expect(id).not.toBe(user ?? '')
      return gateway.admin.call('DELETE', `/api/bodies?user=${id}`)
    },
    actions: ['body.remove'],
  },
  'POST /api/shares': {
    by: async ({ admin }) => {
      await admin.call('PATCH', '/api/settings', { shareLinks: true })
      const share = await admin.call<{ id: string }>('POST', '/api/shares', { title: 'shown', text: '{}', days: 7 })
      return { id: share.id.slice(0, 6), whole: share.id }
    },
    actions: ['settings.change', 'share.create'],
  },
  'DELETE /api/shares/{id}': {
    by: async ({ admin }) => {
      const { data } = await admin.call<{ data: { id: string }[] }>('GET', '/api/shares')
      return admin.call('DELETE', `/api/shares/${data[0]?.id}`)
    },
    actions: ['share.remove'],
  },
  'POST /api/session': {
    by: async (gateway) => {
      await again(gateway)
      return undefined
    },
    actions: ['session.start'],
  },
  'DELETE /api/session': {
    by: async (gateway) => (await again(gateway)).call('DELETE', '/api/session'),
    actions: ['session.end', 'session.start'],
  },
  'DELETE /api/sessions/{id}': {
    by: async (gateway) => {
      await again(gateway)
      const { data } = await gateway.admin.call<{ data: { id: string; current: boolean }[] }>('GET', '/api/sessions')
      return gateway.admin.call('DELETE', `/api/sessions/${data.find(({ current }) => !current)?.id}`)
    },
    actions: ['session.end', 'session.start'],
  },
  'PATCH /api/session/password': {
    by: ({ admin }) => admin.call('PATCH', '/api/session/password', { old: administratorPassword, new: administratorPassword }),
    actions: ['user.change'],
  },
  'DELETE /api/users/{id}': { by: ({ admin }, { user }) => admin.call('DELETE', `/api/users/${user}`), actions: ['user.remove'] },
  'DELETE /api/groups/{name}': { by: ({ admin }) => admin.call('DELETE', '/api/groups/vip'), actions: ['group.remove'] },
}

async function rows(gateway: Gateway, query = ''): Promise<Row[]> {
  return (await gateway.admin.call<{ data: Row[] }>('GET', `/api/audit?limit=200${query}`)).data
}

describe.each(sampledEngines(import.meta.file))('the audit trail on %s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway(engine)
  }, 90_000)
  afterAll(() => gateway?.close())

  test('the first administrator is in it, made by the environment', async () => {
    const found = await rows(gateway)
    expect(found.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      expect.stringMatching(/^\w+ session\.start$/),
      'environment user.create',
      'environment key.create',
      'environment user.grant',
    ])
    expect(found[3]?.after).toEqual({ amount: '100', reason: 'opening grant' })
  })

  test('every route that writes leaves a row, with who, what and which request', async () => {
    const made: Record<string, string> = {}
    const { id: self } = (await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')).user
    for (const [route, { by, actions }] of Object.entries(calls)) {
      const before = await rows(gateway)
      const answer = await by(gateway, made)
      const kind = actions[0]?.split('.')[0] ?? ''
      if (route.startsWith('POST') && typeof answer?.id === 'string') made[kind] = answer.id
      const fresh = (await rows(gateway)).slice(0, -before.length)
      expect([route, fresh.map(({ action }) => action).sort()]).toEqual([route, actions])
      for (const row of fresh) {
        expect(row).toMatchObject({ actor: self, actorName: 'admin' })
        expect(row.requestId).toStartWith('req_')
      }
    }
    const money = await rows(gateway, '&action=user.credit')
    expect(money).toMatchObject([{ target: made.user, targetName: 'eve', after: { amount: '-1.5', reason: 'a mistake' } }])
    const changed = await rows(gateway, `&action=user.change&target=eve`)
    expect(changed).toMatchObject([{ before: { role: 'user', passwordHash: 'set' }, after: { role: 'admin', passwordHash: 'changed' } }])
  }, 60_000)

  test('with a user go the keys, each with a row, and it is said what was left', async () => {
    const { id, session } = await gateway.user('leaver', '2.5')
    for (const name of ['one', 'two']) await session.call('POST', '/api/keys', { name })
    const keys = (await session.call<{ data: { id: string; name: string }[] }>('GET', '/api/keys')).data
    const before = (await rows(gateway)).length
    await gateway.admin.call('DELETE', `/api/users/${id}`)
    const [user, ...gone] = (await rows(gateway)).slice(0, -before)
    expect(user).toMatchObject({ action: 'user.remove', target: id, targetName: 'leaver', before: { balance: '2.5' }, after: null })
    expect(gone.map(({ action, target, targetName, after }) => ({ action, target, targetName, after }))).toEqual(
      expect.arrayContaining(keys.map((key) => ({ action: 'key.remove', target: key.id, targetName: key.name, after: null }))),
    )
    expect(gone.length).toBe(keys.length)
    expect(keys.length).toBeGreaterThanOrEqual(2)
    expect(new Set([user, ...gone].map((row) => row?.requestId)).size).toBe(1)
  }, 30_000)

  test('no route that writes is forgotten', async () => {
    const { paths } = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> }
    const writes = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => !route.startsWith('GET '))
    // Setup is over; what it writes is what the environment wrote above.
    expect(writes.sort()).toEqual([...Object.keys(calls), ...changesNothing, 'POST /api/setup'].sort())
  })

  test('it holds no secret, and only administrators read it', async () => {
    const text = JSON.stringify(await rows(gateway))
    for (const secret of [...Object.values(secrets), gateway.key, 'sk-vendor-secret-2', 'argon2']) expect(text).not.toContain(secret)
    const { session } = await gateway.user('reader', '1')
    expect((await session.raw('GET', '/api/audit')).status).toBe(403)
    expect((await fetch(`${gateway.url}/api/audit`)).status).toBe(401)
    for (const wrong of ['limit=0', 'after=x', 'actor=', 'actor=a&actor=b', 'target=%00']) {
      expect([wrong, (await gateway.admin.raw('GET', `/api/audit?${wrong}`)).status]).toEqual([wrong, 400])
    }
  })
})

const yaml = (weight: number) => `
channels:
  - { name: filed, vendor: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", keys: [sk-of-the-file], models: [m], weight: ${weight} }
prices:
  m: { input: 1, output: 2 }
users:
  - { name: ops, password: correct horse battery, balance: 5 }
keys:
  - { name: ci, user: ops, key: sk-written-in-the-file }
`

test('what parley.yaml changes is the file’s doing; reading it again is nobody’s', async () => {
  const gateway = await startGateway(sampledEngine(import.meta.file), { config: yaml(1) })
  try {
    const kinds = async () => (await rows(gateway, '&actor=file')).map(({ action }) => action).sort()
    const first = ['channel.create', 'key.create', 'price.put', 'user.create', 'user.grant']
    expect(await kinds()).toEqual(first)
    const reload = async (text: string) => {
      const at = () => gateway.admin.call<{ config: { at: string } }>('GET', '/api/status').then(({ config }) => config.at)
      const before = await at()
      writeFileSync(join(gateway.program.folder, 'parley.yaml'), text)
      process.kill(gateway.program.pid, 'SIGHUP')
      while ((await at()) === before) await Bun.sleep(20)
    }
    await reload(`${yaml(1)}\n# nothing new\n`)
    expect(await kinds()).toEqual(first)
    await reload(yaml(7))
    expect(await kinds()).toEqual(['channel.change', ...first])
    expect((await rows(gateway, '&action=channel.change'))[0]).toMatchObject({
      before: { weight: 1 },
      after: { weight: 7 },
      actorName: null,
    })
    expect(JSON.stringify(await rows(gateway))).not.toMatch(/sk-of-the-file|sk-written-in|argon2/)
  } finally {
    await gateway.close()
  }
}, 90_000)
