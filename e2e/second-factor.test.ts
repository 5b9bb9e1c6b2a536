/**
 * The second factor from outside: codes of an app and recovery codes, each once, also for several at once; what a session may do that
 * waits for one; and the proof that secrets and money ask for. Passkeys need a browser: `second-factor.e2e.ts`.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appCode } from '#testing/authenticator-app'
import { sampledEngine } from '#testing/database/database'
import { administratorPassword } from '#testing/program/program'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'

// Passwords are hashed at their real cost here, dozens of times.
setDefaultTimeout(30_000)

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
}, 60_000)
afterAll(() => gateway?.close())

interface Answer {
  status: number
  body: { user?: { name: string }; mustEnrol?: true; secondFactor?: object; error?: { code: string; param?: string } }
  cookies: Record<string, string>
}

/** A request with these cookies; what it answers, and the cookies that it sets. */
async function ask(method: string, path: string, body: unknown, cookies: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(gateway.url + path, {
    method,
    headers: {
      cookie: Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const set = answer.headers.getSetCookie().map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? [])
  return {
    status: answer.status,
    body: text === '' ? {} : JSON.parse(text),
    cookies: Object.fromEntries(set.map(([, name, value]) => [name, value])),
  }
}

const codeOf = (answer: Answer) => [answer.status, answer.body.error?.code]
const begin = (name: string, cookies = {}) => ask('POST', '/api/session', { name, password: `password of ${name}` }, cookies)

/** Codes of an app, each of a later time step than the one before: the server takes no step twice, and the next half minute's already. */
function codesOf(secret: string): () => string {
  let step = Math.floor(Date.now() / 30_000) - 2
  return () => {
    step = Math.max(step + 1, Math.floor(Date.now() / 30_000) - 1)
    if (step > Math.floor(Date.now() / 30_000) + 1) throw new Error('this test took more codes than there are in its time')
    return appCode(secret, step * 30_000)
  }
}

/** Resolves when this half minute still lasts for some time: the previous code expires with it. */
async function earlyInStep(): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < 10_000) await Bun.sleep(left + 50)
}

/** A user with an app: its codes, and the recovery codes. */
async function withApp(name: string): Promise<{ session: Session; secret: string; code: () => string; recovery: string[]; id: string }> {
  const { session, id } = await gateway.user(name, '5')
  await earlyInStep()
  const app = await session.call<{ id: string; secret: string }>('POST', '/api/session/factors/apps', { name: 'Phone' })
  const code = codesOf(app.secret)
  const { recoveryCodes: recovery } = await session.call<{ recoveryCodes: string[] }>('POST', `/api/session/factors/apps/${app.id}`, {
    code: code(),
  })
  expect(recovery).toHaveLength(10)
  return { session, secret: app.secret, code, recovery, id }
}

