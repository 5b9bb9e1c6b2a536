/** Messages on their way to a collector: what is sent, repeated, given up. */
import { afterEach, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { selfSigned } from '#testing/upstream/self-signed'
import { createSpanSender } from './span-sender.ts'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

interface Got {
  headers: Headers
  body: Uint8Array<ArrayBuffer>
}

/** A collector that gives these answers in turn, the last one again and again. */
function collector(answers: Response[], tls?: { key: string; cert: string }) {
  const got: Got[] = []
  const server = Bun.serve({
    ...{ port: 0, hostname: tls ? 'localhost' : '127.0.0.1' },
    ...(tls && { tls }),
    async fetch(request) {
      got.push({ headers: request.headers, body: await request.bytes() })
      return (answers.length > 1 ? answers.shift() : answers[0])?.clone() ?? new Response()
    },
  })
  undo.push(() => server.stop(true))
  return { got, url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${server.port}` }
}

function senderTo(url: string, more: Record<string, string> = {}, ca?: string) {
  const variables: Record<string, string> = { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more }
  Object.assign(process.env, variables)
  undo.push(() => {
    for (const name of Object.keys(variables)) delete process.env[name]
  })
  const tls = ca === undefined ? undefined : { ca }
  const clock = { ...systemClock, sleep: (ms: number) => systemClock.sleep(ms / 100) }
  const sender = createSpanSender({ resource: { 'service.name': 'p"' }, scope: { name: 'parley', version: '1' } }, tls, clock)
  undo.push(() => sender.close())
  return sender
}

const lot = (...texts: string[]) => ({
  count: texts.length,
  shapes: new Map(),
  callers: new Map(),
  numbers: new Float64Array(0),
  ids: new Uint8Array(0),
  texts,
})
const spansIn = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)).resourceSpans[0]

test('one message of several lots, with the headers that the environment wants, over a connection that stays', async () => {
  const { got, url } = collector([Response.json({ partialSuccess: {} })])
  const sender = senderTo(url, { OTEL_EXPORTER_OTLP_HEADERS: 'x-key=4711' })
  await sender.send([lot('{"a":1}', '{"a":2}'), lot(), lot('{"a":3}')])
  await sender.send([lot('{"a":4}')])
  expect(got.map(({ headers }) => [headers.get('content-type'), headers.get('x-key'), headers.get('content-encoding')])).toEqual([
    ['application/json', '4711', null],
    ['application/json', '4711', null],
  ])
  const [first, second] = got.map(({ body }) => spansIn(body))
  expect(first.resource.attributes).toEqual([{ key: 'service.name', value: { stringValue: 'p"' } }])
  expect(first.scopeSpans).toEqual([{ scope: { name: 'parley', version: '1' }, spans: [{ a: 1 }, { a: 2 }, { a: 3 }] }])
  expect(second.scopeSpans[0].spans).toEqual([{ a: 4 }])
})

test('who is named in the address is named in a header', async () => {
  const { got, url } = collector([Response.json({})])
  await senderTo(url.replace('//', '//ann:hush%20hush@')).send([lot('{"a":1}')])
  expect(got[0]?.headers.get('authorization')).toBe(`Basic ${btoa('ann:hush hush')}`)
})

test('compressed where the environment says so', async () => {
  const { got, url } = collector([Response.json({})])
  await senderTo(url, { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }).send([lot('{"a":1}')])
  expect(got[0]?.headers.get('content-encoding')).toBe('gzip')
  expect(spansIn(Bun.gunzipSync(got[0]?.body ?? new Uint8Array())).scopeSpans[0].spans).toEqual([{ a: 1 }])
})

test('a collector that is busy is asked again, when it wants to be; one that refuses is not', async () => {
  const busy = collector([
    new Response('', { status: 503 }),
    new Response('', { status: 429, headers: { 'retry-after': '2' } }),
    Response.json({}),
  ])
  await senderTo(busy.url).send([lot('{"a":1}')])
  expect(busy.got.length).toBe(3)
  const refusing = collector([new Response('secret', { status: 400 })])
  const thrown = await senderTo(refusing.url)
    .send([lot('{"a":1}')])
    .catch((error: unknown) => error)
  expect(thrown).toMatchObject({ name: 'OTLPExporterError', code: 400, message: 'the collector answered 400' })
  expect(refusing.got.length).toBe(1)
  // If the redirect were followed, the message would go to an unintended address.
  const elsewhere = collector([new Response('', { status: 307, headers: { location: refusing.url } })])
  expect(
    await senderTo(elsewhere.url)
      .send([lot('{"a":1}')])
      .catch((error: unknown) => error),
  ).toMatchObject({ code: 307 })
  expect(refusing.got.length).toBe(1)
})

test('one that is away, or silent, is given up in the time of the environment', async () => {
  const gone = collector([])
  await undo.pop()?.()
  const begun = performance.now()
  const away = await senderTo(gone.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' })
    .send([lot('{"a":1}')])
    .catch((error: unknown) => error)
  expect(away).toMatchObject({ code: 'ECONNREFUSED' })
  const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Promise<Response>(() => undefined) })
  undo.push(() => silent.stop(true))
  const quiet = senderTo(`http://127.0.0.1:${silent.port}`, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' })
  expect(await quiet.send([lot('{"a":1}')]).catch((error: unknown) => error)).toMatchObject({
    message: 'the collector did not answer in time',
  })
  expect(performance.now() - begun).toBeLessThan(20_000)
})

test('a certificate of one’s own is believed where its authority was named, and only there', async () => {
  const { key, cert } = await selfSigned('localhost')
  const { got, url } = collector([Response.json({})], { key, cert })
  const short = { OTEL_EXPORTER_OTLP_TIMEOUT: '500' }
  expect(
    await senderTo(url, short)
      .send([lot('{"a":1}')])
      .catch((error: unknown) => error),
  ).toBeInstanceOf(Error)
  expect(got.length).toBe(0)
  await senderTo(url, {}, cert).send([lot('{"a":1}')])
  expect(got.length).toBe(1)
})
