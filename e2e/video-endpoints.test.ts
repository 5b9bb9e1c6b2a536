/**
 * Videos in the format of one vendor from an upstream of the other, with both SDKs: losses are reported, videos are read, downloaded and
 * paid as elsewhere; and a video goes from one living instance to another without being paid twice.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GoogleGenAI } from 'google-genai-2'
import OpenAI, { toFile } from 'openai'
import { engines, sampledEngine } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Program, startProgram } from '#testing/program/program'
import type { ReceivedRequest } from '#testing/upstream/received-request'
import { respond, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, signInAt, startGateway } from './support/gateway.ts'

const sora = 'sora-2'
const veo = 'veo-3.1-generate-preview'
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
let done: Set<string>
let begun = 0
let openai: ScriptedUpstream
let google: ScriptedUpstream
let gateway: Gateway

/** Of JSON, or the texts of a form, as the SDK sends one. */
function fieldsOf(request: Pick<ReceivedRequest, 'header' | 'text' | 'json'>): Record<string, unknown> {
  if (/json/.test(request.header('content-type') ?? '')) return request.json() as Record<string, unknown>
  return Object.fromEntries([...request.text().matchAll(/name="(\w+)"\r\n\r\n([^\r]*)/g)].map(([, name, value]) => [name, value]))
}

/** Refuses what the vendor's own declarations do not have. */
const openaiVideos: Script = (exchange) => {
  const { method, target } = exchange.request
  const [, id = '', rest] = /^\/v1\/videos\/([^/?]+)(\/\w+)?/.exec(target) ?? []
  const shown = (name: string, { seconds, size, prompt }: Record<string, unknown> = {}) =>
    respondJson(200, {
      ...{ id: name, object: 'video', model: sora, progress: done.has(name) ? 100 : 40, created_at: 1, seconds: seconds ?? '8' },
      ...{ status: done.has(name) ? 'completed' : 'in_progress', size: size ?? '1280x720', prompt, error: null },
    })
  if (method === 'POST') {
    const body = fieldsOf(exchange.request)
    if (target === '/v1/videos/edits') return shown(`video_up${begun++}`, body)(exchange)
    const allowed = ['model', 'prompt', 'seconds', 'size', 'input_reference']
    const odd = Object.keys(body).find((name) => !allowed.includes(name))
    const isRight =
      !odd && ['4', '8', '12'].includes(String(body.seconds)) && /^(720x1280|1280x720|1024x1792|1792x1024)$/.test(String(body.size))
    if (!isRight) return respondJson(400, { error: { message: 'No.', type: 'invalid_request_error', param: odd ?? null } })(exchange)
    return shown(`video_up${begun++}`, body)(exchange)
  }
  if (rest === '/content') return respond(200, { 'Content-Type': 'video/mp4' }, `the bytes of ${id}`)(exchange)
  return shown(id)(exchange)
}

const googleVideos: Script = (exchange) => {
  const { method, target } = exchange.request
  const at = `models/${veo}/operations/`
  if (method === 'POST') {
    const { instances, parameters } = exchange.request.json() as { instances: object[]; parameters: Record<string, unknown> }
    const odd = [...Object.keys(instances[0] ?? {}), ...Object.keys(parameters)].find(
      (name) => !['prompt', 'image', 'video', 'durationSeconds', 'aspectRatio', 'resolution'].includes(name),
    )
    if (odd) return respondJson(400, { error: { code: 400, message: `No ${odd}.`, status: 'INVALID_ARGUMENT' } })(exchange)
    return respondJson(200, { name: `${at}veo${begun++}` })(exchange)
  }
  const [, name = ''] = new RegExp(`^/v1beta/${at}(\\w+)$`).exec(target) ?? []
  if (name === '') return respond(200, { 'Content-Type': 'video/mp4' }, `the bytes of ${target}`)(exchange)
  const generatedSamples = [{ video: { uri: `${google.url}/v1beta/files/of-${name}:download?alt=media` } }]
  return respondJson(200, {
    name: at + name,
    ...(done.has(name) && { done: true, response: { generateVideoResponse: { generatedSamples } } }),
  })(exchange)
}

beforeAll(async () => {
  done = new Set()
  openai = await scriptedUpstream(openaiVideos)
  google = await scriptedUpstream(googleVideos)
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('openai', openai.url, { vendor: 'openai', models: [sora] })
  await gateway.channel('google', google.url, { vendor: 'gemini', models: [veo] })
  await gateway.admin.call('PUT', `/api/prices/${sora}`, { second: '0.1', factors: { size: { '1792x1024': '5' } } })
  await gateway.admin.call('PUT', `/api/prices/${veo}`, { second: '0.4', factors: { size: { '1080p': '2' } } })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await openai?.close()
  await google?.close()
})

