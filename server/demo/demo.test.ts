import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { systemClock, systemRandom } from '#runtime/clock'
import { handClock } from '#testing/hand-clock'
import { createDemoUpstream, type DemoAnswer } from './demo.ts'

const url = 'http://demo.invalid/v1/chat/completions'
const demo = createDemoUpstream({ clock: systemClock, random: systemRandom, pace: 0 })
const never = new AbortController().signal

async function textOf(answer: DemoAnswer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (let piece = await answer.read(); piece !== undefined; piece = await answer.read()) text += decoder.decode(piece)
  return text
}

const user = (content: unknown) => ({ role: 'user', content })
async function ask(content: unknown, more: object = {}, messages: object[] = [user(content)]) {
  const answer = await demo.open({ method: 'POST', url, body: JSON.stringify({ model: 'parley-demo', messages, ...more }) }, never)
  const body = JSON.parse(await textOf(answer))
  return { status: answer.status, headers: answer.headers, body, choice: body.choices?.[0], message: body.choices?.[0]?.message }
}
async function stream(content: unknown, more: object = {}) {
  const body = { model: 'parley-demo', messages: [user(content)], stream: true, ...more }
  const text = await textOf(await demo.open({ method: 'POST', url, body: JSON.stringify(body) }, never))
  expect(text).toEndWith('data: [DONE]\n\n')
  return text
    .split('\n\n')
    .slice(0, -2)
    .map((event) => JSON.parse(event.slice('data: '.length)))
}
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
      additionalProperties: false,
    },
  },
}
const clock = {
  type: 'function',
  function: { name: 'read_clock', description: 'Tells the time', parameters: { type: 'object', properties: {} } },
}

describe('text', () => {
  test('shows what it understood', async () => {
    const png = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 2, 128, 0, 0, 1, 224]).toString('base64')}`
    const { message, choice, body } = await ask('', { temperature: 0.2, seed: 7 }, [
      { role: 'system', content: 'Be kind.' },
      user([
        { type: 'text', text: 'What is this?\nTell me.' },
        { type: 'image_url', image_url: { url: png } },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ]),
    ])
    expect(message.content).toContain('> What is this?\n> Tell me.')
    expect(message.content).toContain('2 messages, with a system prompt')
    expect(message.content).toContain('image/png, 640 x 480, 24 bytes')
    expect(message.content).toContain('does not fetch')
    expect(message.content).toContain('`temperature` 0.2, `seed` 7')
    expect(message.content).toContain('```')
    expect(choice.finish_reason).toBe('stop')
    const bytes = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)
    expect(body.usage).toMatchObject({
      prompt_tokens: bytes('Be kind.What is this?\nTell me.') + 170,
      completion_tokens: bytes(message.content),
    })
    expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens)
  })

  test('answers Chinese in Chinese, and Japanese not', async () => {
    expect((await ask('你好，你是谁？')).message.content).toContain('你说：\n\n> 你好，你是谁？')
    expect((await ask('日本語です')).message.content).toContain('You said:')
  })

  test('n, stop, and the token limit', async () => {
    const several = await ask('Hi', { n: 3 })
    expect(several.body.choices.map((choice: { index: number }) => choice.index)).toEqual([0, 1, 2])
    expect(several.body.usage.completion_tokens).toBe(3 * Math.ceil(Buffer.byteLength(several.message.content) / 4))
    const stopped = await ask('Hi', { stop: ['intelligence', 'not an', 'nowhere'] })
    expect([stopped.message.content, stopped.choice.finish_reason]).toEqual(["Hello! I am **Parley's demo model**: a script, ", 'stop'])
    const short = await ask('你好', { max_completion_tokens: 5 })
    expect([short.choice.finish_reason, short.body.usage.completion_tokens]).toEqual(['length', 5])
    expect(short.message.content).toBe('你好！我是 **Pa')
  })
})

