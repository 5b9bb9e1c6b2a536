/** Gemini's live sessions with the calls of its SDK: what passes, what is charged, who may resume a session, and how one ends. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GoogleGenAI, type LiveServerMessage, Modality, type Session } from '@google/genai'
import { sampledEngine } from '#testing/database/database'
import { onEvent, type RealtimeCall, type RealtimeVendor, realtimeVendor } from '#testing/vendors/realtime-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'
import { realtimeClient } from './support/realtime/client.ts'

const model = 'gemini-live'
const upstreamModel = 'gemini-live-2.5-flash-preview'
const inBytes = (message: object) => new TextEncoder().encode(JSON.stringify(message))
/** 100 tokens of text and 50 of sound in, 40 of sound and 10 of text out. */
const usageMetadata = {
  ...{ promptTokenCount: 150, responseTokenCount: 50, totalTokenCount: 200 },
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 100 },
    { modality: 'AUDIO', tokenCount: 50 },
  ],
  responseTokensDetails: [
    { modality: 'AUDIO', tokenCount: 40 },
    { modality: 'TEXT', tokenCount: 10 },
  ],
}
/** Dollars of one turn, at 1 and 2 for text and 4 and 8 for sound. */
const ofTurn = (100 * 1 + 50 * 4 + 10 * 2 + 40 * 8) / 1e6

/** As Google is described: every frame is binary. */
function live(call: RealtimeCall): void {
  onEvent(call, (event) => {
    if (event.setup) void call.send(inBytes({ setupComplete: { sessionId: 's' } }))
    if (event.clientContent || event.toolResponse) {
      void call.send(inBytes({ serverContent: { modelTurn: { role: 'model', parts: [{ text: 'Hello.' }] } } }))
      void call.send(inBytes({ sessionResumptionUpdate: { newHandle: 'handle-of-google', resumable: true } }))
      void call.send(inBytes({ serverContent: { generationComplete: true } }))
      void call.send(inBytes({ serverContent: { turnComplete: true }, usageMetadata }))
    }
  })
}

let gateway: Gateway
let vendor: RealtimeVendor
beforeAll(async () => {
  vendor = realtimeVendor(live)
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  const models = [
    { name: model, upstream: upstreamModel },
    { name: 'other', upstream: upstreamModel },
  ]
  await gateway.channel('google', vendor.url, { vendor: 'gemini', models })
  await gateway.channel('openai', vendor.url, { models: ['gpt-realtime'] })
  for (const name of [model, 'other', 'gpt-realtime']) {
    await gateway.price(name, { input: '1', output: '2', audioIn: '4', audioOut: '8' })
  }
}, 90_000)
afterAll(async () => {
  await gateway?.close()
  await vendor?.close()
})

const clientOf = (apiKey: string, apiVersion?: string) =>
  new GoogleGenAI({ apiKey, ...(apiVersion && { apiVersion }), httpOptions: { baseUrl: gateway.url } })

/** A session of the SDK, with the messages received and how it ended. */
async function connected(apiKey: string, config: object = {}, named = model, version?: string) {
  const heard: LiveServerMessage[] = []
  const looks = new Set<() => void>()
  const ended = Promise.withResolvers<{ code: number; reason: string }>()
  const session: Session = await clientOf(apiKey, version).live.connect({
    model: named,
    config,
    callbacks: {
      onmessage(message) {
        heard.push(message)
        for (const look of looks) look()
      },
      onclose: ({ code, reason }) => ended.resolve({ code, reason }),
    },
  })
  const until = (fits: (message: LiveServerMessage) => boolean, count = 1) =>
    new Promise<void>((resolve) => {
      const look = () => heard.filter(fits).length >= count && resolve()
      looks.add(look)
      look()
    })
  return { session, heard, ended: ended.promise, turns: (count: number) => until((one) => one.serverContent?.turnComplete === true, count) }
}

type Row = {
  operation: string
  dialect: string
  model: string
  end: string
  status: number
  charged: string
  provenance: string
  usage: object
  error: object | null
}
type Caller = Awaited<ReturnType<Gateway['user']>>
async function rowOf({ session }: Caller): Promise<Row> {
  for (;;) {
    const { data } = await session.call<{ data: Row[] }>('GET', '/api/logs')
    if (data[0]) return data[0]
    await Bun.sleep(10)
  }
}
const refusal = (config: Parameters<typeof connected>) =>
  connected(...config).then(
    () => 'it was opened',
    (thrown: Error) => thrown.message,
  )

