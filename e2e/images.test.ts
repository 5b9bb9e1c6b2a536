/** Images with the official SDKs and with plain requests, from upstreams of both formats and the demo, through the whole program. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { sampledEngines } from '#testing/database/database'
import { respond } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { vendorFailed } from '#testing/vendors/chat-vendor'
import {
  brokenPicture,
  geminiImages,
  openaiImages,
  partialTokens,
  pictureOf,
  picturesIn,
  pictureTokens,
  readImageRequest,
} from '#testing/vendors/image-vendor'
import { type Gateway, startGateway } from './support/gateway.ts'

interface Row {
  end: string
  attempts: { channel: string }[]
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const pngUrl = `data:image/png;base64,${png.toString('base64')}`
const fault = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => 'no refusal',
    (thrown: unknown) => thrown,
  )

/** USD per million tokens, as OpenAI prices its models. */
const tokenPrice = { input: '5', imageIn: '10', output: '40' }
/** The same computed by hand, in nano-dollars. */
const nano = (fresh: number, imageIn: number, out: number) => fresh * 5000 + imageIn * 10_000 + out * 40_000
const usd = (nanos: number) => `${Math.floor(nanos / 1e9)}.${String(nanos % 1e9).padStart(9, '0')}`.replace(/\.?0+$/, '')

