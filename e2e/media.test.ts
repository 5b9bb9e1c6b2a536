/**
 * Media that a caller references by URL, for upstreams that only accept bytes: Parley fetches them, once, from public addresses only. The
 * files are on 127.0.0.1, so the program is told that this one address counts as public; the last test starts it without that exception.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { faults, redirect, respond, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor, vendorFailed } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const pdf = Buffer.from('%PDF-1.7\nof one page\n%%EOF')
/** Longer than the limit for one string. */
const scan = Buffer.concat([pdf, Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 7) % 251))])
const pngData = png.toString('base64')
const pdfData = pdf.toString('base64')

/** The host of the files. It also listens on an address that must not be fetched from. */
const library: Script = (exchange) => {
  const { target } = exchange.request
  const pages: Record<string, Script> = {
    '/picture': respond(200, { 'Content-Type': 'application/octet-stream' }, png),
    '/paper.pdf': respond(200, { 'Content-Type': 'application/pdf' }, pdf),
    '/scan.pdf': respond(200, { 'Content-Type': 'application/pdf' }, scan),
    '/page': respond(200, { 'Content-Type': 'image/png' }, '<html>secret of the host</html>'),
    '/moved': redirect('/picture', 302),
    '/inside': redirect(`http://127.0.0.2:${port}/picture`, 302),
    '/silent': faults.hang,
    '/large': respond(200, { 'Content-Type': 'image/png' }, Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)])),
  }
  return (pages[target] ?? respond(404))(exchange)
}

let gateway: Gateway
let files: ScriptedUpstream
let port: string
const servers = {} as Record<'gemini' | 'chat' | 'messages', ScriptedUpstream>

async function connect(to: Gateway): Promise<void> {
  const scripts = {
    gemini: geminiVendor({ models: ['gemini-3-pro'] }),
    chat: chatVendor(),
    messages: messagesVendor({ models: ['claude-sonnet-4-5'] }),
  }
  for (const name of ['gemini', 'chat', 'messages'] as const) servers[name] ??= await scriptedUpstream(scripts[name])
  const rows: [
    name: string,
    server: keyof typeof servers,
    vendor: string,
    models: Record<string, string>,
    fields?: Record<string, unknown>,
  ][] = [
    ['gemini', 'gemini', 'gemini', { 'on-gemini': 'gemini-3-pro', 'on-two': 'gemini-3-pro', 'on-both': 'gemini-3-pro' }],
    ['gemini-broken', 'gemini', 'gemini', { 'on-two': 'gemini-3-pro' }, { priority: 5 }],
    ['chat', 'chat', 'openai', { 'on-chat': 'gpt-test' }, { speaks: ['chat'] }],
    ['chat-last', 'chat', 'openai', { 'on-both': 'gpt-test' }, { speaks: ['chat'], priority: -5 }],
    ['messages', 'messages', 'anthropic', { 'on-messages': 'claude-sonnet-4-5' }],
  ]
  for (const [name, server, vendor, models, fields] of rows) {
    const named = Object.entries(models).map(([asked, upstream]) => ({ name: asked, upstream }))
    await to.channel(name, servers[server].url, { vendor, models: named, ...fields })
    for (const model of Object.keys(models)) await to.price(model)
  }
}

beforeAll(async () => {
  files = await scriptedUpstream(library)
  port = new URL(files.url).port
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' }, loopbackMedia: true })
  await connect(gateway)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of [...Object.values(servers), files]) await server?.close()
})

/** The requests that arrived since the test began. */
let seen = { files: 0, gemini: 0, chat: 0, messages: 0 }
beforeEach(() => {
  seen = { files: files.requests.length, ...counts() }
})
const counts = () => ({
  gemini: servers.gemini.requests.length,
  chat: servers.chat.requests.length,
  messages: servers.messages.requests.length,
})
const visits = () => files.requests.slice(seen.files).map(({ target }) => target)
const sentTo = (name: keyof typeof servers) => servers[name].requests.slice(seen[name]).map((request) => request.text())

const routes = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }

function ask(route: keyof typeof routes, body: unknown, headers: Record<string, string> = {}, at = gateway): Promise<Response> {
  return fetch(at.url + routes[route], {
    method: 'POST',
    headers: { authorization: `Bearer ${at.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(body),
  })
}

const text = { type: 'text', text: 'what is this?' }
const imageBlock = (path: string) => ({ type: 'image', source: { type: 'url', url: files.url + path } })
const messages = (model: string, ...content: unknown[]) => ({
  model,
  max_tokens: 64,
  messages: [{ role: 'user', content: [text, ...content] }],
})
const chat = (model: string, url: string) => ({
  model,
  messages: [{ role: 'user', content: [text, { type: 'image_url', image_url: { url } }] }],
})

describe('a file at an address, for an upstream that takes bytes', () => {
  test.each([
    ['lenient', {}],
    ['strict', { 'x-parley-strict': 'true' }],
  ])('an image of a Messages client reaches Gemini inline, %s', async (_, headers: Record<string, string>) => {
    const answer = await ask('messages', messages('on-gemini', imageBlock('/picture'), imageBlock('/moved')), headers)
    expect({ status: answer.status, losses: answer.headers.get('x-parley-losses') }).toEqual({
      status: 200,
      losses: expect.stringContaining('turns.media.source:adapted'),
    })
    await answer.text()
    const [sent = ''] = sentTo('gemini')
    expect(sent.split(JSON.stringify({ mimeType: 'image/png', data: pngData })).length).toBe(3)
    expect(sent).not.toContain(files.url)
    expect(visits().sort()).toEqual(['/moved', '/picture', '/picture'])
  })

  test('a PDF of a Messages client reaches Gemini, streamed', async () => {
    const body = messages('on-gemini', { type: 'document', source: { type: 'url', url: `${files.url}/paper.pdf` } })
    const answer = await ask('messages', { ...body, stream: true })
    expect(await answer.text()).toContain('event: message_stop')
    expect(sentTo('gemini')[0]).toContain(JSON.stringify({ mimeType: 'application/pdf', data: pdfData }))
  })

  test('a PDF of a Responses client reaches Chat as its data', async () => {
    const content = [
      { type: 'input_text', text: 'what is this?' },
      { type: 'input_file', file_url: `${files.url}/paper.pdf`, filename: 'paper.pdf' },
    ]
    const answer = await ask('responses', { model: 'on-chat', input: [{ role: 'user', content }] })
    expect(answer.status).toBe(200)
    await answer.text()
    expect(sentTo('chat')[0]).toContain(JSON.stringify({ filename: 'paper.pdf', file_data: `data:application/pdf;base64,${pdfData}` }))
  })

  test('an image in the result of a tool reaches Gemini', async () => {
    const turns = [
      { role: 'user', content: 'take a picture' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'camera', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [imageBlock('/picture')] }] },
    ]
    const tools = [{ name: 'camera', input_schema: { type: 'object', properties: {} } }]
    const answer = await ask('messages', { model: 'on-gemini', max_tokens: 64, tools, messages: turns })
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    expect(sentTo('gemini')[0]).toContain(pngData)
  })

  test('an upstream that opens addresses gets the address, and Parley does not fetch it', async () => {
    const url = `${files.url}/picture`
    expect((await ask('messages', messages('on-chat', imageBlock('/picture')))).status).toBe(200)
    expect((await ask('chat', chat('on-messages', url))).status).toBe(200)
    for (const name of ['chat', 'messages'] as const) {
      expect(sentTo(name)[0]).toContain(url)
      expect(sentTo(name)[0]).not.toContain(pngData)
    }
    expect(visits()).toEqual([])
  })

  test.each([
    ['in a small body', ''],
    ['in a large body', 'x'.repeat(2 * 1024 * 1024)],
  ])('a long one arrives whole at every channel that is tried, %s', async (_, words) => {
    servers.gemini.next(vendorFailed(503))
    const block = { type: 'document', source: { type: 'url', url: `${files.url}/scan.pdf` } }
    const answer = await ask('messages', messages('on-two', block, { type: 'text', text: words || 'x' }, block))
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
    const sent = sentTo('gemini').map((body) => JSON.parse(body) as { contents: { parts: Record<string, unknown>[] }[] })
    const inline = { inlineData: { mimeType: 'application/pdf', data: scan.toString('base64') } }
    const wrong = sent.map(({ contents }) => contents[0]?.parts.filter((part) => 'inlineData' in part && !Bun.deepEquals(part, inline)))
    expect(wrong).toEqual([[], []])
    expect(sent.map(({ contents }) => contents[0]?.parts.filter((part) => 'inlineData' in part).length)).toEqual([2, 2])
    expect(visits()).toEqual(['/scan.pdf'])
  })

  test('it is fetched once, however many channels are tried and however often it is named', async () => {
    servers.gemini.next(vendorFailed(503))
    const answer = await ask('messages', messages('on-two', imageBlock('/picture'), imageBlock('/picture')))
    expect(answer.status).toBe(200)
    await answer.text()
    expect(sentTo('gemini').length).toBe(2)
    expect(visits()).toEqual(['/picture'])
  })
})

describe('a file that cannot be had', () => {
  const closed = 'http://127.0.0.1:9/'
  const addresses: [string, () => string][] = [
    ['nobody listens', () => closed],
    ['not found', () => `${files.url}/nothing`],
    ['a private address', () => `http://127.0.0.2:${port}/picture`],
    ['a private address in disguise', () => `http://[::ffff:127.0.0.2]:${port}/picture`],
    ['a name of this machine', () => `http://localhost:${port}/picture`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a redirect inside', () => `${files.url}/inside`],
    ['credentials', () => `http://user:secret@127.0.0.1:${port}/picture`],
    ['no picture', () => `${files.url}/page`],
    ['a paper for a picture', () => `${files.url}/paper.pdf`],
    ['too large', () => `${files.url}/large`],
  ]

  test.each(addresses)('is the caller’s error, by its place, before any upstream and for nothing: %s', async (_, address) => {
    const url = address()
    for (const stream of [false, true]) {
      const answer = await ask('chat', { ...chat('on-gemini', url), stream })
      const body = await answer.text()
      expect([answer.status, body]).toEqual([400, expect.any(String)])
      expect(JSON.parse(body)).toMatchObject({
        error: { type: 'invalid_request_error', code: 'invalid_value', param: 'messages[0].content[1].image_url' },
      })
      for (const part of [url, 'secret', 'passwd', '127.0.0']) expect(body).not.toContain(part)
      const row = await gateway.log(answer.headers.get('x-request-id') ?? '')
      expect(row).toMatchObject({ status: 400, cost: '0', attempts: [], error: { code: 'invalid_value' } })
    }
    expect(sentTo('gemini')).toEqual([])
  })

  test('is not looked for with another scheme: the upstream might have it', async () => {
    const answer = await ask('chat', chat('on-gemini', 'file:///etc/passwd'))
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
    expect(sentTo('gemini')).toEqual([])
  })

  test.each([false, true])('ends with the client who waits for it; streamed: %p', async (stream) => {
    const leaving = new AbortController()
    const asked = fetch(gateway.url + routes.chat, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat('on-gemini', `${files.url}/silent`), stream }),
      signal: leaving.signal,
    }).catch(() => undefined)
    await files.received(seen.files)
    leaving.abort()
    await asked
    await files.exchanges[seen.files]?.gone
    type Row = { stream: boolean; cost: string; attempts: unknown[]; error: { code: string } | null }
    const newest = async () => (await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs?limit=1')).data[0]
    let row = await newest()
    for (; row?.error?.code !== 'client_closed_request' || row.stream !== stream; row = await newest()) await wait(20)
    expect(row).toMatchObject({ cost: '0', attempts: [] })
    expect(sentTo('gemini')).toEqual([])
  })

  test('in the words of the Messages protocol', async () => {
    const answer = await ask('messages', messages('on-gemini', imageBlock('/nothing')))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  })

  test('is left to a channel that opens addresses itself, where there is one', async () => {
    const answer = await ask('messages', messages('on-both', imageBlock('/nothing')))
    expect(answer.status).toBe(200)
    await answer.text()
    expect([sentTo('gemini').length, sentTo('chat').length]).toEqual([0, 1])
    expect(sentTo('chat')[0]).toContain('/nothing')
  })

  test('is every file on this machine, when the program starts as usual', async () => {
    const usual = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
    try {
      await connect(usual)
      const answer = await ask('chat', chat('on-gemini', `${files.url}/picture`), {}, usual)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'invalid_value' } }])
      expect(visits()).toEqual([])
    } finally {
      await usual.close()
    }
  }, 90_000)
})