test.each([undefined, 'v1beta', 'v1alpha'])(
  'a session passes and pays for each of its turns once; version %p',
  async (version) => {
    const ann = await gateway.user(`ann-${version}`, '5')
    const number = vendor.calls.length
    const { session, heard, ended, turns } = await connected(
      ann.key,
      { responseModalities: [Modality.TEXT], systemInstruction: 'Be brief.' },
      model,
      version,
    )
    const call = await vendor.call(number)
    expect(call.target).toBe('/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent')
    expect(call.headers.get('x-goog-api-key')).toBeTruthy()
    expect(JSON.parse(String(call.frames[0]))).toMatchObject({
      setup: {
        model: `models/${upstreamModel}`,
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        generationConfig: { responseModalities: ['TEXT'] },
      },
    })
    session.sendClientContent({ turns: 'Hello' })
    await turns(1)
    session.sendRealtimeInput({ audio: { data: 'AAAA', mimeType: 'audio/pcm;rate=16000' } })
    session.sendToolResponse({ functionResponses: [{ id: 'f', name: 'f', response: { ok: true } }] })
    await turns(2)
    expect(heard.flatMap(({ serverContent }) => serverContent?.modelTurn?.parts ?? [])).toEqual([{ text: 'Hello.' }, { text: 'Hello.' }])
    // Its figures once more are no further turn.
    await call.send(inBytes({ usageMetadata }))
    call.close(1000, 'enough')
    expect(await ended).toEqual({ code: 1000, reason: 'enough' })
    const row = await rowOf(ann)
    expect(row).toMatchObject({
      operation: 'realtime',
      dialect: 'gemini',
      model,
      end: 'complete',
      status: 101,
      provenance: 'provider',
      error: null,
    })
    expect(row.usage).toMatchObject({ in: { fresh: 200, audio: 100 }, out: { total: 100, audio: 80 } })
    expect(Number(row.charged)).toBeCloseTo(2 * ofTurn, 9)
  },
  20_000,
)

test('a handle of a session resumes it in its own account, and is useless to other users', async () => {
  const [bob, eve] = [await gateway.user('bob', '5'), await gateway.user('eve', '5')]
  const first = await connected(bob.key, { sessionResumption: {} })
  first.session.sendClientContent({ turns: 'Hello' })
  await first.turns(1)
  const handle = first.heard.flatMap(({ sessionResumptionUpdate: update }) => update?.newHandle ?? [])[0] ?? ''
  expect(handle).not.toContain('handle-of-google')
  first.session.close()
  const number = vendor.calls.length
  const again = await connected(bob.key, { sessionResumption: { handle } })
  expect(JSON.parse(String((await vendor.call(number)).frames[0]))).toMatchObject({
    setup: { sessionResumption: { handle: 'handle-of-google' } },
  })
  again.session.close()
  for (const [key, named] of [
    [eve.key, handle],
    [bob.key, 'handle-of-google'],
  ] as const) {
    expect(await refusal([key, { sessionResumption: { handle: named } }])).toContain('There is no session with this handle')
  }
}, 20_000)