describe('stream', () => {
  test('in the order of the protocol, the same text as not streamed, usage only when asked for', async () => {
    const events = await stream('Hi')
    const whole = await ask('Hi')
    expect(events[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
    expect(events.map((event) => event.choices[0].delta.content ?? '').join('')).toBe(whole.message.content)
    expect(events.at(-1).choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(events.some((event) => 'usage' in event)).toBe(false)
    const asked = await stream('Hi', { stream_options: { include_usage: true } })
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: whole.body.usage })
    expect(asked.slice(0, -1).every((event) => event.usage === null)).toBe(true)
    expect(new Set(asked.map((event) => event.id)).size).toBe(1)
  })

  test('reasoning comes first and is counted', async () => {
    for (const more of [{ reasoning_effort: 'low' }, {}]) {
      const events = await stream('reasoning_effort' in more ? 'Hi' : 'Hi\n/think', { ...more, stream_options: { include_usage: true } })
      const kinds = events.flatMap((event) => Object.keys(event.choices[0]?.delta ?? {}))
      expect(kinds.indexOf('reasoning_content')).toBe(2)
      expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.lastIndexOf('content'))
      expect(events.at(-1).usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(10)
    }
    expect((await ask('Hi', { reasoning_effort: 'none' })).message.reasoning_content).toBeUndefined()
  })

  test('words come at the pace of the clock; cancel and abort end the wait', async () => {
    const hand = handClock()
    const slow = createDemoUpstream({ clock: hand, random: systemRandom })
    const body = JSON.stringify({ model: 'parley-demo', messages: [user('Hi')], stream: true })
    const controller = new AbortController()
    const answer = await slow.open({ method: 'POST', url, body }, controller.signal)
    await answer.read()
    let arrived = false
    const word = answer.read().then(() => {
      arrived = true
    })
    await hand.advance(19)
    expect(arrived).toBe(false)
    await hand.advance(1)
    await word
    const waiting = answer.read().catch((error: unknown) => error)
    controller.abort('left')
    expect(await waiting).toBe('left')
    const other = await slow.open({ method: 'POST', url, body }, never)
    await other.read()
    const cancelled = other.read().catch((error: unknown) => error)
    other.cancel()
    other.cancel()
    expect(await cancelled).toMatchObject({ code: 'client_closed_request' })
    expect(hand.pending()).toBe(0)
  })
})

describe('tools', () => {
  test('one call with arguments of the schema, then an answer that uses the result', async () => {
    const first = await ask('What is the weather in New York?', { tools: [clock, weather] })
    expect(first.choice.finish_reason).toBe('tool_calls')
    expect(first.message.content).toBeNull()
    const [call] = first.message.tool_calls
    expect(call.function.name).toBe('get_weather')
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'New York', unit: 'celsius' })
    const second = await ask('', { tools: [clock, weather] }, [
      user('What is the weather in New York?'),
      first.message,
      { role: 'tool', tool_call_id: call.id, content: '21 degrees and sunny' },
    ])
    expect(second.choice.finish_reason).toBe('stop')
    expect(second.message.content).toContain('`get_weather` answered: 21 degrees and sunny')
  })

  test('what somebody wrote is never a command', async () => {
    const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] }
    const shell = { type: 'function', function: { name: 'run_shell', description: 'Runs a command', parameters } }
    const { message } = await ask('rm -rf build', { tools: [shell] })
    expect(JSON.parse(message.tool_calls[0].function.arguments)).toEqual({ command: 'echo Hello from the demo model' })
  })

  test('two places are two calls at once, unless the caller wants one', async () => {
    const places = (message: { tool_calls: { function: { arguments: string } }[] }) =>
      message.tool_calls.map((call) => JSON.parse(call.function.arguments).city)
    expect(places((await ask('Weather in Paris and London, in fahrenheit', { tools: [weather] })).message)).toEqual(['Paris', 'London'])
    expect(places((await ask('Weather in Paris, Rome, and Oslo?', { tools: [weather] })).message)).toEqual(['Paris', 'Rome', 'Oslo'])
    expect(places((await ask('巴黎和伦敦的天气怎么样？', { tools: [weather] })).message)).toEqual(['巴黎', '伦敦'])
    expect(places((await ask('Weather in Paris and London', { tools: [weather], parallel_tool_calls: false })).message)).toEqual(['Paris'])
  })

  test('tool_choice: none, and one by name', async () => {
    expect((await ask('Weather?', { tools: [weather], tool_choice: 'none' })).choice.finish_reason).toBe('stop')
    const named = await ask('Weather in Paris?', {
      tools: [weather, clock],
      tool_choice: { type: 'function', function: { name: 'read_clock' } },
    })
    expect(named.message.tool_calls[0].function).toEqual({ name: 'read_clock', arguments: '{}' })
  })

  test('the official SDK puts streamed parallel calls together', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: 'http://demo.invalid/v1', maxRetries: 0, fetch: throughDemo })
    const message = await client.chat.completions
      .stream({
        model: 'parley-demo',
        messages: [{ role: 'user', content: 'Weather in Paris and London?' }],
        tools: [weather as OpenAI.ChatCompletionTool],
      })
      .finalMessage()
    expect(message.tool_calls?.map((call) => call.type === 'function' && JSON.parse(call.function.arguments).city)).toEqual([
      'Paris',
      'London',
    ])
    const refused = await client.chat.completions.create({ model: 'gpt-5', messages: [] }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 404, code: 'model_not_found' })
  })
})

/** `fetch` as the SDK wants it, answered by the demo. */
async function throughDemo(target: string | URL | Request, init?: RequestInit): Promise<Response> {
  const answer = await demo.open({ method: 'POST', url: String(target), body: String(init?.body) }, never)
  const body = new ReadableStream({
    async pull(controller) {
      const piece = await answer.read()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  return new Response(body, { status: answer.status, headers: answer.headers })
}

describe('structured output', () => {
  test('conforms to the schema; JSON mode is JSON', async () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { $ref: '#/$defs/tag' }, minItems: 2 },
        age: { type: 'integer', minimum: 18 },
      },
      required: ['name', 'tags', 'age'],
      $defs: { tag: { type: 'string', enum: ['a', 'b'] } },
    }
    const { message } = await ask('A person', { response_format: { type: 'json_schema', json_schema: { name: 'person', schema } } })
    expect(JSON.parse(message.content)).toEqual({ name: 'demo name', tags: ['a', 'a'], age: 18 })
    const free = await ask('JSON please', { response_format: { type: 'json_object' } })
    expect(JSON.parse(free.message.content)).toMatchObject({ messages: 1, text: 'JSON please' })
  })
})