describe('a sign-in with a second factor', () => {
  test('goes on with a code, which counts once, and the cookie of the step opens nothing', async () => {
    const { code } = await withApp('ann')
    const begun = await begin('ann')
    expect(begun).toMatchObject({ status: 202, body: { secondFactor: { app: true, passkey: false, recoveryCode: true } } })
    expect(Object.keys(begun.cookies)).toEqual(['parley-step'])
    const step = begun.cookies['parley-step'] ?? ''
    expect(codeOf(await ask('GET', '/api/session', undefined, { parley: step }))).toEqual([401, 'not_signed_in'])
    const given = code()
    expect(codeOf(await ask('POST', '/api/session/step', { code: '000000' }, begun.cookies))).toEqual([401, 'invalid_credentials'])
    const [one, other] = await Promise.all([0, 0].map(() => ask('POST', '/api/session/step', { code: given }, begun.cookies)))
    expect([one?.status, other?.status].sort()).toEqual([200, 401])
    const done = one?.status === 200 ? one : other
    expect(done?.body.user?.name).toBe('ann')
    expect(done?.cookies['parley-step']).toBe('')
    // The step is over, and so is the code in another one.
    expect(codeOf(await ask('POST', '/api/session/step', { code: given }, begun.cookies))).toEqual([401, 'not_signed_in'])
    const again = await begin('ann')
    expect(codeOf(await ask('POST', '/api/session/step', { code: given }, again.cookies))).toEqual([401, 'invalid_credentials'])
  })

  test('takes each recovery code once, of several at once too', async () => {
    const { recovery } = await withApp('bob')
    const steps = await Promise.all([begin('bob'), begin('bob'), begin('bob')])
    const answers = await Promise.all(steps.map(({ cookies }) => ask('POST', '/api/session/step', { recoveryCode: recovery[0] }, cookies)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    const { cookies } = await begin('bob')
    const typed = recovery[1]?.toUpperCase().replaceAll('-', ' ')
    const { cookies: session } = await ask('POST', '/api/session/step', { recoveryCode: typed }, cookies)
    const left = (await ask('GET', '/api/session/factors', undefined, session)).body
    expect(left).toMatchObject({ recoveryCodesLeft: 8, required: false })
  })

  test('begins anew after five wrong answers, and others can lock nobody out', async () => {
    const { code } = await withApp('cid')
    const { cookies } = await begin('cid')
    for (let tries = 0; tries < 5; tries++) {
      expect(codeOf(await ask('POST', '/api/session/step', { recoveryCode: 'no' }, cookies))).toEqual([401, 'invalid_credentials'])
    }
    expect(codeOf(await ask('POST', '/api/session/step', { code: code() }, cookies))).toEqual([401, 'not_signed_in'])
    // Without the password, codes cannot be guessed.
    for (let tries = 0; tries < 8; tries++) {
      const answer = await ask('POST', '/api/session/step', { code: '123456' }, { 'parley-step': `${tries}`.repeat(64) })
      expect(codeOf(answer)).toEqual([401, 'not_signed_in'])
    }
  })

  test('gives a new session, whatever cookie the browser had, and ends the one before', async () => {
    const { recovery } = await withApp('dora')
    const fixed = { parley: 'f'.repeat(64) }
    const begun = await begin('dora', fixed)
    const { cookies } = await ask('POST', '/api/session/step', { recoveryCode: recovery[0] }, { ...fixed, ...begun.cookies })
    expect(cookies.parley).toMatch(/^[0-9a-f]{64}$/)
    expect(cookies.parley).not.toBe(fixed.parley)
    expect((await ask('GET', '/api/session', undefined, fixed)).status).toBe(401)
    const next = await begin('dora', cookies)
    // The first half ends no session: anybody could start it.
    expect((await ask('GET', '/api/session', undefined, cookies)).status).toBe(200)
    const again = await ask('POST', '/api/session/step', { recoveryCode: recovery[1] }, { ...cookies, ...next.cookies })
    expect(again.status).toBe(200)
    expect((await ask('GET', '/api/session', undefined, cookies)).status).toBe(401)
  })
})

describe('factors', () => {
  test('adding one ends all other sessions; another user has no way to it', async () => {
    const { session: before } = await gateway.user('emil', '1')
    const second = await gateway.signIn('emil', 'password of emil')
    const app = await second.call<{ id: string; secret: string }>('POST', '/api/session/factors/apps', { name: 'Phone' })
    expect((await begin('emil')).status).toBe(200)
    const eve = await gateway.user('eve', '1')
    await earlyInStep()
    const code = codesOf(app.secret)
    expect((await eve.session.raw('POST', `/api/session/factors/apps/${app.id}`, { code: code() })).status).toBe(404)
    await second.call('POST', `/api/session/factors/apps/${app.id}`, { code: code() })
    expect((await before.raw('GET', '/api/session')).status).toBe(401)
    expect((await second.raw('GET', '/api/session')).status).toBe(200)
    expect((await eve.session.raw('DELETE', `/api/session/factors/${app.id}`)).status).toBe(404)
    expect((await begin('emil')).status).toBe(202)
  })

  test('without the right code an app does not count, and what was begun is replaced', async () => {
    const { session } = await gateway.user('fay', '1')
    const first = await session.call<{ id: string; secret: string }>('POST', '/api/session/factors/apps', { name: 'One' })
    const wrong = await session.raw('POST', `/api/session/factors/apps/${first.id}`, { code: '000000' })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { code: 'invalid_value', param: 'code' } }])
    await session.call('POST', '/api/session/factors/apps', { name: 'Two' })
    expect((await session.raw('POST', `/api/session/factors/apps/${first.id}`, { code: codesOf(first.secret)() })).status).toBe(404)
    expect(await session.call('GET', '/api/session/factors')).toMatchObject({ factors: [], recoveryCodesLeft: 0 })
    expect((await begin('fay')).status).toBe(200)
  })

  test('an administrator resets them; the trail says who did, and names no secret', async () => {
    const { id, secret, recovery } = await withApp('gus')
    const isListedWith = async () => {
      const { data } = await gateway.admin.call<{ data: { id: string; secondFactor: boolean }[] }>('GET', '/api/users?limit=200')
      return data.find((row) => row.id === id)?.secondFactor
    }
    expect(await isListedWith()).toBe(true)
    expect((await gateway.admin.raw('DELETE', `/api/users/${id}/factors`)).status).toBe(204)
    expect(await isListedWith()).toBe(false)
    expect((await begin('gus')).status).toBe(200)
    const trail = await gateway.admin.call<{ data: { action: string; actorName: string }[] }>('GET', `/api/audit?target=${id}&limit=200`)
    const about = trail.data.filter(({ action }) => /^(secondFactor|recoveryCodes)/.test(action))
    expect(about.map(({ action, actorName }) => [action, actorName])).toEqual([
      ['secondFactor.reset', 'admin'],
      ['secondFactor.add', 'gus'],
    ])
    for (const text of [secret, recovery[0] ?? '']) expect(JSON.stringify(trail)).not.toContain(text)
  })

  test('a management key resets no administrator, and signs in nobody', async () => {
    const { key } = await gateway.admin.call<{ key: string }>('POST', '/api/management-keys', { name: 'k', scopes: ['users'] })
    const { user } = await gateway.admin.call<{ user: { id: string } }>('GET', '/api/session')
    const byKey = (id: string) =>
      fetch(`${gateway.url}/api/users/${id}/factors`, { method: 'DELETE', headers: { authorization: `Bearer ${key}` } })
    expect((await byKey(user.id)).status).toBe(403)
    const { id } = await withApp('hal')
    expect((await byKey(id)).status).toBe(204)
    expect((await begin('hal')).status).toBe(200)
  })
})

