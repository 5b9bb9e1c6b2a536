/** POST /v1/alpha/search: web searches of a coding agent, on the channel that has its earlier results. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respond, respondJson } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'
import { type Bad, carriers, expectRefused, post, secret } from './support/refused.ts'

const path = '/v1/alpha/search'

/** The vendor keeps results by account and id: a result can only be opened by the account that searched. */
function vendor(): Script {
  const known = new Set<string>()
  return (exchange) => {
    const { request } = exchange
    if (request.target !== path) return respondJson(404, { error: { message: 'Invalid URL' } })(exchange)
    const { id, commands } = request.json() as { id: string; commands: { search_query?: unknown; open?: unknown } }
    const place = `${request.header('authorization')} ${id}`
    if (commands.search_query) known.add(place)
    if (!known.has(place)) return respondJson(400, { error: { message: 'Unknown ref_id.', type: 'invalid_request_error' } })(exchange)
    return respond(
      200,
      { 'Content-Type': 'application/json' },
      `{ "output":"found",\n"encrypted_output":null, "results":[{"score":1.0}] }`,
    )(exchange)
  }
}

const searching = { search_query: [{ q: 'bun release notes' }] }
const opening = { open: [{ ref_id: 'turn0search0' }] }

let gateway: Gateway
const upstreams: ScriptedUpstream[] = []
const vendors = [vendor(), vendor()]

beforeAll(async () => {
  for (const script of vendors) upstreams.push(await scriptedUpstream(script))
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'on' } })
  for (const [index, upstream] of upstreams.entries()) {
    const keys = [`sk-a${index}`, `sk-b${index}`].map((key) => ({ key, name: key }))
    await gateway.channel(`vendor-${index}`, upstream.url, {
      vendor: 'openai',
      keys,
      models: ['gpt-5', { name: 'agent', upstream: 'gpt-5' }],
    })
  }
  await gateway.channel('compatible', 'http://127.0.0.1:9', { models: ['local'] })
  for (const model of ['gpt-5', 'agent', 'local']) await gateway.price(model, { input: '1', output: '2', search: '0.01' })
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const upstream of upstreams) await upstream.close()
})

const ask = (body: unknown, headers?: Record<string, string>) => post(gateway, path, body, headers)
const search = (id: string, commands: object = searching, more: object = {}) => ask({ id, model: 'gpt-5', commands, ...more })
const rowOf = (answer: Response) => gateway.log(answer.headers.get('x-request-id') ?? '')
const seen = (id: string) =>
  upstreams.flatMap((upstream, index) =>
    upstream.requests
      .filter((request) => request.text().includes(`"${id}"`))
      .map((request) => `${index} ${request.header('authorization')}`),
  )

test('bytes pass both ways, and one search is billed', async () => {
  const body = `{"id":"bytes", "model":"gpt-5","commands":{"search_query":[{"q":"\\u00e9"}]},"settings":{"external_web_access":true},"max_output_tokens":10000}`
  const answer = await ask(body, { accept: '*/*' })
  expect(await answer.text()).toBe(`{ "output":"found",\n"encrypted_output":null, "results":[{"score":1.0}] }`)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(upstreams.flatMap(({ requests }) => requests.map((request) => request.text()))).toContain(body)
  expect(await rowOf(answer)).toMatchObject({
    operation: 'search',
    dialect: 'openai',
    stream: false,
    cost: '0.01',
    usage: { in: { fresh: 0 }, out: { total: 0 }, units: { searches: 1, requests: 1 } },
  })
})