test('what is refused closes the connection in plain words, before any upstream is asked or after all of them', async () => {
  const { key, session } = await gateway.user('cay', '5')
  const asked = vendor.asked.length
  expect(await refusal([key, {}, 'nothing'])).toContain('1008): The model does not exist')
  expect(await refusal([key, {}, 'gpt-realtime'])).toContain('1007): This model is only available in sessions of OpenAI’s Realtime.')
  const inverse = await fetch(`${gateway.url}/v1/realtime?model=${model}`, {
    headers: {
      ...{ authorization: `Bearer ${key}`, connection: 'Upgrade', upgrade: 'websocket' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    },
  })
  expect(inverse.status).toBe(400)
  expect(await inverse.json()).toMatchObject({
    error: { code: 'unsupported_here', param: 'model', message: expect.stringContaining('/ws/google.ai.generativelanguage.v1beta') },
  })
  expect(await refusal([(await gateway.user('poor', '0')).key])).toMatch(/1008\): .*balance/)
  expect(await refusal(['sk-nobodys-key-at-all'])).toContain('401')
  expect(vendor.asked).toHaveLength(asked)
  vendor.next((call) =>
    onEvent(call, () => call.close(1008, 'models/x is not found for API version v1beta, or is not supported for bidiGenerateContent.')),
  )
  expect(await refusal([key])).toContain('1008): The upstream does not offer this model')
  const address = `${gateway.url}/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=${key}`
  const closedBy = async (...frames: object[]) => {
    const client = await realtimeClient(address)
    for (const frame of frames) client.send(frame)
    return client.closed
  }
  const setup = { setup: { model: `models/${model}` } }
  expect(await closedBy({ clientContent: {} })).toMatchObject({ code: 1007, reason: expect.stringContaining('setup') })
  expect(await closedBy({ setup: {} })).toMatchObject({ code: 1007, reason: expect.stringContaining('setup.model') })
  expect(await closedBy(setup, { setup: { model: 'models/other' } })).toMatchObject({ code: 1007, reason: expect.stringContaining('once') })
  const file = { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc', mimeType: 'text/plain' } }
  expect(await closedBy(setup, { clientContent: { turns: [{ parts: [file] }] } })).toMatchObject({
    code: 1008,
    reason: expect.stringContaining('file'),
  })
  const { data } = await session.call<{ data: Row[] }>('GET', '/api/logs')
  expect(data.reduce((sum, { charged }) => sum + Number(charged), 0)).toBe(0)
  const plain = await fetch(address)
  expect([plain.status, await plain.json()]).toMatchObject([426, { error: { status: expect.any(String) } }])
  const music = await fetch(address.replace('BidiGenerateContent', 'BidiGenerateMusic'))
  expect([music.status, await music.json()]).toMatchObject([400, { error: { details: [{ reason: 'unsupported_here' }] } }])
}, 20_000)

test('a session is kept, frame by frame, without any credential; one that never began is kept as a refusal', async () => {
  const fay = await gateway.user('fay', '5')
  const [known] = (await fay.session.call<{ data: { id: string }[] }>('GET', '/api/keys')).data
  await fay.session.call('PATCH', `/api/keys/${known?.id}`, { logBodies: true })
  const { session, turns } = await connected(fay.key)
  session.sendClientContent({ turns: 'Hello' })
  await turns(1)
  session.close()
  await rowOf(fay)
  const { data } = await fay.session.call<{ data: { requestId: string }[] }>('GET', '/api/logs')
  const kept = await gateway.admin.call<{ parts: { border: string; text?: string; frames?: boolean }[] }>(
    'GET',
    `/api/bodies/${data[0]?.requestId}`,
  )
  const text = (border: string) => kept.parts.find((part) => part.border === border && part.frames)?.text
  expect(text('client-request')).toContain(`"model":"models/${model}"`)
  expect(text('upstream-request')).toContain(`"model":"models/${upstreamModel}"`)
  expect(text('upstream-answer')).toContain('handle-of-google')
  expect(text('client-answer')).toContain('"turnComplete":true')
  expect(JSON.stringify(kept)).not.toContain(fay.key)
  expect(await refusal([fay.key, {}, 'nothing'])).toContain('1008')
  for (;;) {
    const { data: rows } = await fay.session.call<{ data: { requestId: string; status: number }[] }>('GET', '/api/logs')
    const refused = rows.find(({ status }) => status === 404)
    if (!refused) continue
    const its = await gateway.admin.call<{ parts: { border: string; broken?: string }[] }>('GET', `/api/bodies/${refused.requestId}`)
    expect(its.parts.map(({ border }) => border)).toEqual(['client-request', 'client-answer'])
    return
  }
}, 20_000)

test('a session ends with its key, and its output is charged', async () => {
  const dan = await gateway.user('dan', '5')
  const { key, id } = await dan.session.call<{ key: string; id: string }>('POST', '/api/keys', { name: 'short' })
  const number = vendor.calls.length
  const { ended } = await connected(key)
  const call = await vendor.call(number)
  await call.send(inBytes({ serverContent: { modelTurn: { parts: [{ text: 'x'.repeat(4000) }] } } }))
  await dan.session.call('DELETE', `/api/keys/${id}`)
  expect(await ended).toMatchObject({ code: 1008 })
  const row = await rowOf(dan)
  expect(row).toMatchObject({ end: 'error', provenance: 'estimated', usage: { out: { total: 1000 } } })
  expect(Number(row.charged)).toBeGreaterThan(0.002)
}, 20_000)
