/** Search, overview and events of the console from outside: who sees what, that figures equal the report, that streams end. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Overview, Topic } from '#shared/console/overview'
import type { Found } from '#shared/console/search'
import type { UsageReportRow } from '#shared/console/usage'
import { sampledEngine } from '#testing/database/database'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

const answer = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: testModel,
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
}

let gateway: Gateway
let upstream: ScriptedUpstream
let ann: Awaited<ReturnType<Gateway['user']>>
let asked = ''

async function ask(key: string, model = testModel): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file))
  upstream = await scriptedUpstream()
  upstream.answer(respondJson(200, answer))
  await gateway.channel('main-channel', `${upstream.url}/v1`, {
    models: [testModel, 'gpt-unpriced'],
    costs: { [testModel]: { input: '3', output: '3' } },
  })
  await gateway.price(testModel)
  ann = await gateway.user('ann', '10')
  asked = await ask(ann.key)
}, 90_000)
afterAll(async () => {
  await upstream?.close()
  await gateway?.close()
})

const find = async (session: Session, q: string) =>
  (await session.call<{ data: Found[] }>('GET', `/api/search?q=${encodeURIComponent(q)}`)).data
const kinds = (found: readonly Found[]) => found.map(({ kind, name }) => `${kind} ${name}`)

describe('search', () => {
  test('a pasted request, the end of a key, a user and a model lead to their pages', async () => {
    expect(await find(gateway.admin, asked)).toMatchObject([{ kind: 'request', id: asked, path: `/requests/${asked}` }])
    const [key] = await find(gateway.admin, ann.key.slice(-4))
    expect(key).toMatchObject({ kind: 'key', name: 'key of ann', note: `sk-...${ann.key.slice(-4)}, ann` })
    expect((await find(gateway.admin, ann.key))[0]).toEqual(key as Found)
    expect(kinds(await find(gateway.admin, 'ann'))).toEqual(['key key of ann', 'user ann', 'channel main-channel', 'page Channels'])
    expect(await find(gateway.admin, 'gpt-te')).toMatchObject([{ kind: 'model', name: testModel, path: `/models?q=${testModel}` }])
    expect(kinds(await find(gateway.admin, 'settings'))).toEqual(['page Settings'])
    const team = await gateway.admin.call<{ id: string }>('POST', '/api/teams', { name: 'zebras' })
    await gateway.admin.call('POST', '/api/plans', { name: 'zebra plan' })
    expect(await find(gateway.admin, 'zebra')).toMatchObject([
      { kind: 'team', name: 'zebras', path: `/admin/teams?open=${team.id}` },
      { kind: 'plan', name: 'zebra plan', path: '/admin/selling' },
    ])
    expect(kinds(await find(ann.session, 'zebra'))).toEqual([])
    await gateway.admin.call('POST', `/api/teams/${team.id}/members`, { user: 'ann' })
    expect(await find(ann.session, 'zebra')).toMatchObject([{ kind: 'team', name: 'zebras', path: `/team?open=${team.id}` }])
  })

  test('others see only what is theirs', async () => {
    const { session } = await gateway.user('ben', '0')
    expect(await find(session, asked)).toEqual([])
    expect(await find(session, ann.key.slice(-4))).toEqual([])
    expect(kinds(await find(session, 'ann'))).toEqual([])
    expect(kinds(await find(session, 'settings'))).toEqual([])
    expect(kinds(await find(ann.session, 'key of'))).toEqual(['key key of ann'])
    expect(await find(ann.session, asked)).toMatchObject([{ id: asked }])
  })

  test.each(['', '?q=', '?q=%20', `?q=${'x'.repeat(257)}`, '?q=a&q=b', '?q=%00'])('%p is refused', async (query) => {
    expect((await gateway.admin.raw('GET', `/api/search${query}`)).status).toBe(400)
  })

  test('at most four of a kind', async () => {
    for (let n = 0; n < 6; n++) await gateway.admin.call('POST', '/api/keys', { name: `many ${n}` })
    expect((await find(gateway.admin, 'many')).length).toBe(4)
  })
})

describe('overview', () => {
  const read = (session: Session, query = '') => session.call<Overview>('GET', `/api/overview${query}`)

  test('its figures are those of the usage report', async () => {
    const seen = await read(gateway.admin, '?timezone=Asia/Tokyo')
    const report = (by: string) =>
      gateway.admin
        .call<{ data: UsageReportRow[] }>('GET', `/api/usage?from=${encodeURIComponent(seen.steps[0] ?? '')}${by}`)
        .then(({ data }) => data)
    expect(seen.now).toEqual((await report('')).at(0) as never)
    expect(seen.now.requests).toBe(1)
    expect(seen.models).toEqual(await report('&by=model'))
    expect(seen.hours).toEqual(await report('&by=hour'))
    expect(seen.keys.map(({ key }) => key?.name)).toEqual(['key of ann'])
    expect(seen.timezone).toBe('Asia/Tokyo')
    // Midnight in Tokyo is three in the afternoon of UTC.
    expect(seen.steps[0]).toEndWith('T15:00:00.000Z')
    expect(Date.parse(seen.at) - Date.parse(seen.steps.at(-1) ?? '')).toBeLessThan(3_600_000)
    expect((await gateway.admin.raw('GET', '/api/overview?timezone=Nowhere')).status).toBe(400)
    const of = (query: string) => read(gateway.admin, `?timezone=Asia/Tokyo&${query}`)
    expect((await of('user=ann&group=default')).now).toEqual(seen.now)
    expect(await of('user=admin')).toMatchObject({ now: { requests: 0 }, models: [], keys: [], attention: seen.attention })
  })

  test('what needs attention is there, with what is needed to settle it', async () => {
    await gateway.admin.call('PATCH', `/api/users/${ann.id}`, { budget: { daily: '0.0021' } })
    const expiresAt = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const { id } = await gateway.admin.call<{ id: string }>('POST', '/api/keys', { name: 'ending', expiresAt })
    const { attention, first } = await read(gateway.admin)
    expect(attention).toMatchObject([
      { kind: 'unpriced', model: 'gpt-unpriced' },
      { kind: 'budget', of: 'user', name: 'ann', window: 'daily', limit: '0.0021' },
      { kind: 'loses', model: testModel, margin: '-0.0025' },
      { kind: 'expires', id, name: 'ending', at: expiresAt },
    ])
    expect(first).toEqual({ channel: true, price: true, key: true, request: true })
    await gateway.admin.call('PATCH', `/api/users/${ann.id}`, { budget: {} })
  })

  test('a channel whose last test failed needs attention while it is on', async () => {
    const { id } = await gateway.channel('failing', 'http://127.0.0.1:9')
    const failing = async () => (await read(gateway.admin)).attention.filter(({ kind }) => kind === 'fails')
    expect(await failing()).toEqual([])
    await gateway.admin.call('POST', `/api/channels/${id}/test`, {})
    expect(await failing()).toEqual([
      { kind: 'fails', channel: { id, name: 'failing' }, model: testModel, cause: expect.any(String), at: expect.any(String) },
    ] as never)
    await gateway.admin.call('PATCH', `/api/channels/${id}`, { enabled: false })
    expect(await failing()).toEqual([])
    await gateway.admin.call('PATCH', `/api/channels/${id}`, { enabled: true })
    expect((await failing()).length).toBe(1)
    await gateway.admin.call('DELETE', `/api/channels/${id}`)
    expect(await failing()).toEqual([])
  })

  test('a user sees only their own, and nothing of channels and costs', async () => {
    const { session } = await gateway.user('cid', '0')
    expect(await read(session)).toMatchObject({
      attention: [],
      first: { channel: null, price: null, key: true, request: false },
      models: [],
    })
    const own = await read(ann.session)
    expect(own.now.requests).toBe(1)
    expect(JSON.stringify(own)).not.toMatch(/upstreamCost|margin|gpt-unpriced/)
  })
})

/** Opens an event stream; `next` gives the subjects of the next event, undefined at its end. */
async function watch(session: Session) {
  const left = new AbortController()
  const response = await fetch(`${gateway.url}/api/events`, { headers: { cookie: session.cookie }, signal: left.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    close: () => left.abort(),
    async next(): Promise<Topic[] | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n')
        if (end < 0) {
          const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
          if (done) return undefined
          text += value
          continue
        }
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const [, data] = /^event: change\ndata: (.*)$/.exec(event) ?? []
        if (data !== undefined) return (JSON.parse(data) as { what: Topic[] }).what
      }
    },
  }
}

