/** Kept bodies from outside: opting in and informing callers, the bytes at the four points, who can read them, and what deleting leaves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeptBody, KeptPart } from '#shared/console/body'
import { sampledEngine } from '#testing/database/database'
import { administratorPassword, startProgram } from '#testing/program/program'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

let gateway: Gateway
let upstream: ScriptedUpstream
let ann: { session: Session; key: string; id: string }
let keyId: string

beforeAll(async () => {
  upstream = await scriptedUpstream(chatVendor())
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('main', `${upstream.url}/v1`)
  await gateway.price(testModel)
  ann = await gateway.user('ann', '10')
  const { data } = await ann.session.call<{ data: { id: string }[] }>('GET', '/api/keys')
  keyId = data[0]?.id ?? ''
}, 60_000)
afterAll(async () => {
  await gateway.close()
  await upstream.close()
})

const folder = () => join(gateway.program.folder, 'data/bodies')
const files = () => (existsSync(folder()) ? readdirSync(folder()) : [])

async function ask(fields: object, headers: Record<string, string> = {}, path = '/v1/chat/completions') {
  const body = ` ${JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'Grüße' }], ...fields })}\n`
  const all = { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers }
  const answer = await fetch(gateway.url + path, { method: 'POST', headers: all, body })
  const text = await answer.text()
  return { body, text, status: answer.status, stored: answer.headers.get('x-parley-stored'), id: answer.headers.get('x-request-id') ?? '' }
}
const keeps = (logBodies: unknown) => ann.session.call('PATCH', `/api/keys/${keyId}`, { logBodies })
const read = (by: Session, id: string) => by.call<KeptBody>('GET', `/api/bodies/${id}`)
const at = ({ parts }: KeptBody, border: KeptPart['border']) => parts.filter((part) => part.border === border)
const status = async (by: Session, method: string, path: string) => (await by.raw(method, path)).status

test('off by default: no header, no file, nothing to read', async () => {
  const { stored, status: answered, id } = await ask({})
  expect([answered, stored]).toEqual([200, null])
  expect(await status(ann.session, 'GET', `/api/bodies/${id}`)).toBe(404)
  expect(files()).toEqual([])
  expect(existsSync(folder())).toBe(false)
})

describe('of a key that keeps', () => {
  beforeAll(() => keeps(true))

  test('a whole answer: the bytes at the four borders, without credentials', async () => {
    const { body, text, stored, id } = await ask({})
    expect(stored).toBe('30d')
    const kept = await read(gateway.admin, id)
    expect(kept.parts.map(({ border }) => border)).toEqual(['client-request', 'upstream-request', 'upstream-answer', 'client-answer'])
    expect(at(kept, 'client-request')[0]).toMatchObject({ method: 'POST', address: '/v1/chat/completions', text: body })
    expect(at(kept, 'client-answer')[0]).toMatchObject({ status: 200, text })
    const sent = upstream.requests.at(-1)
    expect(at(kept, 'upstream-request')[0]).toMatchObject({
      text: sent?.text(),
      to: { channel: 'main', model: testModel, dialect: 'chat' },
    })
    expect(JSON.stringify(kept)).not.toContain(ann.key)
    expect(sent?.header('authorization')).toBe('Bearer sk-vendor')
    expect(JSON.stringify(kept)).not.toContain('sk-vendor')
    expect(await gateway.log(id)).toMatchObject({ stored: true })
  })

  test('a converted stream: every piece with the time of its arrival', async () => {
    const { text, id } = await ask({ stream: true, max_tokens: 50 }, {}, '/v1/messages')
    const kept = await read(gateway.admin, id)
    const [heard] = at(kept, 'upstream-answer')
    const [said] = at(kept, 'client-answer')
    expect(said?.text).toBe(text)
    expect(heard?.text).toContain('data: [DONE]')
    expect(heard?.pieces?.at(-2)).toBe(heard?.bytes)
    const times = heard?.pieces?.filter((_, n) => n % 2 === 1) ?? []
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const raw = await gateway.admin.raw('GET', `/api/bodies/${id}/${kept.parts.indexOf(said as KeptPart)}`)
    expect([raw.headers.get('content-type'), await raw.text()]).toEqual(['application/octet-stream', text])
  })

  test('a refusal is kept as it was sent, and marked as one', async () => {
    const { text, stored, status: answered, id } = await ask({ model: 'no-such-model' })
    expect([answered, stored]).toEqual([404, '30d'])
    expect(at(await read(ann.session, id), 'client-answer')[0]).toMatchObject({ status: 404, text })
  })

  test('owners see the client’s side alone, others nothing; each reading is in the audit', async () => {
    const { id } = await ask({})
    const own = await read(ann.session, id)
    expect([own.whole, own.parts.map(({ border }) => border)]).toEqual([false, ['client-request', 'client-answer']])
    const bob = await gateway.user(`bob-${id.slice(-6)}`, '1')
    expect(await status(bob.session, 'GET', `/api/bodies/${id}`)).toBe(404)
    expect(await status(bob.session, 'DELETE', `/api/bodies/${id}`)).toBe(404)
    expect(await status(bob.session, 'DELETE', `/api/bodies?user=${ann.id}`)).toBe(404)
    expect(await status(bob.session, 'DELETE', `/api/bodies?key=${keyId}`)).toBe(404)
    expect(await status(bob.session, 'DELETE', '/api/bodies?all=true')).toBe(403)
    expect(await status(gateway.admin, 'DELETE', `/api/bodies?all=true&key=${keyId}`)).toBe(400)
    const { data } = await gateway.admin.call<{ data: { actorName: string }[] }>('GET', `/api/audit?action=body.read&target=${id}`)
    expect(data.map(({ actorName }) => actorName)).toEqual(['ann'])
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'owners' } })
    expect(await status(gateway.admin, 'GET', `/api/bodies/${id}`)).toBe(403)
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'administrators' } })
  })

  test('an administrator deletes all kept requests, which is in the audit trail', async () => {
    const { id } = await ask({})
    expect((await read(ann.session, id)).requestId).toBe(id)
    const { deleted } = await gateway.admin.call<{ deleted: number }>('DELETE', '/api/bodies?all=true')
    expect(deleted).toBeGreaterThan(0)
    expect(await status(ann.session, 'GET', `/api/bodies/${id}`)).toBe(404)
    const { data } = await gateway.admin.call<{ data: { after: object }[] }>('GET', '/api/audit?action=body.remove&target=everybody')
    expect(data.map(({ after }) => after)).toEqual([{ count: deleted }])
    // Requests from now on are kept again.
    const next = await ask({})
    expect((await read(ann.session, next.id)).requestId).toBe(next.id)
  })

  test('a management key reads with its scope alone', async () => {
    const { id } = await ask({})
    const open = async (scopes: string[]) => {
      const { key } = await ann.session.call<{ key: string }>('POST', '/api/management-keys', { name: scopes.join(), scopes })
      return (await fetch(`${gateway.url}/api/bodies/${id}`, { headers: { authorization: `Bearer ${key}` } })).status
    }
    expect([await open(['read', 'usage']), await open(['bodies'])]).toEqual([403, 200])
  })

  test('a request forbids it', async () => {
    const { stored, id } = await ask({}, { 'x-parley-store': 'no' })
    expect(stored).toBeNull()
    expect(await status(ann.session, 'GET', `/api/bodies/${id}`)).toBe(404)
  })

  test('store: false forbids it if the setting respects it', async () => {
    expect((await ask({ store: false })).stored).toBe('30d')
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { heedStore: true } })
    const [wished, spelled] = [await ask({ store: false }), await ask({ messages: [], store: false }, {}, '/v1/responses')]
    expect([wished.stored, spelled.stored]).toEqual([null, null])
    expect(await status(ann.session, 'GET', `/api/bodies/${wished.id}`)).toBe(404)
    expect(await status(ann.session, 'GET', `/api/bodies/${spelled.id}`)).toBe(404)
    // Of a large body only the text is read here.
    const large = await ask({ padding: 'x'.repeat(1_200_000), store: false })
    expect(large.stored).toBeNull()
    expect(await status(ann.session, 'GET', `/api/bodies/${large.id}`)).toBe(404)
    for (const fields of [{ store: true }, { metadata: { store: 'false' } }, {}]) expect((await ask(fields)).stored).toBe('30d')
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { heedStore: false } })
  })

  test('deleting one request, and all of a key', async () => {
    const [one, two] = [await ask({}), await ask({})]
    expect(await status(ann.session, 'DELETE', `/api/bodies/${one.id}`)).toBe(204)
    expect(await status(ann.session, 'GET', `/api/bodies/${one.id}`)).toBe(404)
    expect(await status(ann.session, 'GET', `/api/bodies/${two.id}`)).toBe(200)
    const { deleted } = await ann.session.call<{ deleted: number }>('DELETE', `/api/bodies?key=${keyId}`)
    expect(deleted).toBeGreaterThan(0)
    expect(await status(ann.session, 'GET', `/api/bodies/${two.id}`)).toBe(404)
    expect(await status(ann.session, 'DELETE', '/api/bodies')).toBe(400)
  })
})

describe('an export', () => {
  interface Line {
    cursor: string
    requestId: string
    model: string
    whole: boolean
    missing?: string
    parts?: (KeptPart & { base64?: string })[]
  }
  let asked: { id: string; body: string; text: string }[]
  beforeAll(async () => {
    await keeps(true)
    asked = [await ask({ user: 'one' }), await ask({ user: 'two' }), await ask({ user: 'three' })]
    await keeps(false)
    await ask({ user: 'not kept' })
  })
  const lines = async (by: Session, query: string): Promise<Line[]> => {
    const text = await (await by.raw('GET', `/api/bodies/export?${query}`)).text()
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }
  const mine = () => asked.map(({ id }) => id).reverse()

  test('has every kept request, newest first, with the four borders for administrators; each is in the audit', async () => {
    const all = await lines(gateway.admin, `key=${keyId}`)
    expect(all.map(({ requestId }) => requestId)).toEqual(mine())
    const [third] = all
    expect(third?.parts?.map(({ border }) => border)).toEqual(['client-request', 'upstream-request', 'upstream-answer', 'client-answer'])
    expect([third?.model, third?.parts?.[0]?.text, third?.parts?.[3]?.text]).toEqual([testModel, asked[2]?.body, asked[2]?.text])
    const { data } = await gateway.admin.call<{ data: { action: string }[] }>('GET', `/api/audit?target=${asked[0]?.id}`)
    expect(data.map(({ action }) => action)).toEqual(['body.read'])
  })

  test('has the chosen borders alone, and for owners none to upstreams', async () => {
    const bordersOf = async (by: Session, query = '') => {
      const [line] = await lines(by, `limit=1${query}`)
      return [line?.whole, line?.parts?.map(({ border }) => border)]
    }
    expect(await bordersOf(ann.session)).toEqual([false, ['client-request', 'client-answer']])
    expect(await bordersOf(ann.session, '&borders=upstream-request')).toEqual([false, []])
    expect(await bordersOf(gateway.admin, `&key=${keyId}&borders=upstream-request,client-answer`)).toEqual([
      true,
      ['upstream-request', 'client-answer'],
    ])
    expect(await status(ann.session, 'GET', '/api/bodies/export?borders=all')).toBe(400)
    expect(await status(ann.session, 'GET', '/api/bodies/export?limit=10001')).toBe(400)
  })

  test('goes on behind any line, and filters as the list of requests does', async () => {
    const [first] = await lines(ann.session, 'limit=1')
    const rest = await lines(ann.session, `after=${first?.cursor}`)
    expect([first, ...rest].map((line) => line?.requestId)).toEqual(mine())
    expect(await lines(ann.session, 'model=another')).toEqual([])
    expect(await lines(ann.session, 'failed=true')).toEqual([])
    expect(await lines(ann.session, 'to=2026-01-01T00:00:00Z')).toEqual([])
  })

  test('as a data set has pages of examples, and says where the next one is', async () => {
    const first = await ann.session.raw('GET', '/api/bodies/export?as=fine-tuning&limit=2')
    const examples = (await first.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    expect(examples.map(({ messages }) => messages.map(({ role }: { role: string }) => role))).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant'],
    ])
    const after = first.headers.get('x-parley-next')
    const last = await ann.session.raw('GET', `/api/bodies/export?as=evals&after=${after}`)
    expect(
      (await last.text())
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).item.request_id),
    ).toEqual([asked[0]?.id])
    expect([last.headers.get('x-parley-next'), last.headers.get('x-parley-left-out')]).toEqual([null, null])
    for (const query of ['as=other', 'as=evals&limit=51', 'as=evals&borders=client-answer'])
      expect([query, await status(ann.session, 'GET', `/api/bodies/export?${query}`)]).toEqual([query, 400])
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'owners' } })
    expect(await status(gateway.admin, 'GET', `/api/bodies/export?as=evals&key=${keyId}`)).toBe(403)
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'administrators' } })
  })

  test('shows others nothing, and administrators nothing where only owners read', async () => {
    const eve = await gateway.user('eve', '1')
    expect(await lines(eve.session, '')).toEqual([])
    expect(await status(eve.session, 'GET', `/api/bodies/export?user=${ann.id}`)).toBe(403)
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'owners' } })
    expect(await status(gateway.admin, 'GET', `/api/bodies/export?key=${keyId}`)).toBe(403)
    await gateway.admin.call('PATCH', '/api/settings', { bodies: { readers: 'administrators' } })
  })
})

test('failures only: the header says may, and what went well is not kept', async () => {
  await keeps('errors')
  const [fine, failed] = [await ask({}), await ask({ model: 'no-such-model' })]
  expect([fine.stored, failed.stored]).toEqual(['may', 'may'])
  expect(await status(ann.session, 'GET', `/api/bodies/${fine.id}`)).toBe(404)
  expect(await status(ann.session, 'GET', `/api/bodies/${failed.id}`)).toBe(200)
  await keeps(false)
})

test('a group opts in, and the house', async () => {
  expect((await ask({})).stored).toBeNull()
  await gateway.admin.call('PATCH', '/api/groups/default', { logBodies: true })
  expect((await ask({})).stored).toBe('30d')
  await gateway.admin.call('PATCH', '/api/groups/default', { logBodies: false })
  await gateway.admin.call('PATCH', '/api/settings', { bodies: { keep: true, days: 7 } })
  expect((await ask({})).stored).toBe('7d')
  await gateway.admin.call('PATCH', '/api/settings', { bodies: { keep: false } })
  expect((await ask({})).stored).toBeNull()
})

const config = `
users:
  - { name: admin, role: admin, password: "${administratorPassword}", balance: 10 }
keys:
  - { name: kept, user: admin, key: sk-kept-bodies, logBodies: true }
`

test('kill -9 under load: whatever is reported as kept can be read afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bodies-'))
  const options = { folder, config, env: { PARLEY_DEMO: 'on' } }
  let program = await startProgram(options)
  try {
    const ids: string[] = []
    const headers = { authorization: 'Bearer sk-kept-bodies', 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'parley-demo', messages: [{ role: 'user', content: 'Hello' }] })
    const enough = Promise.withResolvers<void>()
    const line = async () => {
      for (;;) {
        const answer = await fetch(`${program.url}/v1/chat/completions`, { method: 'POST', headers, body }).catch(() => undefined)
        if (!answer) return
        ids.push(answer.headers.get('x-request-id') ?? '')
        if (ids.length === 60) enough.resolve()
        await answer.text().catch(() => undefined)
      }
    }
    const clients = Array.from({ length: 8 }, line)
    await enough.promise
    // The thread that writes may take longer to start than all of these take.
    const before = (await signIn(program.url)).split(';')[0] ?? ''
    const first = () => fetch(`${program.url}/api/bodies/${ids[0]}`, { headers: { cookie: before } })
    while ((await first()).status !== 200);
    process.kill(program.pid, 'SIGKILL')
    await Promise.all(clients)
    await program.stop()
    program = await startProgram(options)
    const cookie = (await signIn(program.url)).split(';')[0] ?? ''
    const exported = await (await fetch(`${program.url}/api/bodies/export?limit=10000`, { headers: { cookie } })).text()
    const lines = exported
      .split('\n')
      .slice(0, -1)
      .map((line): { requestId: string; missing?: string } => JSON.parse(line))
    // Records still in memory were lost; none of the others is damaged.
    expect(lines.filter(({ missing, requestId }) => missing !== undefined || !ids.includes(requestId))).toEqual([])
    expect(lines.map(({ requestId }) => requestId)).toContain(ids[0] ?? '')
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)

async function signIn(url: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'admin', password: administratorPassword })
  return (await fetch(`${url}/api/session`, { method: 'POST', headers, body })).headers.get('set-cookie') ?? ''
}