test('a mapped name goes out, and tokens that the upstream tells are billed beside the search', async () => {
  const told = respondJson(200, { output: '', usage: { input_tokens: 1000, output_tokens: 100, total_tokens: 1100 } })
  for (const upstream of upstreams) upstream.answer(told)
  const answer = await ask({ id: 'mapped', model: 'agent', stream: true, commands: searching })
  expect(await answer.json()).toMatchObject({ output: '' })
  const sent = upstreams.flatMap(({ requests }) => requests).find((request) => request.text().includes('"mapped"'))
  expect(sent?.json()).toEqual({ id: 'mapped', model: 'gpt-5', stream: true, commands: searching })
  // 1000 tokens at 1, 100 at 2 USD per million, and a search at 0.01.
  expect(await rowOf(answer)).toMatchObject({ cost: '0.0112', provenance: 'provider' })
  for (const [index, script] of vendors.entries()) upstreams[index]?.answer(script)
})

describe('affinity', () => {
  test('the same id goes to the same channel and key, whatever else is asked in between', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `agent-${index}`)
    for (const id of ids) expect((await search(id)).status).toBe(200)
    for (let round = 0; round < 3; round++) for (const id of ids) expect((await search(id, opening)).status).toBe(200)
    const places = ids.map((id) => new Set(seen(id)))
    expect(places.map(({ size }) => size)).toEqual(ids.map(() => 1))
    // Twelve draws among four keys that all fall on one would be no draw.
    expect(new Set(places.flatMap((place) => [...place])).size).toBeGreaterThan(1)
  })

  test('belongs to a tenant: another one with the same id draws for itself', async () => {
    const { key } = await gateway.user('other', '10')
    const ids = Array.from({ length: 24 }, (_, index) => `shared-${index}`)
    for (const id of ids) await search(id)
    for (const id of ids)
      expect((await ask({ id, model: 'gpt-5', commands: searching }, { authorization: `Bearer ${key}` })).status).toBe(200)
    expect(ids.some((id) => new Set(seen(id)).size > 1)).toBe(true)
  })

  test('switches no retry off, and follows the work to where it went', async () => {
    await search('moving')
    const [home = ''] = seen('moving')
    const failing = upstreams[Number(home[0])]
    failing?.next(respondJson(500, { error: { message: 'oops' } }))
    const answer = await search('moving')
    expect(answer.status).toBe(200)
    const row = await rowOf(answer)
    expect(row).toMatchObject({ attempts: [{ status: 500 }, { status: 200 }], cost: '0.01' })
    expect((await search('moving', opening)).status).toBe(200)
    expect(new Set(seen('moving')).size).toBe(2)
  })
})

test('every carrier of a key', async () => {
  for (const { query, headers } of carriers(gateway.key)) {
    expect((await post(gateway, path + query, { id: 'c', model: 'gpt-5', commands: searching }, headers)).status).toBe(200)
  }
})

test('an answer that is none is a failed attempt', async () => {
  for (const upstream of upstreams) upstream.next(respond(200, { 'Content-Type': 'text/html' }, '<html>'))
  const answer = await search('html')
  expect(answer.status).toBe(200)
  expect((await rowOf(answer)).attempts).toMatchObject([{ cause: 'upstream_error' }, { cause: 'upstream_error' }, { cause: null }])
})

const bad: Bad[] = [
  { name: 'another type', body: 'x', headers: { 'content-type': 'text/plain' }, status: 415, code: 'unsupported_media_type' },
  { name: 'no JSON', body: `{${secret}`, status: 400, code: 'invalid_json' },
  { name: 'no model', body: { id: secret }, status: 400, code: 'missing_field', param: 'model' },
  { name: 'an id that is no text', body: { id: [secret], model: 'gpt-5' }, status: 400, code: 'invalid_value', param: 'id' },
  { name: 'an unknown model', body: { id: 'a', model: secret }, status: 404, code: 'model_not_found', param: 'model' },
  { name: 'a channel without it', body: { id: 'a', model: 'local' }, status: 400, code: 'unsupported_endpoint', param: 'model' },
  { name: 'the demo', body: { id: 'a', model: 'parley-demo' }, status: 400, code: 'unsupported_endpoint', param: 'model' },
]

test.each(bad)('bad input: $name', (one) => expectRefused(gateway, path, one))
