/** What happens to a stream when the upstream or the client misbehaves, with a scripted upstream over raw TCP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { sampledEngines } from '#testing/database/database'
import { faults, respond, respondJson, stream, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { vendorFailed, vendorRateLimited } from '#testing/vendors/chat-vendor'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: testModel, ...fields })}\n\n`
const role = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] })
const says = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const usage = chunk({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } })
const done = 'data: [DONE]\n\n'
const good: Script = stream([role, says('good'), finish, usage, done])

describe.each(sampledEngines(import.meta.file))('streams on %s', (engine) => {
  let first: ScriptedUpstream
  let second: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    first = await scriptedUpstream()
    second = await scriptedUpstream(good)
    gateway = await startGateway(engine)
    await gateway.channel('first', first.url, { priority: 1, timeouts: { firstEvent: 1.5, betweenEvents: 1.5 } })
    await gateway.channel('second', second.url)
    await gateway.channel('alone', first.url, { models: ['alone'], timeouts: { firstEvent: 1.5, betweenEvents: 1.5 } })
    await gateway.price(testModel)
    await gateway.price('alone')
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await first?.close()
    await second?.close()
  })

  beforeEach(() => gateway.heal())

  const ask = (model: string, body: object = {}, signal?: AbortSignal) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], stream: true, ...body }),
      ...(signal ? { signal } : {}),
    })
  const rowOf = (answer: Response) =>
    gateway.log<Record<string, unknown> & { attempts: { channel: string; cause: string | null; phase: string }[] }>(
      answer.headers.get('x-request-id') ?? '',
    )

  const beforeContent: Record<string, Script> = {
    'a reset before headers': faults.beforeHead.reset,
    'half a head': faults.beforeHead.halfHead,
    'no answer at all': faults.hang,
    'headers and then silence': faults.hangAfterHead,
    'only a role, then the end': stream([role]),
    'only a role, then a reset': stream([role], { everyMs: 20, ending: 'reset' }),
    'an error event first': stream(['data: {"error":{"message":"overloaded","type":"server_error","code":null}}\n\n']),
    'malformed JSON first': stream(['data: {"choices": [\n\n']),
    'an HTML page with 200': respond(200, { 'Content-Type': 'text/html' }, '<html>hello</html>'),
    'a 500': vendorFailed(),
    'a 529': vendorFailed(529),
    'a 429': vendorRateLimited(),
    'a 401': respondJson(401, { error: { message: 'Incorrect API key provided: sk-vendor', code: 'invalid_api_key' } }),
    'a redirect': respond(302, { Location: 'http://127.0.0.1:1/' }),
    'a 204': respond(204),
  }

  test.each(Object.entries(beforeContent))('%s: the next channel answers and only it is charged', async (_, script) => {
    first.next(script)
    const answer = await ask(testModel)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe(role + says('good') + finish + done)
    const row = await rowOf(answer)
    expect(row).toMatchObject({ end: 'complete', channel: 'second', cost: '0.002', provenance: 'provider' })
    expect(row.attempts.map((attempt) => attempt.channel)).toEqual(['first', 'second'])
    expect(row.attempts[0]?.cause).toBeString()
    expect(row.attempts[1]).toMatchObject({ phase: 'done', cause: null })
  })

  const alone: [string, Script[], number, string][] = [
    ['a reset, twice', [faults.beforeHead.reset, faults.beforeHead.reset], 502, 'upstream_error'],
    ['silence', [faults.hang], 504, 'upstream_timeout'],
    ['a 401', [respondJson(401, { error: { message: 'no', code: 'invalid_api_key' } })], 502, 'upstream_auth_failed'],
    ['a 429', [vendorRateLimited('7')], 429, 'rate_limit_exceeded'],
    [
      'a 400',
      [
        respondJson(400, {
          error: { message: 'temperature is too hot', type: 'invalid_request_error', param: 'temperature', code: 'bad_heat' },
        }),
      ],
      400,
      'bad_heat',
    ],
  ]

  test.each(alone)(
    '%s on the last channel: an honest status before anything is committed, and no charge',
    async (_, scripts, status, code) => {
      first.next(...scripts)
      const answer = await ask('alone')
      expect(answer.status).toBe(status)
      const { error } = (await answer.json()) as { error: { code: string; message: string } }
      expect(error.code).toBe(code)
      expect(error.message).not.toContain('org-secret')
      if (status === 429) expect(answer.headers.get('retry-after')).toBe('7')
      expect(await rowOf(answer)).toMatchObject({ end: 'error', cost: '0', status, error: { code } })
    },
  )

  const afterContent: [string, Script, string][] = [
    ['a reset', stream([role, says('12345678')], { everyMs: 150, ending: 'reset' }), 'cut'],
    ['a clean end without a finish', stream([role, says('12345678')]), 'cut'],
    ['a closed connection inside an event', stream([role, says('12345678'), 'data: {"cho'], { everyMs: 150, ending: 'close' }), 'cut'],
    ['an error event', stream([role, says('12345678'), 'data: {"error":{"message":"boom"}}\n\n', says('not counted')]), 'error'],
    ['silence', stream([role, says('12345678')], { ending: 'hang' }), 'cut'],
  ]

  test.each(afterContent)(
    '%s after content: an in-band error, never a fake success, and a charge for what came',
    async (_, script, end) => {
      first.next(script)
      const answer = await ask(testModel)
      const text = await answer.text()
      expect(text.startsWith(role + says('12345678'))).toBe(true)
      expect(text).toMatch(/data: \{"error":\{.*"code":"upstream_(error|timeout)".*\}\}\n\ndata: \[DONE\]\n\n$/)
      expect(text).not.toContain('finish_reason":"stop"')
      expect(text).not.toContain('not counted')
      const row = await rowOf(answer)
      expect(row).toMatchObject({ end, status: 200, provenance: 'estimated', usage: { out: { total: 3 } } })
      expect(row.attempts).toHaveLength(1)
    },
  )

  test('usage that came before the break is what is charged', async () => {
    // What has not been read when the connection breaks is lost, so a process that stalls has half a second.
    first.next(stream([role, says('x'), usage], { everyMs: 500, ending: 'reset' }))
    const answer = await ask(testModel)
    expect(await answer.text()).toContain('"error"')
    expect(await rowOf(answer)).toMatchObject({ end: 'cut', provenance: 'provider', cost: '0.002' })
  })

  test('a finish without [DONE] is a whole answer, and the client gets the terminator', async () => {
    first.next(stream([role, says('x'), finish]))
    const answer = await ask(testModel)
    expect(await answer.text()).toBe(role + says('x') + finish + done)
    expect(await rowOf(answer)).toMatchObject({ end: 'complete' })
  })

  test('events leave in the tick they arrive: nothing waits for the next one', async () => {
    const hasRead = Promise.withResolvers<void>()
    first.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(role + says('first'))
      await hasRead.promise
      await exchange.chunk(says('second'))
      await exchange.chunk(finish + done)
      await exchange.lastChunk()
    })
    const answer = await ask(testModel)
    const reader = answer.body?.getReader()
    const started = performance.now()
    const piece = new TextDecoder().decode((await reader?.read())?.value)
    const waited = performance.now() - started
    console.log(`first event ${waited.toFixed(1)} ms after the head`)
    // The upstream says nothing more until this has come.
    expect(piece).toContain('first')
    expect(waited).toBeLessThan(20 * 250)
    hasRead.resolve()
    await reader?.cancel()
  })

  const big = 'x'.repeat(40_000)
  const wholeAnswer = {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: testModel },
    choices: [{ index: 0, message: { role: 'assistant', content: big }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5_000, total_tokens: 5_010 },
  }
  const inOneWrite: [string, Script, object?][] = [
    ['a long first event', stream([says('x'.repeat(3_000)), finish + usage + done], { everyMs: 300 })],
    ['a stream that is complete in its first packet', stream([role + says(big) + finish + usage + done])],
    ['a long answer that is no stream', respondJson(200, wholeAnswer), { stream: false }],
  ]

  test.each(inOneWrite)('%s comes in one write with the head', async (_, script, fields = {}) => {
    const { hostname, port } = new URL(gateway.url)
    const body = JSON.stringify({ model: testModel, messages: [{ role: 'user', content: 'hi' }], stream: true, ...fields })
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      ...[`host: ${hostname}`, `authorization: Bearer ${gateway.key}`, 'content-type: application/json'],
      `content-length: ${body.length}`,
    ]
    first.next(script)
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`))
    socket.on('error', reject).once('data', (bytes) => resolve(String(bytes)))
    expect(await promise).toMatch(/^HTTP\/1.1 200 [\s\S]*\r\n\r\n\w+\r\n(data: )?\{/)
    socket.destroy()
  })

  test('T11: a reader that takes nothing slows the upstream down', async () => {
    const big = says('x'.repeat(64 * 1024))
    let sent = 0
    first.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      while (sent < 3000 && !exchange.isGone()) {
        await exchange.chunk(big)
        sent += 1
      }
      if (!exchange.isGone()) exchange.close()
    })
    const abort = new AbortController()
    const answer = await ask(testModel, {}, abort.signal)
    const reader = answer.body?.getReader()
    await reader?.read()
    for (let before = -1; before !== sent && sent < 3000; await wait(1_000)) before = sent
    console.log(`upstream stopped after ${((sent * 64) / 1024).toFixed(0)} MiB of 187`)
    expect(sent).toBeLessThan(2000)
    abort.abort()
  })
})