describe.each(sampledEngines(import.meta.file))('pictures on %s', (engine) => {
  const upstreams: Record<'openai' | 'older' | 'whole' | 'gemini' | 'files', ScriptedUpstream> = {} as never
  let gateway: Gateway
  let client: OpenAI
  let between: ((event: number) => Promise<unknown>) | undefined
  let before: Record<keyof typeof upstreams, number>

  beforeAll(async () => {
    upstreams.openai = await scriptedUpstream(
      openaiImages({ models: ['gpt-image-2', 'gpt-5'], between: async (event) => between?.(event), keys: ['sk-vendor'] }),
    )
    upstreams.older = await scriptedUpstream(openaiImages({ models: ['dall-e-3'], older: true }))
    upstreams.whole = await scriptedUpstream(openaiImages({ models: ['slow-painter'], whole: true, padding: 6 * 1024 * 1024 }))
    const geminis = ['gemini-2.5-flash-image', 'gemini-3-pro-image', 'imagen-4.0-generate-001']
    upstreams.gemini = await scriptedUpstream(geminiImages({ models: geminis }))
    upstreams.files = await scriptedUpstream((exchange) =>
      respond(exchange.request.target === '/fox.png' ? 200 : 404, { 'Content-Type': 'image/png' }, png)(exchange),
    )
    gateway = await startGateway(engine, { env: { PARLEY_DEMO: 'on' }, loopbackMedia: true })
    const named = (name: string, upstream: string) => ({ name, upstream })
    const openai = ['gpt-image-2', named('painter', 'gpt-image-2'), named('anywhere', 'gpt-image-2'), 'gpt-5']
    await gateway.channel('openai', upstreams.openai.url, { vendor: 'openai', models: openai, priority: 2 })
    const azure = { vendor: 'azure-openai', options: { apiVersion: '2025-04-01-preview' }, models: [named('on-azure', 'gpt-image-2')] }
    await gateway.channel('azure', upstreams.openai.url, azure)
    await gateway.channel('older', upstreams.older.url, { models: ['dall-e-3'] })
    await gateway.channel('whole', upstreams.whole.url, { models: ['slow-painter'] })
    const google = [...geminis, named('anywhere', 'gemini-2.5-flash-image')]
    await gateway.channel('gemini', upstreams.gemini.url, { vendor: 'gemini', models: google, priority: 1 })
    for (const model of [
      'gpt-image-2',
      'painter',
      'anywhere',
      'on-azure',
      'slow-painter',
      'gpt-5',
      'gemini-2.5-flash-image',
      'gemini-3-pro-image',
    ]) {
      await gateway.price(model, tokenPrice)
    }
    for (const model of ['dall-e-3', 'imagen-4.0-generate-001']) await gateway.price(model, { image: '0.04' })
    client = new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    for (const upstream of Object.values(upstreams)) await upstream.close()
  })

  beforeEach(() => {
    between = undefined
    const count = (name: keyof typeof upstreams) => upstreams[name].requests.length
    before = { openai: count('openai'), older: count('older'), whole: count('whole'), gemini: count('gemini'), files: count('files') }
  })

  const arrived = (name: keyof typeof upstreams) => upstreams[name].requests.slice(before[name])
  const send = (path: string, body: string | FormData, headers: Record<string, string> = {}, key = gateway.key) =>
    fetch(gateway.url + path, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body })
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(path, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
  const row = (answer: { headers: Headers }) => gateway.log<Row>(answer.headers.get('x-request-id') ?? '')
  const foxFile = () => new File([png], 'fox.png', { type: 'image/png' })
  const newest = async () => (await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs?limit=1')).data[0]

  describe('of OpenAI’s style', () => {
    test.each(['gpt-image-2', 'painter', 'on-azure'])('%s: generate, with the vendor’s own figures', async (model) => {
      const asked = { model, prompt: 'a red fox', n: 2, size: '1536x1024', quality: 'medium' } as const
      const { data, response } = await client.images.generate(asked).withResponse()
      expect(data.data?.map((image) => image.b64_json)).toEqual([pictureOf('a red fox'), pictureOf('a red fox', 1)])
      const [request] = arrived('openai')
      expect(request?.text()).toBe(JSON.stringify({ ...asked, model: 'gpt-image-2' }))
      if (model === 'on-azure') {
        expect(request?.target).toBe('/openai/deployments/gpt-image-2/images/generations?api-version=2025-04-01-preview')
      }
      expect(await row(response)).toMatchObject({
        operation: 'image',
        dialect: 'openai',
        upstreamModel: 'gpt-image-2',
        provenance: 'provider',
        usage: { in: { fresh: 9, image: 0 }, out: { total: 2 * pictureTokens, image: 2 * pictureTokens }, units: { images: 2 } },
        cost: usd(nano(9, 0, 2 * pictureTokens)),
        losses: [],
      })
    })

    test('a price by the picture, and addresses that pass', async () => {
      const { data, response } = await client.images.generate({ model: 'dall-e-3', prompt: 'a fox', n: 3 }).withResponse()
      expect(data.data?.map((image) => image.url)).toEqual([0, 1, 2].map((index) => `https://pictures.example/${index}.png`))
      expect(await row(response)).toMatchObject({
        cost: '0.12',
        provenance: 'provider',
        usage: { units: { images: 3 }, out: { total: 0 } },
      })
      const bytes = await client.images.generate({ model: 'dall-e-3', prompt: 'a fox', response_format: 'b64_json' })
      expect(bytes.data?.[0]?.b64_json).toBe(pictureOf('a fox'))
    })

    test('a variation passes as the form that it came in; a channel without them says what would do', async () => {
      const call = client.images.createVariation({ model: 'painter' as never, image: foxFile(), n: 1, size: '1024x1024' })
      const { data, response } = await call.withResponse()
      expect(data.data?.length).toBe(1)
      const [request] = arrived('openai')
      expect(request?.target).toBe('/v1/images/variations')
      expect(request?.text()).toContain('gpt-image-2')
      expect(await row(response)).toMatchObject({ operation: 'image', provenance: 'provider', usage: { units: { images: 1 } } })
      const elsewhere = client.images.createVariation({ model: 'gemini-3-pro-image' as never, image: foxFile() })
      expect(await fault(elsewhere)).toMatchObject({ status: 400, code: 'unsupported_here' })
    })

    test('an edit of several files with a mask: their bytes arrive, and the name of the model', async () => {
      const large = new File([png, Buffer.alloc(3 * 1024 * 1024, 7)], 'large.png', { type: 'image/png' })
      const call = client.images.edit({ model: 'painter', prompt: 'add a hat', image: [foxFile(), large], mask: foxFile(), n: 2 })
      const { data, response } = await call.withResponse()
      expect(data.data).toHaveLength(2)
      const [request] = arrived('openai')
      const body = request ? await readImageRequest(request) : {}
      expect(body).toMatchObject({ model: 'gpt-image-2', prompt: 'add a hat', n: '2' })
      const sent = await Promise.all(picturesIn(body).map(async (file) => Buffer.from(await (file as File).arrayBuffer())))
      expect(sent.map((bytes) => bytes.length)).toEqual([png.length, large.size])
      expect(sent[1]?.equals(Buffer.from(await large.arrayBuffer()))).toBe(true)
      expect(body.mask).toMatchObject({ name: 'fox.png', type: 'image/png', size: png.length })
      expect(await row(response)).toMatchObject({
        usage: { in: { fresh: 9, image: 400 }, units: { images: 2 } },
        cost: usd(nano(9, 400, 2 * pictureTokens)),
      })
    })

    test.each(['/v1/images/edits', '/v1/edits'])('an edit by JSON at %s passes byte for byte', async (path) => {
      const raw = `{ "model":"gpt-image-2", "prompt":"a hat",  "images":[{"image_url":"${pngUrl}"},{"image_url":"https://a.example/b.png"}] }`
      const answer = await send(path, raw, { 'content-type': 'application/json' })
      expect(answer.status).toBe(200)
      expect(arrived('openai')[0]?.text()).toBe(raw)
      expect(arrived('openai')[0]?.target).toBe('/v1/images/edits')
      expect(await answer.text()).toContain(pictureOf('a hat'))
      expect(arrived('files')).toEqual([])
    })

    test('a stream: unfinished pictures come before the finished one is made', async () => {
      const gate = Promise.withResolvers<void>()
      between = async (event) => (event === 2 ? gate.promise : undefined)
      const call = client.images.generate({ model: 'painter', prompt: 'a fox', stream: true, partial_images: 2 })
      const { data: stream, response } = await call.withResponse()
      const seen: string[] = []
      for await (const event of stream) {
        seen.push(`${event.type} ${event.b64_json}`)
        if (seen.length === 2) gate.resolve()
      }
      expect(seen).toEqual([
        `image_generation.partial_image ${pictureOf('a fox', 0, 'sketch')}`,
        `image_generation.partial_image ${pictureOf('a fox', 1, 'sketch')}`,
        `image_generation.completed ${pictureOf('a fox')}`,
      ])
      const out = pictureTokens + 2 * partialTokens
      expect(await row(response)).toMatchObject({
        end: 'complete',
        provenance: 'provider',
        usage: { out: { total: out, image: out }, units: { images: 1 } },
        cost: usd(nano(5, 0, out)),
      })
    })

    test('an edit as a stream, of a form', async () => {
      const stream = await client.images.edit({ model: 'painter', prompt: 'a hat', image: foxFile(), stream: true, partial_images: 1 })
      const types: string[] = []
      for await (const event of stream) types.push(event.type)
      expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed'])
    })

    test('an upstream that does not stream: large finished pictures, and no [DONE] made up', async () => {
      const call = client.images.generate({ model: 'slow-painter', prompt: 'a fox', stream: true, n: 2 })
      const { data: stream, response } = await call.withResponse()
      const sizes: number[] = []
      for await (const event of stream) sizes.push(event.type === 'image_generation.completed' ? event.b64_json.length : -1)
      expect(sizes.map((size) => size > 6 * 1024 * 1024)).toEqual([true, true])
      expect(await row(response)).toMatchObject({
        end: 'complete',
        usage: { units: { images: 2 } },
        cost: usd(nano(5, 0, 2 * pictureTokens)),
      })
    })

    test('an event of six million characters passes', async () => {
      upstreams.openai.next(openaiImages({ models: ['gpt-image-2'], padding: 6 * 1024 * 1024 }))
      const stream = await client.images.generate({ model: 'painter', prompt: 'a fox', stream: true })
      for await (const event of stream) expect(event.b64_json.length).toBeGreaterThan(6 * 1024 * 1024)
    })

    test('a stream that breaks is an error, and what was shown is charged', async () => {
      upstreams.openai.next(brokenPicture)
      const answer = await post('/v1/images/generations', { model: 'painter', prompt: 'a fox', stream: true, partial_images: 1 })
      const text = await answer.text()
      expect(text).toContain('"b64_json":"QQ=="')
      expect(text).toMatch(/"error":\{[^\n]*\n\ndata: \[DONE\]\n\n$/)
      expect(await row(answer)).toMatchObject({ end: 'cut', usage: { units: { images: 0 }, out: { total: partialTokens } } })
    })

    test('a client who leaves has the picture that was being shown', async () => {
      between = (event) => (event === 1 ? new Promise(() => {}) : Promise.resolve())
      const stream = await client.images.generate({ model: 'painter', prompt: 'a fox', stream: true, partial_images: 1 })
      for await (const _ of stream) break
      let last = await newest()
      for (let tries = 0; last?.end !== 'aborted' && tries < 200; tries++) {
        await Bun.sleep(10)
        last = await newest()
      }
      expect(last).toMatchObject({ end: 'aborted', provenance: 'estimated', usage: { units: { images: 1 } } })
    })
  })

  describe('of Google’s style', () => {
    // Its models also talk, which an answer of pictures has no place for.
    const words = 'candidates[0].content.parts[0].text:dropped'

    test('one request for every picture, and its own figures', async () => {
      const { data, response } = await client.images
        .generate({ model: 'gemini-2.5-flash-image', prompt: 'a fox', n: 2, size: '1536x1024' })
        .withResponse()
      expect(data.data?.map((image) => image.b64_json)).toEqual([pictureOf('a fox'), pictureOf('a fox')])
      expect([data.output_format, data.usage?.output_tokens]).toEqual(['png', 2 * 1330])
      expect(arrived('gemini').map((request) => request.json())).toEqual(
        Array(2).fill({
          contents: [{ role: 'user', parts: [{ text: 'a fox' }] }],
          generationConfig: { responseModalities: ['TEXT', 'IMAGE'], imageConfig: { aspectRatio: '3:2' } },
        }),
      )
      expect(response.headers.get('x-parley-losses')).toBe(`size:adapted,${words}`)
      expect(await row(response)).toMatchObject({
        provenance: 'provider',
        usage: { in: { fresh: 18 }, out: { total: 2660, image: 2580, reasoning: 80 }, units: { images: 2 } },
        cost: usd(nano(18, 0, 2660)),
      })
    })

    test('an edit: files, data and addresses go in as bytes', async () => {
      const form = await client.images.edit({ model: 'gemini-3-pro-image', prompt: 'a hat', image: [foxFile(), foxFile()] })
      expect(form.data).toHaveLength(1)
      const images = [{ image_url: `${upstreams.files.url}/fox.png` }, { image_url: pngUrl }]
      const answer = await post('/v1/images/edits', { model: 'gemini-3-pro-image', prompt: 'a hat', images })
      expect([answer.status, answer.headers.get('x-parley-losses')]).toEqual([200, `images:adapted,${words}`])
      const inline = { inlineData: { mimeType: 'image/png', data: png.toString('base64') } }
      for (const request of arrived('gemini')) {
        expect(request.json()).toMatchObject({ contents: [{ parts: [inline, inline, { text: 'a hat' }] }] })
      }
      expect(arrived('gemini')).toHaveLength(2)
      expect(arrived('files')).toHaveLength(1)
    })

    test('what cannot be had, or is no picture, is the caller’s error by its place', async () => {
      const ask = (image_url: string) =>
        post('/v1/images/edits', { model: 'gemini-3-pro-image', prompt: 'a hat', images: [{ image_url: pngUrl }, { image_url }] })
      for (const url of ['http://169.254.169.254/latest', `${upstreams.files.url}/none.png`, 'file:///etc/passwd']) {
        const answer = await ask(url)
        expect([answer.status, await answer.json()]).toMatchObject([
          400,
          { error: { param: 'images[1].image_url', code: 'invalid_value' } },
        ])
        expect(await row(answer)).toMatchObject({ cost: '0', attempts: [] })
      }
      const form = new FormData()
      for (const [name, value] of Object.entries({ model: 'gemini-3-pro-image', prompt: 'a hat' })) form.set(name, value)
      form.set('image', new File(['hello'], 'fox.png', { type: 'image/png' }))
      const answer = await send('/v1/images/edits', form)
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'image', code: 'invalid_value' } }])
      expect(arrived('gemini')).toEqual([])
    })

    test('predict: Imagen gets the bytes of the client, a model that talks gets the same question', async () => {
      const asked = { instances: [{ prompt: 'a fox' }], parameters: { sampleCount: 2, aspectRatio: '9:16' } }
      const answer = await post('/v1beta/models/imagen-4.0-generate-001:predict', asked, { 'x-goog-api-key': gateway.key })
      expect(await answer.json()).toMatchObject({ predictions: [{ bytesBase64Encoded: pictureOf('a fox') }, { mimeType: 'image/png' }] })
      expect(arrived('gemini').map((request) => request.text())).toEqual([JSON.stringify(asked)])
      expect(await row(answer)).toMatchObject({ dialect: 'gemini', operation: 'image', cost: '0.08', losses: [] })
      const other = await post('/v1/models/gemini-3-pro-image:predict', { instances: asked.instances })
      expect(await other.json()).toMatchObject({ predictions: [{ bytesBase64Encoded: expect.any(String), mimeType: 'image/png' }] })
      expect(arrived('gemini')[1]?.target).toBe('/v1beta/models/gemini-3-pro-image:generateContent')
    })

    test('Imagen: several pictures of one request, by the picture', async () => {
      const { data, response } = await client.images
        .generate({ model: 'imagen-4.0-generate-001', prompt: 'a fox', n: 5, size: '1024x1792', response_format: 'url' })
        .withResponse()
      expect(data.data?.map((image) => image.url)).toEqual(
        [0, 1, 2, 3, 0].map((index) => `data:image/png;base64,${pictureOf('a fox', index)}`),
      )
      expect(arrived('gemini').map((request) => [request.target, request.json()])).toMatchObject([
        ['/v1beta/models/imagen-4.0-generate-001:predict', { parameters: { sampleCount: 4, aspectRatio: '9:16', sampleImageSize: '2K' } }],
        ['/v1beta/models/imagen-4.0-generate-001:predict', { parameters: { sampleCount: 1 } }],
      ])
      expect(response.headers.get('x-parley-losses')).toBe('size:adapted,response_format:adapted')
      expect(await row(response)).toMatchObject({ cost: '0.2', provenance: 'provider', usage: { units: { images: 5 }, out: { total: 0 } } })
    })

    test('a stream is one finished picture; several are refused', async () => {
      const asked = { model: 'gemini-2.5-flash-image', prompt: 'a fox', stream: true } as const
      const { data: stream, response } = await client.images.generate({ ...asked, partial_images: 2 }).withResponse()
      const events = []
      for await (const event of stream) events.push(event)
      expect(events).toMatchObject([{ type: 'image_generation.completed', b64_json: pictureOf('a fox'), usage: { output_tokens: 1330 } }])
      expect(response.headers.get('x-parley-losses')).toBe(`partials:dropped,${words}`)
      expect(await row(response)).toMatchObject({ end: 'complete', usage: { units: { images: 1 } }, cost: usd(nano(9, 0, 1330)) })
      expect(await fault(client.images.generate({ ...asked, n: 2 }))).toMatchObject({ status: 400, param: 'stream' })
    })

    test('strict refuses what would be lost', async () => {
      const body = { model: 'gemini-2.5-flash-image', prompt: 'a fox', background: 'transparent' }
      const lenient = await post('/v1/images/generations', body)
      expect([lenient.status, lenient.headers.get('x-parley-losses')]).toEqual([200, `background:dropped,${words}`])
      const strict = await post('/v1/images/generations', body, { 'x-parley-strict': 'true' })
      expect(strict.status).toBe(400)
      expect(await row(strict)).toMatchObject({ cost: '0' })
    })

    test('a refused prompt, and words instead of a picture, cost nothing', async () => {
      const ask = (prompt: string) => post('/v1/images/generations', { model: 'gemini-2.5-flash-image', prompt })
      const blocked = await ask('a forbidden fox')
      expect([blocked.status, await blocked.json()]).toMatchObject([400, { error: { code: 'moderation_blocked', param: 'prompt' } }])
      const words = await ask('the sum of 2 and 2')
      expect([words.status, await words.json()]).toMatchObject([400, { error: { message: expect.stringContaining('without a picture') } }])
      for (const answer of [blocked, words]) expect(await row(answer)).toMatchObject({ cost: '0', status: 400 })
    })

    test('whoever asks in Google’s own words has a conversation', async () => {
      const google = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } })
      const config = { responseModalities: ['TEXT', 'IMAGE'] }
      const answer = await google.models.generateContent({ model: 'gemini-2.5-flash-image', contents: 'a fox', config })
      expect(answer.candidates?.[0]?.content?.parts?.[1]?.inlineData?.data).toBe(pictureOf('a fox'))
    })
  })

  describe('failover', () => {
    test('to a channel of the same style, with the same form', async () => {
      upstreams.openai.next(vendorFailed(503))
      const { data, response } = await client.images.edit({ model: 'painter', prompt: 'a hat', image: foxFile() }).withResponse()
      expect(data.data).toHaveLength(1)
      const [first, second] = arrived('openai')
      for (const request of [first, second]) {
        const body = request ? await readImageRequest(request) : {}
        expect(picturesIn(body)).toMatchObject([{ name: 'fox.png', size: png.length }])
      }
      expect((await row(response)).attempts).toHaveLength(2)
    })

    test('to a channel of another style, with an upload', async () => {
      upstreams.openai.next(vendorFailed(503))
      const { data, response } = await client.images.edit({ model: 'anywhere', prompt: 'a hat', image: foxFile() }).withResponse()
      expect(data.data?.[0]?.b64_json).toBe(pictureOf(`${png.toString('base64')} a hat`))
      expect((await row(response)).attempts.map(({ channel }) => channel).at(-1)).toBe('gemini')
    })

    test('of a stream, before anything was shown', async () => {
      upstreams.openai.next(vendorFailed(503))
      const stream = await client.images.generate({ model: 'anywhere', prompt: 'a fox', stream: true })
      const types: string[] = []
      for await (const event of stream) types.push(event.type)
      expect(types).toEqual(['image_generation.completed'])
    })

    test('not after the vendor refused the prompt', async () => {
      const refusal = await fault(client.images.generate({ model: 'anywhere', prompt: 'a forbidden fox' }))
      expect(refusal).toMatchObject({ status: 400, code: 'moderation_blocked' })
      expect([arrived('openai').length, arrived('gemini').length]).toEqual([1, 0])
    })
  })

  describe('the demo', () => {
    const isPng = (data: string | undefined) =>
      Buffer.from(data ?? '', 'base64')
        .subarray(0, 8)
        .equals(png.subarray(0, 8))

    test('makes, changes and streams pictures', async () => {
      const model = 'parley-demo-image'
      const { data: made, response } = await client.images.generate({ model, prompt: 'a fox', n: 2, size: '256x512' }).withResponse()
      expect(made.data?.map((image) => isPng(image.b64_json))).toEqual([true, true])
      expect(made.data?.[0]?.b64_json).not.toBe(made.data?.[1]?.b64_json)
      // 2 tokens of text and 2 x 1056 of pictures, at 1 and 2 USD a million.
      expect(await row(response)).toMatchObject({ usage: { units: { images: 2 } }, cost: '0.004226' })
      const edited = await client.images.edit({ model, prompt: 'a hat', image: foxFile() })
      expect(edited.data?.[0]?.revised_prompt).toBe('a hat [picture: image/png, 16 bytes]')
      const stream = await client.images.generate({ model, prompt: 'a fox', size: '256x256', stream: true, partial_images: 2 })
      const events: [string, boolean][] = []
      for await (const event of stream) events.push([event.type.split('.')[1] ?? '', isPng(event.b64_json)])
      expect(events).toEqual([
        ['partial_image', true],
        ['partial_image', true],
        ['completed', true],
      ])
    })
  })

  describe('refusals', () => {
    const good = { model: 'painter', prompt: 'a fox' }
    const table: [string, object, number, string][] = [
      ['/v1/images/generations', { prompt: 'a fox' }, 400, 'model'],
      ['/v1/images/generations', { model: 'painter' }, 400, 'prompt'],
      ['/v1/images/generations', { ...good, prompt: 7 }, 400, 'prompt'],
      ['/v1/images/generations', { ...good, n: 0 }, 400, 'n'],
      ['/v1/images/generations', { ...good, n: '3' }, 400, 'n'],
      ['/v1/images/generations', { ...good, size: '9x' }, 400, 'size'],
      ['/v1/images/generations', { ...good, response_format: 'jpeg' }, 400, 'response_format'],
      ['/v1/images/generations', { ...good, partial_images: 9 }, 400, 'partial_images'],
      ['/v1/images/generations', { ...good, stream: 'yes' }, 400, 'stream'],
      ['/v1/images/generations', { ...good, sharpness: 4 }, 400, 'sharpness'],
      ['/v1/images/generations', { ...good, model: 'nothing' }, 404, 'model'],
      ['/v1/images/generations', { ...good, model: 'gpt-5' }, 400, 'model'],
      ['/v1/images/generations', { ...good, model: 'gemini-2.5-flash-image', size: '2K' }, 400, 'size'],
      ['/v1/images/generations', { ...good, model: 'gemini-2.5-flash-image', n: 11 }, 400, 'n'],
      ['/v1/images/edits', good, 400, 'images'],
      ['/v1/images/edits', { ...good, images: [] }, 400, 'images'],
      ['/v1/images/edits', { ...good, images: [{ image_url: 5 }] }, 400, 'images[0].image_url'],
      ['/v1/edits', { ...good, input: 'old', instruction: 'older' }, 400, 'images'],
      ['/v1/images/edits', { ...good, model: 'imagen-4.0-generate-001', images: [{ image_url: pngUrl }] }, 400, 'images[0].image_url'],
      [
        '/v1/images/edits',
        { ...good, model: 'gemini-3-pro-image', images: [{ image_url: pngUrl }], mask: { image_url: pngUrl } },
        400,
        'mask.image_url',
      ],
    ]
    test.each(table)('%s %j', async (path, body, status, param) => {
      const answer = await post(path, body)
      expect([answer.status, await answer.json()]).toMatchObject([status, { error: { type: 'invalid_request_error', param } }])
      expect(await row(answer)).toMatchObject({ status, cost: '0', end: 'error' })
    })

    test('of a form', async () => {
      const form = (fields: Record<string, string | File>) => {
        const body = new FormData()
        for (const [name, value] of Object.entries({ model: 'painter', prompt: 'a hat', ...fields })) body.append(name, value)
        return body
      }
      const bad: [FormData, string][] = [
        [form({}), 'image'],
        [form({ image: 'https://a.example/b.png' }), 'image'],
        [form({ image: new File([], 'fox.png') }), 'image'],
        [form({ 'image[]': foxFile(), n: 'two' }), 'n'],
        [form({ image: foxFile(), mask: 'x' }), 'mask'],
      ]
      // Of a key, the first ten refusals a minute for a cause have rows: this one has had some.
      const { key } = await gateway.user('painter of forms', '10')
      for (const [body, param] of bad) {
        const answer = await send('/v1/images/edits', body, {}, key)
        expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }])
        expect(await row(answer)).toMatchObject({ cost: '0', attempts: [] })
      }
      const generations = await send('/v1/images/generations', form({ image: foxFile() }))
      expect(generations.status).toBe(415)
      const plain = await send('/v1/images/edits', 'hello', { 'content-type': 'text/plain' })
      expect(plain.status).toBe(415)
      expect(arrived('openai')).toEqual([])
    })

    test('files in an upstream account belong to no user', async () => {
      for (const images of [[{ file_id: 'file-1' }], [{ image_url: pngUrl }, { file_id: 'file-1' }]]) {
        const answer = await post('/v1/images/edits', { ...good, images })
        expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
      }
      expect(arrived('openai')).toEqual([])
    })

    test('money is held for every picture before anything is sent', async () => {
      const poor = await gateway.user(`poor-${engine}`, '0.1')
      const broke = new OpenAI({ apiKey: poor.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
      const four = await fault(broke.images.generate({ model: 'dall-e-3', prompt: 'a fox', n: 4 }))
      expect(four).toMatchObject({ status: 429, code: 'insufficient_quota' })
      expect(arrived('older')).toEqual([])
      expect((await broke.images.generate({ model: 'dall-e-3', prompt: 'a fox', n: 2 })).data).toHaveLength(2)
      expect(await poor.session.call('GET', '/api/session')).toMatchObject({ user: { balance: '0.02', held: '0' } })
    })

    test('other carriers of the key, a wrong one, and another method', async () => {
      const plain = (headers: Record<string, string>, query = '') =>
        fetch(`${gateway.url}/v1/images/generations${query}`, { method: 'POST', headers, body: JSON.stringify(good) })
      expect((await plain({ 'x-api-key': gateway.key })).status).toBe(200)
      expect((await plain({ 'x-goog-api-key': gateway.key })).status).toBe(200)
      expect((await plain({}, `?key=${gateway.key}`)).status).toBe(200)
      const wrong = await plain({ authorization: 'Bearer sk-wrong' })
      expect([wrong.status, await wrong.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
      expect((await fetch(`${gateway.url}/v1/images/edits`)).status).toBe(405)
    })
  })
})