const openaiClient = (key: string) => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const status = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => 200,
    (thrown: { status: number }) => thrown.status,
  )
const lastBody = (upstream: ScriptedUpstream) => upstream.requests.findLast(({ method }) => method === 'POST')?.json()

test('OpenAI’s client has a video made by Veo', async () => {
  const { key, session } = await gateway.user('ann', '20')
  const client = openaiClient(key)
  const image = await toFile(Buffer.from(png, 'base64'), 'first.png', { type: 'image/png' })
  const { data: video, response } = await client.videos
    .create({ model: veo as 'sora-2', prompt: 'a fox', seconds: '8', size: '1792x1024', input_reference: image })
    .withResponse()
  expect(video).toMatchObject({ object: 'video', model: veo, status: 'in_progress', prompt: 'a fox', seconds: '8', size: '1792x1024' })
  expect(response.headers.get('x-parley-losses')).toBe('size:adapted')
  expect(lastBody(google)).toEqual({
    instances: [{ prompt: 'a fox', image: { bytesBase64Encoded: png, mimeType: 'image/png' } }],
    parameters: { durationSeconds: 8, aspectRatio: '16:9', resolution: '1080p' },
  })
  // The price names this size otherwise.
  const wallet = async () => (await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
  for (let tries = 0; tries < 100 && (await wallet()).held === '0'; tries++) await wait(50)
  expect(await wallet()).toMatchObject({ balance: '20', held: '6.4' })
  expect(await status(client.videos.retrieve(video.id))).toBe(200)
  done.add('veo0')
  const row = await gateway.log(response.headers.get('x-request-id') ?? '')
  expect(row).toMatchObject({ operation: 'video', end: 'complete', charged: '6.4', losses: [{ field: 'size', what: 'adapted' }] })
  expect(await client.videos.retrieve(video.id)).toMatchObject({ status: 'completed', progress: 100, seconds: '8' })
  const bytes = await (await client.videos.downloadContent(video.id)).text()
  expect(bytes).toBe('the bytes of /v1beta/files/of-veo0:download?alt=media')
  expect(await status(client.videos.downloadContent(video.id, { variant: 'thumbnail' }))).toBe(400)
  expect(await status(client.videos.remix(video.id, { prompt: 'more' }))).toBe(400)
  expect(await status(client.videos.edit({ prompt: 'more', video: { id: video.id } }))).toBe(400)
  const longer = await client.videos.extend({ prompt: 'it runs', seconds: '4', video: { id: video.id } })
  expect(lastBody(google)).toEqual({
    instances: [{ prompt: 'it runs', video: { uri: `${google.url}/v1beta/files/of-veo0:download?alt=media` } }],
    parameters: { durationSeconds: 4 },
  })
  expect(longer).toMatchObject({ model: veo, remixed_from_video_id: video.id })
  expect((await client.videos.list({ limit: 1 })).data.map(({ id }) => id)).toEqual([longer.id])
  expect(await client.videos.delete(video.id)).toMatchObject({ deleted: true })
  expect((await client.videos.list()).data.map(({ id }) => id)).toEqual([longer.id])
}, 60_000)

test('Google’s client goes on with a video of Veo’s by its address; others cannot, and none that is not complete', async () => {
  const { key } = await gateway.user('cleo', '40')
  const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url, apiVersion: 'v1beta' } })
  const name = `veo${begun}`
  const operation = await ai.models.generateVideos({ model: veo, prompt: 'a fox', config: { durationSeconds: 8 } })
  const id = operation.name?.split('/').at(-1) ?? ''
  const uri = `${gateway.url}/v1beta/files/${id.replace('_', '')}:download?alt=media`
  const extend = (client: GoogleGenAI, at = uri, more: object = {}) =>
    client.models.generateVideos({ model: veo, prompt: 'it runs', video: { uri: at }, config: { durationSeconds: 8, ...more } })
  expect(await status(extend(ai))).toBe(400)
  done.add(name)
  await wait(1100)
  const ended = await ai.operations.getVideosOperation({ operation })
  const video = ended.response?.generatedVideos?.[0]?.video
  expect(video?.uri).toBe(uri)
  const longer = await extend(ai, video?.uri, { aspectRatio: '16:9' })
  expect(longer.name).toStartWith(`models/${veo}/operations/video_`)
  expect(lastBody(google)).toEqual({
    instances: [{ prompt: 'it runs', video: { uri: `${google.url}/v1beta/files/of-${name}:download?alt=media` } }],
    parameters: { durationSeconds: 8, aspectRatio: '16:9' },
  })
  const shown = await openaiClient(key).videos.retrieve(longer.name?.split('/').at(-1) ?? '')
  expect(shown).toMatchObject({ remixed_from_video_id: id })
  const eve = new GoogleGenAI({
    apiKey: (await gateway.user('eve', '20')).key,
    httpOptions: { baseUrl: gateway.url, apiVersion: 'v1beta' },
  })
  // How the longer video stands is asked all the while.
  const begins = () => google.requests.filter(({ target }) => target.includes(':predictLongRunning')).length
  const before = begins()
  expect(await status(extend(eve))).toBe(404)
  expect(await status(extend(ai, 'files/of-others'))).toBe(404)
  expect(begins()).toBe(before)
}, 60_000)

