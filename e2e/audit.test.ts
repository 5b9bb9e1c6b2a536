/**
 * The audit trail from outside: every console route that writes leaves a row, or is in the short list of those that change nothing stored.
 * The routes come from the program's own API document, so a new one cannot be forgotten.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appCode } from '#testing/authenticator-app'
import { sampledEngine, sampledEngines } from '#testing/database/database'
import { administratorPassword } from '#testing/program/program'
import { type Gateway, startGateway } from './support/gateway.ts'
import { soon } from './support/raw-client.ts'

interface Row {
  id: string
  at: string
  actor: string
  actorName: string | null
  action: string
  target: string
  targetName: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  names: Record<string, { kind: string; name: string }>
  requestId: string | null
}

/** A reset only clears memory; the others only read. */
const changesNothing = [
  // Conversations that users store: private to their user, and changed with every message.
  'PUT /api/conversations/{id}',
  'DELETE /api/conversations/{id}',
  // Only with an identity provider, which e2e/single-sign-on.test.ts has, and reads the audit trail.
  'POST /api/session/oidc',
  // Sign-ins with a second factor, and by an invitation, by whoever comes in: second-factor.test.ts, second-factor.e2e.ts and
  // invitations.test.ts read the audit trail. An app counts for nothing before its first code.
  ...['POST /api/session/step', 'POST /api/session/passkey', 'POST /api/session/passkey-options', 'POST /api/session/factors/passkeys'],
  ...['POST /api/session/factors/apps', 'POST /api/join', 'POST /api/join/look'],
  'DELETE /api/session/identities/{id}',
  // It takes an alert that was given up: e2e/alerts.test.ts has one, and reads the audit trail.
  'POST /api/alerts/{id}/retry',
  // As a client ends its own: e2e/batches.test.ts.
  'POST /api/batches/{id}/stop',
  // Likewise: e2e/interactions-passing.test.ts, e2e/realtime-calls.test.ts.
  'POST /api/work/{id}/stop',
  'POST /api/alerts/hooks/{id}/test',
  // A running one: e2e/replay.test.ts has it, and reads the audit trail.
  'POST /api/replays/{id}/stop',
  'POST /api/replays/estimate',
  'POST /api/channels/{id}/reset',
  'POST /api/channels/{id}/test',
  'POST /api/channels/models',
  'POST /api/route',
  'POST /api/prices/effect',
  'POST /api/prices/cost',
  'POST /api/invoices/check',
]