describe('where the installation asks for one', () => {
  const setting = (requireSecondFactor: string) => gateway.admin.call('PATCH', '/api/settings', { requireSecondFactor })

  test('a session opens nothing but the way to it, keys of all kinds go on, and the last administrator is led to it', async () => {
    const { session, key } = await gateway.user('ida', '5')
    const { key: managing } = await gateway.admin.call<{ key: string }>('POST', '/api/management-keys', { name: 'm', scopes: ['settings'] })
    const byKey = (body: object) =>
      fetch(`${gateway.url}/api/settings`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${managing}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await setting('everybody')
    try {
      const closed = async (path: string, body?: unknown) => {
        const answer = await session.raw(body === undefined ? 'GET' : 'POST', path, body)
        return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code]
      }
      expect(await session.call('GET', '/api/session')).toMatchObject({ user: { name: 'ida' }, mustEnrol: true })
      expect(await closed('/api/keys')).toEqual([403, 'second_factor_required'])
      expect(await closed('/pg/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'x' }] })).toEqual([
        401,
        'not_signed_in',
      ])
      expect((await gateway.admin.raw('GET', '/api/users')).status).toBe(403)
      expect((await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)

      const entered = await ask('POST', '/api/session', { name: 'admin', password: administratorPassword })
      expect(entered).toMatchObject({ status: 200, body: { mustEnrol: true } })
      expect((await ask('GET', '/api/users', undefined, entered.cookies)).status).toBe(403)
      expect((await ask('GET', '/api/session/factors', undefined, entered.cookies)).body).toMatchObject({ required: true, factors: [] })
      const app = (await ask('POST', '/api/session/factors/apps', { name: 'Phone' }, entered.cookies)).body as unknown as {
        id: string
        secret: string
      }
      await earlyInStep()
      const confirmed = await ask('POST', `/api/session/factors/apps/${app.id}`, { code: codesOf(app.secret)() }, entered.cookies)
      expect(confirmed.status).toBe(200)
      expect((await ask('GET', '/api/users', undefined, entered.cookies)).status).toBe(200)
      // It is asked for, so the last one stays.
      expect(codeOf(await ask('DELETE', `/api/session/factors/${app.id}`, undefined, entered.cookies))).toEqual([409, 'still_in_use'])

      expect((await byKey({ requireSecondFactor: 'administrators' })).status).toBe(200)
      expect(await session.call('GET', '/api/session')).not.toHaveProperty('mustEnrol')
      expect((await byKey({ requireSecondFactor: 'off' })).status).toBe(200)
      expect((await ask('DELETE', `/api/session/factors/${app.id}`, undefined, entered.cookies)).status).toBe(204)
      gateway.admin = await gateway.signIn('admin', administratorPassword)
    } finally {
      await byKey({ requireSecondFactor: 'off' })
    }
  }, 30_000)
})
