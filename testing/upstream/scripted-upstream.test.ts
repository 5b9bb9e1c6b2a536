import { afterEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import OpenAI from 'openai'
import { chatVendor, vendorError, vendorRateLimited } from '#testing/vendors/chat-vendor'
import { drip, faults, gate, respond, stream, wait } from './scripted-answers.ts'
import { type Script, type ScriptedUpstream, scriptedUpstream } from './scripted-upstream.ts'

const running: ScriptedUpstream[] = []
afterEach(async () => {
  for (const upstream of running.splice(0)) await upstream.close()
})
async function start(script?: Script): Promise<ScriptedUpstream> {
  const upstream = await scriptedUpstream(script)
  running.push(upstream)
  return upstream
}

/** Sends raw bytes and collects what is returned, until `isWhole` says so, the connection ends, or `ms` after the last piece. */
function talk(
  upstream: ScriptedUpstream,
  pieces: string[],
  isWhole: (text: string) => boolean = () => false,
  ms?: number,
): Promise<{ text: string; end: 'fin' | 'rst' | 'open' }> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await wait(1)
      }
      if (ms !== undefined) void wait(ms).then(() => done('open'))
    })
    const done = (end: 'fin' | 'rst' | 'open') => {
      resolve({ text, end })
      socket.destroy()
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (isWhole(text)) done('open')
    })
    socket.on('end', () => done('fin'))
    socket.on('error', () => done('rst'))
  })
}
/** Whether so many answers with the body `ok` are there; they may be mixed. */
const answered = (count: number) => (text: string) => text.split('ok').length > count
const get = 'GET /x HTTP/1.1\r\nhost: a\r\n\r\n'

describe('recording', () => {
  test('method, target, headers in order and case, and the exact body, however it was cut', async () => {
    const upstream = await start(respond(200, {}, 'ok'))
    const whole = 'POST /v1/a?b=%20 HTTP/1.1\r\nHost: x\r\nX-Odd-CASE:  two \r\nx-odd-case: three\r\nContent-Length: 6\r\n\r\nab\0\r\nz'
    await talk(upstream, [...whole], answered(1))
    const request = upstream.requests[0]
    expect(request?.method).toBe('POST')
    expect(request?.target).toBe('/v1/a?b=%20')
    expect(request?.headers).toEqual([
      ['Host', 'x'],
      ['X-Odd-CASE', 'two'],
      ['x-odd-case', 'three'],
      ['Content-Length', '6'],
    ])
    expect(request?.header('x-ODD-case')).toBe('two, three')
    expect(request?.text()).toBe('ab\0\r\nz')
  })

  test('chunked bodies and several requests on one connection', async () => {
    const upstream = await start(respond(200, {}, 'ok'))
    const first = 'POST /1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'
    const { text } = await talk(upstream, [first + get, get], answered(3))
    expect(upstream.requests.map((request) => [request.number, request.connection, request.target, request.text()])).toEqual([
      [0, 0, '/1', 'abcde'],
      [1, 0, '/x', ''],
      [2, 0, '/x', ''],
    ])
    expect(text.match(/HTTP\/1\.1 200/g)?.length).toBe(3)
  })

  test('when the client disconnects', async () => {
    const upstream = await start(faults.hang)
    const controller = new AbortController()
    const call = fetch(upstream.url, { signal: controller.signal }).catch(() => 'left')
    await upstream.received(0)
    expect([upstream.exchanges[0]?.isGone(), upstream.connections.open]).toEqual([false, 1])
    controller.abort()
    await upstream.exchanges[0]?.gone
    expect(await call).toBe('left')
    expect(upstream.exchanges[0]?.isGone()).toBe(true)
  })
})

