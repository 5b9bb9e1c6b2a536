/**
 * Videos with the SDKs of OpenAI and Google, from upstreams written after their type declarations: made, looked at, downloaded, listed,
 * deleted by their owner alone, and paid once when they are there, whether anybody asks or not, also over `kill -9`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GoogleGenAI } from 'google-genai-2'
import OpenAI from 'openai'
import { sampledEngine } from '#testing/database/database'
import { type Program, startProgram } from '#testing/program/program'
import { respond, respondJson, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, signInAt, startGateway } from './support/gateway.ts'

const env = { PARLEY_TAKEOVER: '1s' }
const model = 'sora-2'
const veo = 'veo-3.1-generate-preview'
let done: Set<string>
let failed: Set<string>
let made: string[]
let upstream: ScriptedUpstream
let google: ScriptedUpstream
let gateway: Gateway

const statusOf = (id: string) => (failed.has(id) ? 'failed' : done.has(id) ? 'completed' : 'in_progress')
const videoOf = (id: string, seconds = '8') => ({
  id,
  object: 'video',
  model: 'sora-2-2025-12-08',
  status: statusOf(id),
  progress: done.has(id) ? 100 : 40,
  created_at: 1,
  completed_at: done.has(id) ? 2 : null,
  expires_at: null,
  prompt: 'a fox',
  seconds,
  size: '1792x1024',
  error: failed.has(id) ? { code: 'moderation_blocked', message: 'Blocked.' } : null,
  remixed_from_video_id: null,
})

const openaiVideos: Script = async (exchange) => {
  const { method, target } = exchange.request
  const [, id = '', rest] = /^\/v1\/videos\/([^/?]+)(\/\w+)?/.exec(target) ?? []
  if (method === 'POST') {
    const name = `video_up${made.length}`
    made.push(name)
    return respondJson(200, videoOf(name))(exchange)
  }
  if (!made.includes(id)) return respondJson(404, { error: { message: 'No such video.', type: 'invalid_request_error' } })(exchange)
  if (method === 'DELETE') return respondJson(200, { id, object: 'video.deleted', deleted: true })(exchange)
  if (rest === '/content') return respond(200, { 'Content-Type': 'video/mp4' }, `the bytes of ${id}`)(exchange)
  return respondJson(200, videoOf(id))(exchange)
}

const name = `models/${veo}/operations/abc123`
const googleVideos: Script = (exchange) => {
  const { method, target } = exchange.request
  if (method === 'POST') return respondJson(200, { name })(exchange)
  if (target === `/v1beta/${name}`) {
    const samples = ['f1', 'f2'].map((file) => ({ video: { uri: `${google.url}/v1beta/files/${file}:download?alt=media` } }))
    return respondJson(200, {
      name,
      ...(done.has('veo') && { done: true, response: { generateVideoResponse: { generatedSamples: samples } } }),
    })(exchange)
  }
  if (target === '/v1beta/files/f2:download?alt=media') return respond(302, { Location: '/media/f2' })(exchange)
  return respond(200, { 'Content-Type': 'video/mp4' }, `the bytes of ${target}`)(exchange)
}

beforeAll(async () => {
  ;[done, failed, made] = [new Set(), new Set(), []]
  upstream = await scriptedUpstream(openaiVideos)
  google = await scriptedUpstream(googleVideos)
  gateway = await startGateway(sampledEngine(import.meta.file), { env })
  await gateway.channel('openai', upstream.url, { vendor: 'openai', models: [{ name: model, upstream: 'sora-2-2025-12-08' }] })
  await gateway.channel('google', google.url, { vendor: 'gemini', models: [veo] })
  await gateway.admin.call('PUT', `/api/prices/${model}`, { second: '0.1', factors: { size: { '1792x1024': '5' } } })
  await gateway.price(veo, { second: '0.4' })
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
  await google?.close()
})

const clientOf = (key: string) => new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const asked = { model, prompt: 'a fox', seconds: '8', size: '1792x1024' } as const
const status = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => 200,
    (thrown: { status: number }) => thrown.status,
  )

test('a video of OpenAI: money is held, it is paid once when it is there though nobody asks, and is its owner’s alone', async () => {
  const ann = await gateway.user('ann', '10')
  const eve = await gateway.user('eve', '10')
  const client = clientOf(ann.key)
  const { data: video, response } = await client.videos.create(asked).withResponse()
  expect(video).toMatchObject({
    object: 'video',
    model,
    status: 'in_progress',
    progress: 40,
    prompt: 'a fox',
    seconds: '8',
    size: '1792x1024',
  })
  expect(video.id).not.toBe('video_up0')
  expect(upstream.requests[0]?.text()).toContain('sora-2-2025-12-08')
  const walletOf = async () => (await ann.session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
  for (let tries = 0; tries < 100 && (await walletOf()).held === '0'; tries++) await wait(50)
  expect(await walletOf()).toMatchObject({ balance: '10', held: '4' })
  for (const call of [
    () => clientOf(eve.key).videos.retrieve(video.id),
    () => clientOf(eve.key).videos.delete(video.id),
    () => clientOf(eve.key).videos.downloadContent(video.id),
    () => clientOf(eve.key).videos.remix(video.id, { prompt: 'more' }),
    () => client.videos.retrieve('video_up0'),
  ])
    expect(await status(call())).toBe(404)
  expect(await status(client.videos.downloadContent(video.id))).toBe(400)
  expect(await status(client.videos.delete(video.id))).toBe(400)

  done.add('video_up0')
  const row = await gateway.log(response.headers.get('x-request-id') ?? '')
  expect(row).toMatchObject({ operation: 'video', end: 'complete', cost: '4', charged: '4', usage: { units: { seconds: 8 } }, losses: [] })
  expect(await client.videos.retrieve(video.id)).toMatchObject({ id: video.id, status: 'completed', progress: 100 })
  expect(await (await client.videos.downloadContent(video.id)).text()).toBe('the bytes of video_up0')

  const { data: other, response: again } = await client.videos.remix(video.id, { prompt: 'more' }).withResponse()
  const remix = upstream.requests.find(({ method, target }) => method === 'POST' && target === '/v1/videos/video_up0/remix')
  expect(JSON.parse(remix?.text() ?? '')).toEqual({ prompt: 'more' })
  expect(other).toMatchObject({ model, remixed_from_video_id: video.id })
  failed.add('video_up1')
  expect(await gateway.log(again.headers.get('x-request-id') ?? '')).toMatchObject({ end: 'error', cost: '0', charged: '0' })
  expect(await client.videos.retrieve(other.id)).toMatchObject({ status: 'failed', error: { code: 'moderation_blocked' } })
  expect((await client.videos.list()).data.map(({ id }) => id)).toEqual([other.id, video.id])
  expect((await clientOf(eve.key).videos.list()).data).toEqual([])
  expect(await client.videos.delete(video.id)).toEqual({ id: video.id, object: 'video.deleted', deleted: true })
  expect(await status(client.videos.retrieve(video.id))).toBe(404)
  for (let tries = 0; tries < 100 && (await walletOf()).held !== '0'; tries++) await wait(50)
  expect(await walletOf()).toMatchObject({ balance: '6', held: '0' })
}, 60_000)

test('operations of Veo: asked for by Google’s SDK, files with ownership, and two videos are paid', async () => {
  const ann = await gateway.user('bob', '10')
  const ai = new GoogleGenAI({ apiKey: ann.key, httpOptions: { baseUrl: gateway.url } })
  const begun = await ai.models.generateVideos({ model: veo, prompt: 'a fox', config: { numberOfVideos: 2, durationSeconds: 6 } })
  expect(begun.name).toStartWith(`models/${veo}/operations/video_`)
  expect(begun.done).toBeFalsy()
  expect(google.requests[0]?.target).toBe(`/v1beta/models/${veo}:predictLongRunning`)
  expect((await ai.operations.getVideosOperation({ operation: begun })).done).toBeFalsy()
  done.add('veo')
  await wait(1100)
  const operation = await ai.operations.getVideosOperation({ operation: begun })
  expect(operation.done).toBe(true)
  const files = operation.response?.generatedVideos?.map(({ video }) => video?.uri ?? '') ?? []
  expect(files.map((uri) => uri.startsWith(`${gateway.url}/v1beta/files/video`))).toEqual([true, true])
  const bytes = await Promise.all(files.map(async (uri) => (await fetch(uri, { headers: { 'x-goog-api-key': ann.key } })).text()))
  expect(bytes).toEqual(['the bytes of /v1beta/files/f1:download?alt=media', 'the bytes of /media/f2'])
  expect((await fetch(files[0] ?? '', { headers: { 'x-goog-api-key': gateway.key } })).status).toBe(404)
  const plain = await fetch(`${gateway.url}/v1beta/operations/${begun.name?.split('/').at(-1)}`, { headers: { 'x-goog-api-key': ann.key } })
  expect(await plain.json()).toMatchObject({ done: true })
  for (let tries = 0; tries < 100; tries++) {
    const { user } = await ann.session.call<{ user: { balance: string } }>('GET', '/api/session')
    if (user.balance !== '10') break
    await wait(50)
  }
  expect((await ann.session.call<{ user: object }>('GET', '/api/session')).user).toMatchObject({ balance: '5.2', held: '0' })
}, 60_000)

test('kill -9 while a video is made: it is settled exactly once by whoever goes on', async () => {
  const folder = mkdtempSync(join('/tmp', 'parley-videos-'))
  const own = { ...env, PARLEY_ADMIN_USER: 'root', PARLEY_ADMIN_PASSWORD: 'a long enough word 7' }
  const config = `
channels: [{ name: openai, vendor: openai, baseUrl: "${upstream.url}", keys: [sk-vendor], models: [${model}] }]
prices: { ${model}: { second: 0.5 } }
users: [{ name: ann, password: "password of ann 7", balance: 10 }]
keys: [{ name: own, user: ann, key: sk-a-key-of-ann }]
`
  let program: Program = await startProgram({ folder, config, env: own })
  try {
    const count = made.length
    const client = () => new OpenAI({ apiKey: 'sk-a-key-of-ann', baseURL: `${program.url}/v1`, maxRetries: 0 })
    const video = await client().videos.create(asked)
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    done.add(`video_up${count}`)
    program = await startProgram({ folder, config, env: own })
    const balance = async () => {
      const ann = await signInAt(program.url, 'ann', 'password of ann 7')
      return (await ann.call<{ user: { balance: string; held: string } }>('GET', '/api/session')).user
    }
    for (let tries = 0; tries < 200 && (await balance()).balance === '10'; tries++) await wait(50)
    expect(await balance()).toMatchObject({ balance: '6', held: '0' })
    expect(await client().videos.retrieve(video.id)).toMatchObject({ status: 'completed' })
    process.kill(program.pid, 'SIGKILL')
    await program.stop()
    program = await startProgram({ folder, config, env: own })
    expect(await balance()).toMatchObject({ balance: '6', held: '0' })
  } finally {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 90_000)

test('what is wrong with a request is said in its caller’s words, before an upstream is asked', async () => {
  const before = [upstream.requests.length, google.requests.length]
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { error } = (await answer.json()) as { error: { code: unknown; param?: string; status?: string } }
    return [answer.status, error.status ?? error.code, error.param]
  }
  const foreign = { prompt: 'more', video: { id: 'video_up0' } }
  expect(await post('/v1/videos', { model })).toEqual([400, 'missing_field', 'prompt'])
  expect(await post('/v1/videos', { ...asked, seconds: 'long' })).toEqual([400, 'invalid_value', 'seconds'])
  expect(await post('/v1/videos/edits', foreign)).toEqual([404, 'not_found', 'video_id'])
  expect(await post('/v1/videos/extensions', { prompt: 'more' })).toEqual([400, 'missing_field', 'video.id'])
  expect(await post('/v1/videos/video_up0/remix', { prompt: 'more' })).toEqual([404, 'not_found', 'video_id'])
  expect(await post('/v1/models/veo-3.1-generate-preview:predictLongRunning', {})).toEqual([400, 'INVALID_ARGUMENT', undefined])
  const image = { uri: 'files/of-others' }
  const taken = { instances: [{ prompt: 'a fox', image }] }
  expect(await post('/v1beta/models/veo-3.1-generate-preview:predictLongRunning', taken)).toEqual([404, 'NOT_FOUND', undefined])
  const key = { authorization: `Bearer ${gateway.key}` }
  expect((await fetch(`${gateway.url}/v1/videos/video_up0/content`, { headers: key })).status).toBe(404)
  expect([upstream.requests.length, google.requests.length]).toEqual(before)
})

test('the console shows how far it is, to its owner and to administrators', async () => {
  const mia = await gateway.user('mia', '10')
  const video = await clientOf(mia.key).videos.create(asked)
  type Work = { data: { id: string; kind: string; state: string; user?: { name: string }; key: string; endedAt: string | null }[] }
  const work = async (session: typeof mia.session) => (await session.call<Work>('GET', '/api/work')).data.find(({ id }) => id === video.id)
  expect(await work(mia.session)).toMatchObject({ kind: 'video', model, key: 'key of mia', endedAt: null })
  expect(await work(gateway.admin)).toMatchObject({ kind: 'video', user: { name: 'mia' } })
  const other = await gateway.user('noa', '10')
  expect((await other.session.call<Work>('GET', '/api/work')).data).toEqual([])
})