const secrets = {
  password: 'a secret password',
  other: 'another secret password',
  vendor: 'sk-vendor-secret-1',
  team: 'header-secret',
  param: 'param-secret',
  option: 'option-secret',
  query: 'query-secret',
  hook: 'hook-secret',
  code: 'made below',
}
const inAWeek = () => new Date(Date.now() + 7 * 86_400_000).toISOString()
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
  'POST /api/alerts/hooks': {
    by: ({ admin }) => admin.call('POST', '/api/alerts/hooks', { name: 'ops', form: 'slack', url: `http://127.0.0.1:9/${secrets.hook}` }),
    actions: ['alertHook.create'],
  },
  'PATCH /api/alerts/hooks/{id}': {
    by: ({ admin }, { alertHook }) =>
      admin.call('PATCH', `/api/alerts/hooks/${alertHook}`, { url: `http://127.0.0.1:9/other/${secrets.hook}` }),
    actions: ['alertHook.change'],
  },
  'DELETE /api/alerts/hooks/{id}': {
    by: ({ admin }, { alertHook }) => admin.call('DELETE', `/api/alerts/hooks/${alertHook}`),
    actions: ['alertHook.remove'],
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
  'PATCH /api/channels/{id}/keys/{key}': {
    by: async ({ admin }, { channel: id }) => {
      const { keys } = await admin.call<{ keys: { id: string }[] }>('GET', `/api/channels/${id}`)
      return admin.call('PATCH', `/api/channels/${id}/keys/${keys[0]?.id}`, { weight: 3 })
    },
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
  'POST /api/replays': {
    async by(gateway) {
      const requestIds = [await keptRequest(gateway)]
      const { id } = await gateway.admin.call<{ id: string }>('POST', '/api/replays', { requestIds, targets: [{}] })
      const isOver = async () => (await gateway.admin.call<{ state: string }>('GET', `/api/replays/${id}`)).state !== 'running'
      expect(await soon(isOver)).toBe(true)
      return { id }
    },
    actions: ['body.read', 'replay.create'],
  },
  'DELETE /api/replays/{id}': {
    by: ({ admin }, { body }) => admin.call('DELETE', `/api/replays/${body}`),
    actions: ['replay.remove'],
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
  'DELETE /api/users/{id}/sessions/{session}': {
    by: async (gateway) => {
      await again(gateway)
      const id = await ownId(gateway)
      const { data } = await gateway.admin.call<{ data: { id: string; current: boolean }[] }>('GET', `/api/users/${id}/sessions`)
      return gateway.admin.call('DELETE', `/api/users/${id}/sessions/${data.find(({ current }) => !current)?.id}`)
    },
    actions: ['session.end', 'session.start'],
  },
  'DELETE /api/users/{id}/sessions': {
    by: async (gateway) => {
      await again(gateway)
      return gateway.admin.call('DELETE', `/api/users/${await ownId(gateway)}/sessions`)
    },
    // This one, and one of a call above.
    actions: ['session.end', 'session.end', 'session.start'],
  },
  'DELETE /api/sessions': {
    by: async (gateway) => {
      await again(gateway)
      return gateway.admin.call('DELETE', '/api/sessions')
    },
    actions: ['session.endAll', 'session.start'],
  },
  'PATCH /api/session/password': {
    by: ({ admin }) => admin.call('PATCH', '/api/session/password', { old: administratorPassword, new: administratorPassword }),
    actions: ['session.prove', 'user.change'],
  },
  'POST /api/session/proof': {
    by: ({ admin }) => admin.call('POST', '/api/session/proof', { password: administratorPassword }),
    actions: ['session.prove'],
  },
  'POST /api/session/factors/apps/{id}': {
    by: async ({ admin }) => {
      const { id, secret } = await admin.call<{ id: string; secret: string }>('POST', '/api/session/factors/apps', { name: 'Phone' })
      const code = appCode(secret)
      await admin.call('POST', `/api/session/factors/apps/${id}`, { code })
      return { id }
    },
    actions: ['secondFactor.add'],
  },
  'POST /api/session/recovery-codes': {
    by: async ({ admin }) => {
      await admin.call('POST', '/api/session/recovery-codes')
      return undefined
    },
    actions: ['recoveryCodes.renew'],
  },
  'DELETE /api/session/factors/{id}': {
    by: ({ admin }, { secondFactor }) => admin.call('DELETE', `/api/session/factors/${secondFactor}`),
    actions: ['secondFactor.remove'],
  },
  'DELETE /api/users/{id}/factors': {
    by: ({ admin }, { user }) => admin.call('DELETE', `/api/users/${user}/factors`),
    actions: ['secondFactor.reset'],
  },
  'POST /api/invitations': { by: ({ admin }) => admin.call('POST', '/api/invitations', { uses: 2 }), actions: ['invitation.create'] },
  'DELETE /api/invitations/{id}': {
    by: ({ admin }, { invitation }) => admin.call('DELETE', `/api/invitations/${invitation}`),
    actions: ['invitation.remove'],
  },
  'POST /api/teams': {
    by: ({ admin }) => admin.call('POST', '/api/teams', { name: 'apps', balance: '5' }),
    actions: ['team.create', 'team.grant'],
  },
  'PATCH /api/teams/{id}': {
    by: ({ admin }, { team }) => admin.call('PATCH', `/api/teams/${team}`, { budget: { monthly: '9' } }),
    actions: ['team.change'],
  },
  'POST /api/teams/{id}/credit': {
    by: async ({ admin }, { team }) => {
      const post = () => admin.raw('POST', `/api/teams/${team}/credit`, { amount: '2', reason: 'more' }, { 'Idempotency-Key': 'k2' })
      expect((await post()).status).toBe(200)
      expect((await post()).status).toBe(200)
      return undefined
    },
    actions: ['team.credit'],
  },
  'POST /api/teams/{id}/members': {
    by: ({ admin }, { team, user }) => admin.call('POST', `/api/teams/${team}/members`, { user, budget: { daily: '1' } }),
    actions: ['member.create'],
  },
  'PATCH /api/teams/{id}/members/{user}': {
    by: ({ admin }, { team, user }) => admin.call('PATCH', `/api/teams/${team}/members/${user}`, { role: 'manager' }),
    actions: ['member.change'],
  },
  'DELETE /api/teams/{id}/members/{user}': {
    by: ({ admin }, { team, user }) => admin.call('DELETE', `/api/teams/${team}/members/${user}`),
    actions: ['member.remove'],
  },
  'POST /api/invitations/accept': {
    by: async ({ admin }, { team }) => {
      const { link } = await admin.call<{ link: string }>('POST', '/api/invitations', { team })
      return admin.call('POST', '/api/invitations/accept', { token: new URL(link).hash.slice(1) })
    },
    actions: ['invitation.create', 'invitation.use', 'member.create'],
  },
  'POST /api/plans': {
    by: ({ admin }) => admin.call('POST', '/api/plans', { name: 'pro', windows: [{ every: '5h', amount: '2' }] }),
    actions: ['plan.create'],
  },
  'PATCH /api/plans/{id}': {
    by: ({ admin }, { plan }) => admin.call('PATCH', `/api/plans/${plan}`, { windows: [{ every: '1w', amount: '9' }] }),
    actions: ['plan.change'],
  },
  'PUT /api/users/{id}/plan': {
    by: ({ admin }, { user }) => admin.call('PUT', `/api/users/${user}/plan`, { plan: 'pro', until: inAWeek() }),
    actions: ['user.plan'],
  },
  'DELETE /api/users/{id}/plan': { by: ({ admin }, { user }) => admin.call('DELETE', `/api/users/${user}/plan`), actions: ['user.plan'] },
  'PUT /api/teams/{id}/plan': {
    by: ({ admin }, { team }) => admin.call('PUT', `/api/teams/${team}/plan`, { plan: 'pro', until: inAWeek() }),
    actions: ['team.plan'],
  },
  'DELETE /api/teams/{id}/plan': { by: ({ admin }, { team }) => admin.call('DELETE', `/api/teams/${team}/plan`), actions: ['team.plan'] },
  'DELETE /api/plans/{id}': { by: ({ admin }, { plan }) => admin.call('DELETE', `/api/plans/${plan}`), actions: ['plan.remove'] },
  'POST /api/codes': {
    by: async ({ admin }) => {
      const { codes } = await admin.call<{ codes: { id: string; code: string }[] }>('POST', '/api/codes', { count: 2, value: '1' })
      const [one, other] = codes
      secrets.code = one?.code ?? ''
      return { id: other?.id }
    },
    actions: ['code.create'],
  },
  'POST /api/codes/redeem': {
    by: ({ admin }) => admin.call('POST', '/api/codes/redeem', { code: secrets.code }),
    actions: ['code.redeem'],
  },
  'DELETE /api/codes/{id}': { by: ({ admin }, { code }) => admin.call('DELETE', `/api/codes/${code}`), actions: ['code.revoke'] },
  'POST /api/credits': {
    by: async ({ admin }, { user }) => {
      const post = () => admin.call('POST', '/api/credits', { reference: 'ch_1', user, amount: '4' })
      await post()
      await post()
      return undefined
    },
    actions: ['user.payment'],
  },
  'POST /api/credits/refund': {
    by: async ({ admin }) => {
      await admin.call('POST', '/api/credits/refund', { reference: 're_1', of: 'ch_1' })
      return undefined
    },
    actions: ['user.refund'],
  },
  'DELETE /api/teams/{id}': {
    by: ({ admin }, { team }) => admin.call('DELETE', `/api/teams/${team}`),
    actions: ['member.remove', 'team.remove'],
  },
  'DELETE /api/users/{id}': { by: ({ admin }, { user }) => admin.call('DELETE', `/api/users/${user}`), actions: ['user.remove'] },
  'DELETE /api/groups/{name}': { by: ({ admin }) => admin.call('DELETE', '/api/groups/vip'), actions: ['group.remove'] },
}

const ownId = async ({ admin }: Gateway) => (await admin.call<{ user: { id: string } }>('GET', '/api/session')).user.id

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

  test('ids in a change have the names of what still exists', async () => {
    const { user } = (await gateway.admin.call('GET', '/api/session')) as { user: { id: string } }
    const call = <Answer>(method: string, path: string, body?: unknown) => gateway.admin.call<Answer>(method, path, body)
    const team = await call<{ id: string }>('POST', '/api/teams', { name: 'named' })
    const other = await call<{ id: string }>('POST', '/api/users', { name: 'left', password: secrets.password })
    for (const one of [user, other]) await call('POST', `/api/teams/${team.id}/members`, { user: one.id })
    const member = async () => (await rows(gateway, '&action=member.create')).slice(0, 2).map(({ names }) => names)
    const named = { [team.id]: { kind: 'team', name: 'named' } }
    const [late, early] = [{ [other.id]: { kind: 'user', name: 'left' } }, { [user.id]: { kind: 'user', name: 'admin' } }]
    expect(await member()).toEqual([
      { ...named, ...late },
      { ...named, ...early },
    ])
    await call('PATCH', `/api/teams/${team.id}`, { name: 'renamed' })
    await call('DELETE', `/api/users/${other.id}`)
    const renamed = { [team.id]: { kind: 'team', name: 'renamed' } }
    expect(await member()).toEqual([renamed, { ...renamed, ...early }])
  }, 30_000)

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

  test('a span has the rows from its begin up to its end', async () => {
    const all = await rows(gateway)
    const { at: newest = '' } = all[0] ?? {}
    const within = await rows(gateway, `&from=${all.at(-1)?.at}&to=${newest}`)
    expect(within).toEqual(all.filter(({ at }) => at < newest))
    expect((await rows(gateway, `&from=${newest}`)).map(({ at }) => at)).toEqual(all.filter(({ at }) => at >= newest).map(({ at }) => at))
  })

  test('it holds no secret, and only administrators read it', async () => {
    const text = JSON.stringify(await rows(gateway))
    for (const secret of [...Object.values(secrets), gateway.key, 'sk-vendor-secret-2', 'argon2']) expect(text).not.toContain(secret)
    const file = await (await gateway.admin.raw('GET', '/api/audit?format=csv&action=key')).text()
    const keys = await rows(gateway, '&action=key')
    expect(file).toStartWith('id,at,actor,actorName,owner,action,target,targetName,before,after,requestId\r\n')
    expect(
      file
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',', 2)),
    ).toEqual(keys.map(({ id, at }) => [id, at]))
    for (const secret of [...Object.values(secrets), gateway.key, 'argon2']) expect(file).not.toContain(secret)
    const { session } = await gateway.user('reader', '1')
    expect((await session.raw('GET', '/api/audit')).status).toBe(403)
    expect((await fetch(`${gateway.url}/api/audit`)).status).toBe(401)
    for (const wrong of ['limit=0', 'after=x', 'actor=', 'actor=a&actor=b', 'target=%00', 'from=today', 'format=xml']) {
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

test('changes by parley.yaml are audited as the file’s; reading it again is not audited', async () => {
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