test('Google’s client has a video made by OpenAI', async () => {
  const { key, session } = await gateway.user('bob', '20')
  const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.url, apiVersion: 'v1beta' } })
  const first = `up${begun}`
  const operation = await ai.models.generateVideos({
    ...{ model: sora, prompt: 'a fox', image: { imageBytes: png, mimeType: 'image/png' } },
    config: { durationSeconds: 8, aspectRatio: '9:16', resolution: '1080p', negativePrompt: 'rain', enhancePrompt: true },
  })
  expect(operation.name).toStartWith(`models/${sora}/operations/video_`)
  expect(lastBody(openai)).toEqual({
    ...{ model: sora, prompt: 'a fox', seconds: '8', size: '1024x1792' },
    input_reference: { image_url: `data:image/png;base64,${png}` },
  })
  const heldNow = async () => (await session.call<{ user: { held: string } }>('GET', '/api/session')).user.held
  for (let tries = 0; tries < 100 && (await heldNow()) === '0'; tries++) await wait(50)
  expect(await heldNow()).toBe('4')
  const now = await ai.operations.getVideosOperation({ operation })
  expect([now.done ?? false, now.metadata]).toEqual([false, { progressPercent: 40 }])
  done.add(`video_${first}`)
  await wait(1100)
  const ended = await ai.operations.getVideosOperation({ operation })
  expect(ended.done).toBe(true)
  const files = ended.response?.generatedVideos?.map(({ video }) => video?.uri ?? '') ?? []
  expect(files.length).toBe(1)
  const headers = { 'x-goog-api-key': key }
  expect(await (await fetch(files[0] ?? '', { headers })).text()).toBe(`the bytes of video_${first}`)
  expect((await fetch((files[0] ?? '').replace(':download', 'n1:download'), { headers })).status).toBe(404)
  for (let tries = 0; tries < 100; tries++) {
    const { user } = await session.call<{ user: { balance: string } }>('GET', '/api/session')
    if (user.balance !== '20') break
    await wait(50)
  }
  expect((await session.call<{ user: object }>('GET', '/api/session')).user).toMatchObject({ balance: '16', held: '0' })
  const { data } = await session.call<{ data: { losses: { field: string }[] }[] }>('GET', '/api/logs')
  const lost = data[0]?.losses.map(({ field }) => field).sort()
  expect(lost).toEqual(['parameters.enhancePrompt', 'parameters.negativePrompt', 'parameters.resolution'])
}, 60_000)

test('the forms that OpenAI’s SDK sends without a file name videos and pictures that are kept here', async () => {
  const { key } = await gateway.user('carl', '20')
  const client = openaiClient(key)
  const picture = await toFile(Buffer.from(png, 'base64'), 'first.png', { type: 'image/png' })
  const { id: file_id } = await client.files.create({ file: picture, purpose: 'vision' })
  const video = await client.videos.create({ model: sora, prompt: 'a fox', seconds: '8', size: '1280x720', input_reference: { file_id } })
  expect(lastBody(openai)).toMatchObject({ input_reference: { image_url: `data:image/png;base64,${png}` } })
  const { key: other } = await gateway.user('dora', '20')
  const stolen = { model: sora, prompt: 'a fox', seconds: '8', size: '1280x720', input_reference: { file_id } } as const
  expect(await status(openaiClient(other).videos.create(stolen))).toBe(404)
  expect(await status(openaiClient(other).videos.create({ ...stolen, input_reference: { file_id: 'file-of-others' } }))).toBe(404)
  const edited = await client.videos.edit({ prompt: 'less', video: { id: video.id } })
  expect(lastBody(openai)).toMatchObject({ prompt: 'less', video: { id: `video_up${begun - 2}` } })
  expect(edited).toMatchObject({ remixed_from_video_id: video.id })
  expect(await status(openaiClient(other).videos.edit({ prompt: 'less', video: { id: video.id } }))).toBe(404)
}, 60_000)

