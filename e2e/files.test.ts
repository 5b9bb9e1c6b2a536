/** Files that are kept here, with the calls of three SDKs, and requests of every protocol that name them, on upstreams of others. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { toFile } from 'openai'
import { sampledEngine } from '#testing/database/database'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

let gateway: Gateway
const upstreams: Record<string, ScriptedUpstream> = {}
beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const vendors = {
    chat: ['openai-compatible', 'gpt-test', chatVendor(), ['chat']],
    responses: ['openai', 'gpt-test', responsesVendor(), ['responses']],
    messages: ['anthropic', 'claude-opus-4-8', messagesVendor({ models: ['claude-opus-4-8'] }), ['messages']],
    gemini: ['gemini', 'gemini-3-pro', geminiVendor({ models: ['gemini-3-pro'] }), ['gemini']],
  } as const
  for (const [name, [vendor, upstream, script, speaks]] of Object.entries(vendors)) {
    const server = await scriptedUpstream(script)
    upstreams[name] = server
    await gateway.price(`on-${name}`)
    await gateway.channel(name, server.url, { vendor, speaks, models: [{ name: `on-${name}`, upstream }] })
  }
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  for (const upstream of Object.values(upstreams)) await upstream.close()
})

const openai = (apiKey = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
const anthropic = (apiKey = gateway.key) => new Anthropic({ baseURL: gateway.url, apiKey, maxRetries: 0 })
const google = (apiKey = gateway.key) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
const thrownBy = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
/** The smallest picture, and the beginning of a PDF. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const pdf = Buffer.from('%PDF-1.4 a few words')
const lastSent = (name: string) => upstreams[name]?.requests.at(-1)?.json() as Record<string, unknown>

describe('are uploaded, listed, read and deleted by their owner', () => {
  test('with openai', async () => {
    const { key } = await gateway.user('ann', '1')
    const client = openai(key)
    const made = []
    for (const name of ['a.txt', 'b.pdf', 'c.png']) {
      made.push(await client.files.create({ file: await toFile(Buffer.from(`in ${name}`), name), purpose: 'user_data' }))
    }
    expect(made[0]).toMatchObject({ object: 'file', filename: 'a.txt', bytes: 8, purpose: 'user_data', status: 'processed' })
    const seen = []
    for await (const { filename } of client.files.list({ limit: 2 })) seen.push(filename)
    expect(seen).toEqual(['c.png', 'b.pdf', 'a.txt'])
    expect((await client.files.list({ order: 'asc', limit: 1 })).data).toMatchObject([{ filename: 'a.txt' }])
    const id = made[0]?.id ?? ''
    expect(await client.files.retrieve(id)).toEqual(made[0] as OpenAI.FileObject)
    expect(await (await client.files.content(id)).text()).toBe('in a.txt')
    for (const call of ['retrieve', 'content', 'delete'] as const) {
      expect(await thrownBy(openai().files[call](id))).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect(await client.files.delete(id)).toEqual({ id, object: 'file', deleted: true })
    expect(await thrownBy(client.files.retrieve(id))).toMatchObject({ status: 404 })
    const short = { anchor: 'created_at' as const, seconds: 3600 }
    const brief = await client.files.create({ file: await toFile(pdf, 'd.pdf'), purpose: 'vision', expires_after: short })
    expect((brief.expires_at ?? 0) - brief.created_at).toBe(3600)
  })

  test('with @anthropic-ai/sdk', async () => {
    const { key } = await gateway.user('bea', '1')
    const client = anthropic(key)
    const made = await client.files.upload({ file: await toFile(pdf, 'words.pdf', { type: 'application/pdf' }) })
    expect(made).toMatchObject({ type: 'file', filename: 'words.pdf', mime_type: 'application/pdf', size_bytes: pdf.length })
    await client.files.upload({ file: await toFile(png, 'dot.png') })
    const seen = []
    for await (const { filename } of client.files.list({ limit: 1 })) seen.push(filename)
    expect(seen).toEqual(['dot.png', 'words.pdf'])
    expect(await client.files.retrieveMetadata(made.id)).toMatchObject({ id: made.id, mime_type: 'application/pdf' })
    expect(Buffer.from(await (await client.files.download(made.id)).arrayBuffer()).equals(pdf)).toBe(true)
    const foreign = await thrownBy(anthropic().files.retrieveMetadata(made.id))
    expect(foreign).toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } })
    expect(await client.files.delete(made.id)).toMatchObject({ id: made.id, type: 'file_deleted' })
  })

  test('with @google/genai, in parts', async () => {
    const { key } = await gateway.user('cyn', '1')
    const client = google(key)
    // The SDK sends eight mebibytes at a time.
    const bytes = new Uint8Array(9 * 1024 * 1024).map((_, index) => index % 251)
    const made = await client.files.upload({ file: new Blob([bytes], { type: 'application/pdf' }), config: { displayName: 'long.pdf' } })
    expect(made).toMatchObject({ displayName: 'long.pdf', mimeType: 'application/pdf', sizeBytes: String(bytes.length), state: 'ACTIVE' })
    const name = made.name ?? ''
    expect(name).toMatch(/^files\/[a-z0-9-]{1,40}$/)
    const seen = []
    for await (const file of await client.files.list()) seen.push(file.name)
    expect(seen).toEqual([name])
    expect(await client.files.get({ name })).toMatchObject({ name, uri: made.uri as string })
    // One store: what one protocol keeps another reads.
    const content = await openai(key).files.content(name.replace('files/', 'file_'))
    expect(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true)
    expect(await thrownBy(google().files.get({ name }))).toMatchObject({ status: 404 })
    await client.files.delete({ name })
    expect(await thrownBy(client.files.get({ name }))).toMatchObject({ status: 404 })
  }, 30_000)

  test('at the address that begins an upload, without a key, as Google’s other clients do', async () => {
    const { key, session, id: user } = await gateway.user('gus', '1')
    const { data } = await session.call<{ data: { id: string }[] }>('GET', '/api/keys')
    const ofKey = `/api/keys/${data[0]?.id}`
    const send = (address: string, command: string, body?: string, more: Record<string, string> = {}) =>
      fetch(address, {
        method: 'POST',
        headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': '0', ...more },
        body: body ?? null,
      })
    const begun = async () => {
      const start = await send(`${gateway.url}/upload/v1beta/files`, 'start', '{"file":{"displayName":"a.txt"}}', { 'x-goog-api-key': key })
      expect(start.status).toBe(200)
      return start.headers.get('x-goog-upload-url') ?? ''
    }
    const address = await begun()
    expect((await send(address, 'query')).headers.get('x-goog-upload-size-received')).toBe('0')
    const made = await send(address, 'upload, finalize', 'The tiles are blue.')
    expect([made.status, made.headers.get('x-goog-upload-status')]).toEqual([200, 'final'])
    const { file } = (await made.json()) as { file: { name: string; displayName: string } }
    expect(file.displayName).toBe('a.txt')
    expect(await google(key).files.get({ name: file.name })).toMatchObject({ sizeBytes: '19' })
    expect((await send(await begun(), 'cancel')).headers.get('x-goog-upload-status')).toBe('cancelled')
    const refusal = async (answer: Response) => [answer.status, ((await answer.json()) as { error: { status: string } }).error.status]
    const unknown = [401, 'UNAUTHENTICATED']
    const open = await begun()
    // Modified, for another endpoint, missing; and no upload begins without a key.
    const changed = open.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace(/(.{9})$/, (end) => [...end].reverse().join(''))
    expect(await refusal(await send(changed, 'upload, finalize', 'x'))).toEqual(unknown)
    const elsewhere = open.replace('/files?', '/fileSearchStores/x:uploadToFileSearchStore?')
    expect(await refusal(await send(elsewhere, 'upload, finalize', 'x'))).toEqual(unknown)
    expect(await refusal(await send(`${gateway.url}/upload/v1beta/files`, 'upload, finalize', 'x'))).toEqual(unknown)
    expect(await refusal(await send(`${gateway.url}/upload/v1beta/files?upload_id=parleyf0`, 'query'))).toEqual(unknown)
    expect(await refusal(await send(open, 'start', '{}'))).toEqual(unknown)
    expect(await refusal(await send(address, 'start', '{}'))).toEqual(unknown)
    // A credential that is sent counts, another user's too.
    expect((await send(open, 'query', undefined, { 'x-goog-api-key': gateway.key })).status).toBe(404)
    expect(await refusal(await send(open, 'query', undefined, { 'x-goog-api-key': 'sk-nobody-has-this' }))).toEqual(unknown)
    expect((await send(open, 'query', undefined, { 'x-goog-api-key': key })).status).toBe(200)
    // The key as it is now.
    for (const [at, no, yes] of [
      [ofKey, { enabled: false }, { enabled: true }],
      [ofKey, { addresses: ['192.0.2.1'] }, { addresses: null }],
      [`/api/users/${user}`, { enabled: false }, { enabled: true }],
    ] as const) {
      await gateway.admin.call('PATCH', at, no)
      expect(await refusal(await send(open, 'query'))).toEqual(unknown)
      await gateway.admin.call('PATCH', at, yes)
      expect((await send(open, 'query')).status).toBe(200)
    }
    await gateway.admin.call('DELETE', ofKey)
    expect(await refusal(await send(open, 'upload, finalize', 'x'))).toEqual(unknown)
  })

  test('within their quota and their size', async () => {
    const { key, session } = await gateway.user('dee', '1')
    const file = await toFile(pdf, 'a.pdf')
    await openai(key).files.create({ file, purpose: 'user_data' })
    await gateway.admin.call('PATCH', '/api/settings', { quotas: { files: 1 } })
    expect(await thrownBy(openai(key).files.create({ file, purpose: 'user_data' }))).toMatchObject({ status: 403, code: 'quota_exceeded' })
    await gateway.admin.call('PATCH', '/api/settings', { quotas: { files: 5, fileBytes: 30 } })
    expect(await thrownBy(google(key).files.upload({ file: new Blob([pdf], { type: 'text/plain' }) }))).toMatchObject({ status: 403 })
    await gateway.admin.call('PATCH', '/api/settings', { quotas: { files: 1000, fileBytes: 256 * 1024 * 1024 } })
    const { data } = await session.call<{ data: { name: string; used: number }[] }>('GET', '/api/quotas')
    expect(data.filter(({ name }) => name.startsWith('file')).map(({ used }) => used)).toEqual([1, pdf.length])
    const large = await toFile(Buffer.alloc(25 * 1024 * 1024 + 1), 'large.bin')
    expect(await thrownBy(openai(key).files.create({ file: large, purpose: 'user_data' }))).toMatchObject({ status: 413 })
    expect(await thrownBy(openai(key).files.create({ file, purpose: 'nothing' as 'vision' }))).toMatchObject({
      status: 400,
      param: 'purpose',
    })
    expect(await thrownBy(openai(key).files.list({ limit: 0 }))).toMatchObject({ status: 400 })
    expect(await thrownBy(openai(key).files.list({ after: 'file_nobodys' }))).toMatchObject({ status: 400 })
  }, 30_000)
})

describe('go with any request to any upstream as their bytes', () => {
  const ids: Record<'pdf' | 'png' | 'txt', string> = { pdf: '', png: '', txt: '' }
  let theirs = ''
  beforeAll(async () => {
    const keep = async (bytes: Buffer, name: string, key = gateway.key) =>
      (await openai(key).files.create({ file: await toFile(bytes, name), purpose: 'user_data' })).id
    ids.pdf = await keep(pdf, 'words.pdf')
    ids.png = await keep(png, 'dot.png')
    ids.txt = await keep(Buffer.from('The tiles are blue.'), 'tiles.txt')
    const { key } = await gateway.user('eve', '1')
    theirs = await keep(pdf, 'secret.pdf', key)
  })
  const base64 = pdf.toString('base64')

  test('of Chat', async () => {
    const ask = (model: string) =>
      openai().chat.completions.create({
        model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'file', file: { file_id: ids.pdf } },
              { type: 'file', file: { file_id: ids.txt } },
              { type: 'file', file: { file_id: ids.png } },
            ],
          },
        ],
      })
    await ask('on-chat')
    expect(lastSent('chat').messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'words.pdf', file_data: `data:application/pdf;base64,${base64}` } },
          { type: 'text', text: 'The tiles are blue.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
        ],
      },
    ])
    await ask('on-messages')
    expect(JSON.stringify(lastSent('messages').messages)).toContain(base64)
    await ask('on-gemini')
    expect(JSON.stringify(lastSent('gemini').contents)).toContain(base64)
  })

  test('of Responses, kept and continued', async () => {
    const content = [
      { type: 'input_file' as const, file_id: ids.pdf },
      { type: 'input_image' as const, file_id: ids.png, detail: 'auto' as const },
      { type: 'input_text' as const, text: 'What is it?' },
    ]
    const first = await openai().responses.create({ model: 'on-responses', input: [{ role: 'user', content }] })
    expect(lastSent('responses').input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_file', filename: 'words.pdf', file_data: `data:application/pdf;base64,${base64}` },
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${png.toString('base64')}` },
          { type: 'input_text', text: 'What is it?' },
        ],
      },
    ])
    await openai().responses.create({ model: 'on-messages', input: 'and?', previous_response_id: first.id })
    expect(JSON.stringify(lastSent('messages').messages)).toContain(base64)
  })

  test('of Messages', async () => {
    const ask = (model: string) =>
      anthropic().beta.messages.create({
        model,
        max_tokens: 100,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', source: { type: 'file', file_id: ids.pdf }, title: 'Words' },
              { type: 'document', source: { type: 'file', file_id: ids.txt } },
              { type: 'image', source: { type: 'file', file_id: ids.png } },
              { type: 'text', text: 'What is it?' },
            ],
          },
        ],
      })
    await ask('on-messages')
    expect(lastSent('messages').messages).toMatchObject([
      {
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 }, title: 'Words' },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'The tiles are blue.' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
          { type: 'text' },
        ],
      },
    ])
    await ask('on-responses')
    expect(JSON.stringify(lastSent('responses').input)).toContain(base64)
    const { input_tokens } = await anthropic().messages.countTokens({
      model: 'on-messages',
      messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: ids.txt } as never }] }],
    })
    expect(input_tokens).toBeGreaterThan(0)
  })

  test('of Gemini, by the address of the file', async () => {
    const file = await google().files.get({ name: ids.pdf.replace('file_', 'files/') })
    const contents = [
      { role: 'user', parts: [{ fileData: { fileUri: file.uri as string, mimeType: 'application/pdf' } }, { text: 'What?' }] },
    ]
    await google().models.generateContent({ model: 'on-gemini', contents })
    expect(lastSent('gemini').contents).toMatchObject([{ parts: [{ inlineData: { mimeType: 'application/pdf', data: base64 } }, {}] }])
    await google().models.generateContent({ model: 'on-messages', contents })
    expect(JSON.stringify(lastSent('messages').messages)).toContain(base64)
  })

  test('and large ones, from small requests and large', async () => {
    const bytes = Buffer.concat([pdf, Buffer.alloc(3 * 1024 * 1024, 'x')])
    const { id } = await openai().files.create({ file: await toFile(bytes, 'large.pdf'), purpose: 'user_data' })
    for (const text of ['What?', 'w'.repeat(1_200_000)]) {
      const content = [
        { type: 'file' as const, file: { file_id: id } },
        { type: 'text' as const, text },
      ]
      await openai().chat.completions.create({ model: 'on-messages', messages: [{ role: 'user', content }], max_completion_tokens: 10 })
      expect(JSON.stringify(lastSent('messages').messages).includes(bytes.toString('base64'))).toBe(true)
    }
    const many = Array.from({ length: 8 }, async (_, n) => {
      const file = await toFile(Buffer.concat([bytes, Buffer.from(String(n))]), `${n}.pdf`)
      return (await openai().files.create({ file, purpose: 'user_data' })).id
    })
    const content = (await Promise.all(many)).map((file_id) => ({ type: 'file' as const, file: { file_id } }))
    const refused = await thrownBy(openai().chat.completions.create({ model: 'on-chat', messages: [{ role: 'user', content }] }))
    expect(refused).toMatchObject({ status: 413 })
  }, 60_000)

  test('of their owner only', async () => {
    const number = upstreams.chat?.requests.length
    for (const file_id of [theirs, `file_parleyf${'0'.repeat(32)}`]) {
      const content = [{ type: 'file' as const, file: { file_id } }]
      const { data, error } = await openai()
        .chat.completions.create({ model: 'on-chat', messages: [{ role: 'user', content }] })
        .then(
          (data) => ({ data, error: undefined }),
          (error: unknown) => ({ data: undefined, error }),
        )
      expect([data, error]).toEqual([undefined, expect.objectContaining({ status: 404, code: 'not_found' })])
    }
    expect(upstreams.chat?.requests.length).toBe(number)
    // What only looks like a name is text.
    await openai().chat.completions.create({ model: 'on-chat', messages: [{ role: 'user', content: `I saw ${theirs}` }] })
    expect(lastSent('chat').messages).toEqual([{ role: 'user', content: `I saw ${theirs}` }])
  })
})

test('the addresses of files', async () => {
  const headers = { authorization: `Bearer ${gateway.key}` }
  const id = `parleyf${'0'.repeat(32)}`
  const asked = async (method: string, path: string, more: Record<string, string> = {}) =>
    (await fetch(gateway.url + path, { method, headers: { ...headers, ...more } })).status
  expect(await asked('GET', '/v1/files')).toBe(200)
  expect(await asked('GET', `/v1/files/${id}`)).toBe(404)
  expect(await asked('GET', `/v1/files/${id}/content`)).toBe(404)
  expect(await asked('DELETE', `/v1beta/files/${id}`)).toBe(404)
  for (const path of ['/upload/v1beta/files', '/upload/v1/files']) {
    expect(await asked('POST', path)).toBe(400)
    expect(await asked('POST', `${path}?upload_id=${id}`, { 'x-goog-upload-command': 'query' })).toBe(404)
  }
  // An upload can be queried for its progress, resumed from there, and cancelled.
  const start = await fetch(`${gateway.url}/upload/v1beta/files`, {
    method: 'POST',
    headers: { ...headers, 'x-goog-upload-command': 'start' },
    body: '{}',
  })
  const address = start.headers.get('x-goog-upload-url') ?? ''
  const send = (command: string, offset: number, body?: string) =>
    fetch(address, {
      method: 'POST',
      headers: { ...headers, 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
      ...(body !== undefined && { body }),
    })
  expect((await send('upload', 0, 'abc')).headers.get('x-goog-upload-status')).toBe('active')
  expect((await send('upload', 0, 'abc')).status).toBe(400)
  expect((await send('query', 0)).headers.get('x-goog-upload-size-received')).toBe('3')
  expect(await asked('GET', `/v1beta/files/${new URL(address).searchParams.get('upload_id')}`)).toBe(404)
  expect((await send('cancel', 0)).headers.get('x-goog-upload-status')).toBe('cancelled')
  expect((await send('upload, finalize', 3, 'def')).status).toBe(404)
})

test('the address of an upload is valid as long as the secret that began it', async () => {
  const { session } = await gateway.user('rotating', '1')
  const { id, key } = await session.call<{ id: string; key: string }>('POST', '/api/keys', { name: 'uploads' })
  const begin = async (secret: string) => {
    const headers = { 'x-goog-api-key': secret, 'x-goog-upload-command': 'start' }
    const start = await fetch(`${gateway.url}/upload/v1beta/files`, { method: 'POST', headers, body: '{}' })
    return start.headers.get('x-goog-upload-url') ?? ''
  }
  const statusOf = async (address: string) =>
    (await fetch(address, { method: 'POST', headers: { 'x-goog-upload-command': 'query' } })).status
  const address = await begin(key)
  expect(await statusOf(address)).toBe(200)
  const { key: second } = await session.call<{ key: string }>('POST', `/api/keys/${id}/rotate`, { overlapHours: 1 })
  const ofSecond = await begin(second)
  expect([await statusOf(address), await statusOf(ofSecond)]).toEqual([200, 200])
  await session.call('POST', `/api/keys/${id}/rotate`, { overlapHours: 0 })
  expect([await statusOf(address), await statusOf(ofSecond)]).toEqual([401, 401])
})