describe('events', () => {
  test('tell what has changed, to whom it concerns, when it can be read', async () => {
    const [admin, own] = await Promise.all([watch(gateway.admin), watch(ann.session)])
    expect(admin.response.headers.get('content-type')).toStartWith('text/event-stream')
    const id = await ask(ann.key)
    expect(await own.next()).toContain('requests')
    expect((await ann.session.raw('GET', `/api/logs/${id}`)).status).toBe(200)
    expect(await admin.next()).toContain('requests')
    await gateway.price('gpt-other')
    expect(await own.next()).toEqual(['prices'])
    expect(await admin.next()).toEqual(['prices'])
    await gateway.admin.call('POST', '/api/keys', { name: 'of the administrator' })
    expect(await admin.next()).toEqual(['keys'])
    await ann.session.call('POST', '/api/keys', { name: 'another of ann' })
    expect(await own.next()).toEqual(['keys'])
    expect(await admin.next()).toEqual(['keys'])
    // Only administrators receive alerts.
    await gateway.admin.call('POST', '/api/alerts/hooks', { name: 'ops', form: 'slack', url: 'http://127.0.0.1:9/none' })
    expect(await admin.next()).toEqual(['alerts'])
    await ann.session.call('POST', '/api/keys', { name: 'a third of ann' })
    expect(await own.next()).toEqual(['keys'])
    admin.close()
    own.close()
  }, 30_000)

  test('end with the session', async () => {
    const dan = await gateway.user('dan', '0')
    const stream = await watch(dan.session)
    await dan.session.call('DELETE', '/api/session')
    while ((await stream.next()) !== undefined);
    expect((await fetch(`${gateway.url}/api/events`, { headers: { cookie: dan.session.cookie } })).status).toBe(401)
  }, 30_000)

  test('end with the management key that opened them', async () => {
    const { key, id } = await gateway.admin.call<{ key: string; id: string }>('POST', '/api/management-keys', {
      name: 'w',
      scopes: ['read'],
    })
    const response = await fetch(`${gateway.url}/api/events`, { headers: { authorization: `Bearer ${key}` } })
    const ended = response.text()
    await gateway.admin.call('DELETE', `/api/management-keys/${id}`)
    expect(await ended).toContain('retry')
  }, 30_000)

  test('are bounded for each user', async () => {
    const eve = await gateway.user('eve', '0')
    const streams = await Promise.all(Array.from({ length: 16 }, () => watch(eve.session)))
    const refused = await watch(eve.session)
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '30'])
    for (const stream of streams) stream.close()
    let status = 429
    while (status === 429) {
      const again = await watch(eve.session)
      status = again.response.status
      again.close()
    }
    expect(status).toBe(200)
  }, 30_000)

  test('do not hold up a shutdown', async () => {
    const other = await startGateway('embedded')
    const response = await fetch(`${other.url}/api/events`, { headers: { cookie: other.admin.cookie } })
    const ended = response.text().catch(() => 'cut')
    await other.close()
    expect(await ended).toContain('retry')
  }, 60_000)
})