describe('orders', () => {
  test('/error, /long, and an order is not quoted', async () => {
    const limited = await ask('/error 429')
    expect([limited.status, limited.headers.get('retry-after'), limited.body.error.type]).toEqual([429, '1', 'rate_limit_error'])
    expect((await ask('please\n/error 503\n')).status).toBe(503)
    expect((await ask('/error 200')).status).toBe(400)
    expect((await ask('what does /error 503 do?')).status).toBe(200)
    expect((await ask('/long 120')).message.content.split(/\s+/).length).toBe(120)
    const longest = await ask('/long 50000', { max_tokens: 100_000 })
    expect([longest.choice.finish_reason, longest.body.usage.completion_tokens]).toEqual(['length', 4096])
    expect((await ask('Hi\n/think')).message.content).not.toContain('> /think')
  })

  test('/cut breaks off, streamed or not, and stays broken', async () => {
    for (const streamed of [true, false]) {
      const body = JSON.stringify({ model: 'parley-demo', messages: [user('/cut')], stream: streamed })
      const answer = await demo.open({ method: 'POST', url, body }, never)
      expect(answer.status).toBe(200)
      expect((await answer.read())?.length).toBeGreaterThan(10)
      await expect(textOf(answer)).rejects.toMatchObject({ code: 'upstream_error' })
      await expect(answer.read()).rejects.toMatchObject({ code: 'upstream_error' })
    }
  })

  test('/delay waits before the head, and an abort ends it', async () => {
    const hand = handClock()
    const slow = createDemoUpstream({ clock: hand, random: systemRandom })
    const body = JSON.stringify({ model: 'parley-demo', messages: [user('/delay 3')] })
    let open = false
    const opening = slow.open({ method: 'POST', url, body }, never).then(() => {
      open = true
    })
    await hand.advance(2999)
    expect(open).toBe(false)
    await hand.advance(1)
    await opening
    const controller = new AbortController()
    const aborted = slow.open({ method: 'POST', url, body }, controller.signal).catch((error: unknown) => error)
    controller.abort('left')
    expect(await aborted).toBe('left')
  })
})

describe('refusals of a strict vendor', () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] }
  const cases: [why: string, body: unknown, status: number, error: object][] = [
    ['not JSON', '{', 400, {}],
    ['null', null, 400, {}],
    ['array', [], 400, {}],
    ['no model', { messages: [user('x')] }, 400, { param: 'model' }],
    ['other model', { model: 'gpt-5', messages: [user('x')] }, 404, { code: 'model_not_found' }],
    ['no messages', { model: 'parley-demo' }, 400, { param: 'messages', code: 'missing_required_parameter' }],
    ['empty messages', { model: 'parley-demo', messages: [] }, 400, { param: 'messages' }],
    ['unknown role', { model: 'parley-demo', messages: [{ role: 'robot', content: 'x' }] }, 400, { param: 'messages[0].role' }],
    ['no content', { model: 'parley-demo', messages: [{ role: 'user' }] }, 400, { param: 'messages[0].content' }],
    [
      'stray tool message',
      { model: 'parley-demo', messages: [{ role: 'tool', tool_call_id: 'c1', content: 'x' }] },
      400,
      { param: 'messages[0].role' },
    ],
    ['unanswered call', { model: 'parley-demo', messages: [call, user('x')] }, 400, { param: 'messages[1].role' }],
    ['temperature', { model: 'parley-demo', messages: [user('x')], temperature: 3 }, 400, { param: 'temperature' }],
    ['n as text', { model: 'parley-demo', messages: [user('x')], n: '2' }, 400, { param: 'n' }],
    ['usage without stream', { model: 'parley-demo', messages: [user('x')], stream_options: {} }, 400, { param: 'stream_options' }],
    ['tool without a name', { model: 'parley-demo', messages: [user('x')], tools: [{}] }, 400, { param: 'tools[0]' }],
    ['too long', { model: 'parley-demo', messages: [user('x'.repeat(512_001))] }, 400, { code: 'context_length_exceeded' }],
  ]
  for (const [why, body, status, error] of cases) {
    test(why, async () => {
      const answer = await demo.open({ method: 'POST', url, body: typeof body === 'string' ? body : JSON.stringify(body) }, never)
      expect(answer.status).toBe(status)
      expect(JSON.parse(await textOf(answer)).error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error', ...error })
    })
  }

  test('another path or method is unknown', async () => {
    const other = await demo.open({ method: 'POST', url: 'http://demo.invalid/v1/fine_tuning/jobs', body: '{}' }, never)
    const get = await demo.open({ method: 'GET', url, body: undefined }, never)
    expect([other.status, get.status]).toEqual([404, 404])
  })
})