describe('scripts', () => {
  test('next() is played before answer()', async () => {
    const upstream = await start(respond(200, {}, 'always'))
    upstream.next(respond(500, {}, 'once'), respond(503, {}, 'twice'))
    const statuses = []
    for (let i = 0; i < 4; i++) statuses.push((await fetch(upstream.url)).status)
    expect(statuses).toEqual([500, 503, 200, 200])
  })

  test('a request without a script is an error of the test and is reported at close', async () => {
    const upstream = await scriptedUpstream()
    await fetch(upstream.url).catch(() => undefined)
    await expect(upstream.close()).rejects.toThrow('no script')
  })

  test('a stream is exactly its pieces, one chunk each', async () => {
    const upstream = await start(stream(['data: é\n', '\n'], { headers: { 'X-A': '1' } }))
    const { text } = await talk(upstream, [get], (all) => all.endsWith('\r\n0\r\n\r\n'))
    expect(text).toBe(
      'HTTP/1.1 200 Scripted\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n' +
        `9\r\n${Buffer.from('data: é\n').toString('latin1')}\r\n1\r\n\n\r\n0\r\n\r\n`,
    )
  })

  test('a gate holds all requests until it opens', async () => {
    const held = gate(respond(200, {}, 'ok'))
    const upstream = await start(held.script)
    let answered = 0
    const calls = Array.from({ length: 5 }, () => fetch(upstream.url).then(() => answered++))
    await upstream.received(4)
    await wait(50)
    expect([held.waiting(), answered]).toEqual([5, 0])
    held.open()
    await Promise.all(calls)
    expect(answered).toBe(5)
  })

  test('reset is RST, close is FIN, hang is neither', async () => {
    expect((await talk(await start(faults.beforeHead.reset), [get])).end).toBe('rst')
    expect((await talk(await start(faults.beforeHead.close), [get])).end).toBe('fin')
    expect((await talk(await start(faults.hang), [get], undefined, 300)).end).toBe('open')
    expect((await talk(await start(faults.hangAfterHead), [get], (text) => text.includes('\r\n\r\n'))).text).toStartWith('HTTP/1.1 200')
  })

  test('drip sends byte by byte', async () => {
    const upstream = await start(drip('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 2))
    expect(await (await fetch(upstream.url)).text()).toBe('ok')
  })

  test('a client that does not read leaves accepted behind written', async () => {
    const upstream = await start(async (exchange) => {
      await exchange.head(200, { 'Content-Length': '134217728' })
      await exchange.write(new Uint8Array(134_217_728))
    })
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => socket.write(get))
    socket.pause()
    await upstream.received(0)
    await wait(200)
    const exchange = upstream.exchanges[0]
    expect((exchange?.written ?? 0) - (exchange?.accepted ?? 0)).toBe(134_217_728)
    socket.destroy()
    await exchange?.gone
  })
})

describe('chat vendor', () => {
  const ask = async (body: unknown, headers: Record<string, string> = {}, script: Script = chatVendor()) => {
    const upstream = await start(script)
    const response = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-vendor', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const hi = [{ role: 'user', content: 'Hi there' }]
  const tool = (name: string) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })
  const assistant = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' }

  const refusals: [why: string, body: unknown, status: number, error: object, headers?: Record<string, string>][] = [
    ['no key', { model: 'gpt-test', messages: hi }, 401, { code: null }, { authorization: '' }],
    ['wrong key', { model: 'gpt-test', messages: hi }, 401, { code: 'invalid_api_key' }, { authorization: 'Bearer sk-other' }],
    ['content type', { model: 'gpt-test', messages: hi }, 400, { code: 'unsupported_content_type' }, { 'content-type': 'text/plain' }],
    ['bad JSON', '{', 400, { type: 'invalid_request_error' }],
    ['no model', { messages: hi }, 400, { type: 'invalid_request_error' }],
    ['unknown model', { model: 'gpt-9', messages: hi }, 404, { code: 'model_not_found' }],
    ['no messages', { model: 'gpt-test' }, 400, { code: 'missing_required_parameter', param: 'messages' }],
    ['unknown field', { model: 'gpt-test', messages: hi, group: 'vip' }, 400, { code: 'unknown_parameter', param: 'group' }],
    ['unknown role', { model: 'gpt-test', messages: [{ role: 'model', content: 'x' }] }, 400, { param: 'messages[0].role' }],
    ['tool message without a call', { model: 'gpt-test', messages: [...hi, result] }, 400, { param: 'messages[1].role' }],
    ['call without a tool message', { model: 'gpt-test', messages: [...hi, assistant, ...hi] }, 400, { param: 'messages[2].role' }],
    [
      'image in a tool message',
      { model: 'gpt-test', messages: [...hi, assistant, { ...result, content: [{ type: 'image_url' }] }] },
      400,
      {},
    ],
    [
      'usage without a stream',
      { model: 'gpt-test', messages: hi, stream_options: { include_usage: true } },
      400,
      { param: 'stream_options' },
    ],
    ['temperature', { model: 'gpt-test', messages: hi, temperature: 2.1 }, 400, { param: 'temperature' }],
    ['five stops', { model: 'gpt-test', messages: hi, stop: ['a', 'b', 'c', 'd', 'e'] }, 400, { param: 'stop' }],
    ['tool name', { model: 'gpt-test', messages: hi, tools: [tool('a b')] }, 400, { param: 'tools[0].function.name' }],
  ]
  for (const [why, body, status, error, headers] of refusals) {
    test(`refuses: ${why}`, async () => {
      const answer = await ask(body, headers)
      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.text).error).toMatchObject(error)
    })
  }

  test('streams in the order of the protocol; usage only when asked for', async () => {
    const plain = (await ask({ model: 'gpt-test', messages: hi, stream: true })).text
    expect(plain).not.toContain('usage')
    expect(plain).toEndWith('data: [DONE]\n\n')
    const asked = (await ask({ model: 'gpt-test', messages: hi, stream: true, stream_options: { include_usage: true } })).text
    const events = asked
      .split('\n\n')
      .slice(0, -2)
      .map((line) => JSON.parse(line.slice(6)))
    expect(events[0].choices[0].delta).toMatchObject({ role: 'assistant', content: '' })
    expect(events.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, total_tokens: 14 } })
    expect(events.slice(0, -1).every((event) => event.usage === null)).toBe(true)
  })

  test('the official SDK accepts it: text, n, parallel tools in two turns', async () => {
    const upstream = await start(chatVendor())
    const client = new OpenAI({ apiKey: 'sk-vendor', baseURL: `${upstream.url}/v1`, maxRetries: 0 })
    const both = await client.chat.completions.create({ model: 'gpt-test', messages: [{ role: 'user', content: 'Hi' }], n: 2 })
    expect(both.choices.map((choice) => choice.message.content)).toEqual(['You said: Hi', 'You said: Hi'])
    const runner = client.chat.completions.stream({
      model: 'gpt-test',
      messages: [{ role: 'user', content: 'weather' }],
      tools: [tool('a'), tool('b')] as OpenAI.Chat.ChatCompletionTool[],
    })
    const message = await runner.finalMessage()
    expect(message.tool_calls?.map((call) => call.type === 'function' && call.function)).toMatchObject([
      { name: 'a', arguments: '{"city":"Paris"}' },
      { name: 'b', arguments: '{"city":"Paris"}' },
    ])
  })

  test('limits and errors in the vendor’s shape', async () => {
    const limited = await ask({}, {}, vendorRateLimited('20'))
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '20'])
    const failed = await ask({}, {}, vendorError({ status: 500, message: 'x' }))
    expect(JSON.parse(failed.text).error.type).toBe('server_error')
  })
})