test('what the other upstream cannot make is refused in the caller’s words', async () => {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error } = (await answer.json()) as { error: { status?: string; code: unknown; message: string; param?: string } }
    return [answer.status, error.status ?? error.param, error.message]
  }
  const at = `/v1beta/models/${sora}:predictLongRunning`
  const asked = { instances: [{ prompt: 'a fox' }] }
  const invalid = [400, 'INVALID_ARGUMENT', expect.any(String)]
  expect(await post(at, { ...asked, parameters: { sampleCount: 2 } })).toEqual([
    400,
    'INVALID_ARGUMENT',
    expect.stringContaining('one video'),
  ])
  expect(await post(at, { ...asked, parameters: { resolution: '4k' } })).toEqual(invalid)
  expect(await post(at, { instances: [{ prompt: 'a', lastFrame: { bytesBase64Encoded: png } }] })).toEqual(invalid)
  // The upstream's own refusal.
  expect(await post(at, { ...asked, parameters: { durationSeconds: 6 } })).toEqual([400, 'INVALID_ARGUMENT', 'No.'])
  expect(await post('/v1/videos', { model: veo, prompt: 'a', size: 'large' })).toEqual([400, 'size', expect.any(String)])
  const strict = await fetch(`${gateway.url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'x-parley-strict': 'true' },
    body: JSON.stringify({ model: veo, prompt: 'a', odd: 1 }),
  })
  expect([strict.status, await strict.text()]).toEqual([400, expect.stringContaining('odd')])
})

test.if(engines.includes('postgres')).each([
  ['falls silent and comes back', 'SIGSTOP'],
  ['is killed', 'SIGKILL'],
] as const)(
  'another instance goes on with a video when its own %s: it is paid once',
  async (_, signal) => {
    const database = await newPostgresDatabase()
    const env = { PARLEY_TAKEOVER: '1s', DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'cd'.repeat(32) }
    const config = `
channels: [{ name: openai, vendor: openai, baseUrl: "${openai.url}", keys: [sk-vendor], models: [${sora}] }]
prices: { ${sora}: { second: 0.5 } }
users: [{ name: ann, password: "password of ann 7", balance: 10 }]
keys: [{ name: own, user: ann, key: sk-a-key-of-ann }]
`
    const running: Program[] = []
    const start = async (folder?: string) => {
      const program = await startProgram({ env, config, ...(folder !== undefined && { folder }) })
      running.push(program)
      return program
    }
    const folder = mkdtempSync(join('/tmp', 'parley-video-endpoints-'))
    const first = await start(folder)
    try {
      const id = `video_up${begun}`
      const client = new OpenAI({ apiKey: 'sk-a-key-of-ann', baseURL: `${first.url}/v1`, maxRetries: 0 })
      const video = await client.videos.create({ model: sora, prompt: 'a fox', seconds: '8', size: '1280x720' })
      const second = await start()
      process.kill(first.pid, signal)
      const ann = await signInAt(second.url, 'ann', 'password of ann 7')
      const wallet = async () => (await ann.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
      done.add(id)
      const there = new OpenAI({ apiKey: 'sk-a-key-of-ann', baseURL: `${second.url}/v1`, maxRetries: 0 })
      const other = async () => (await there.videos.retrieve(video.id)).status
      for (let tries = 0; tries < 400 && (await other()) !== 'completed'; tries++) await wait(50)
      if (signal === 'SIGSTOP') process.kill(first.pid, 'SIGCONT')
      await first.stop()
      // What the other has left behind is read again, and holds nothing any more.
      await start(folder)
      for (let tries = 0; tries < 400 && (await wallet()).held !== '0'; tries++) await wait(50)
      for (let tries = 0; tries < 400 && (await wallet()).balance !== '6'; tries++) await wait(50)
      expect(await wallet()).toMatchObject({ balance: '6', held: '0' })
      const { data } = await ann.call<{ data: { charged: string }[] }>('GET', '/api/logs')
      expect(data.map(({ charged }) => charged)).toEqual(['4'])
    } finally {
      for (const program of running) await program.stop()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
