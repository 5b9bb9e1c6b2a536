/** Reasoning state that clients drop comes back to the conversation that it is of, also where ids of calls are the same in every one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway, testModel } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway
const models = { chat: testModel, messages: 'claude-test', gemini: 'gemini-3-pro-preview' }

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('chat', upstream.url)
  await gateway.channel('messages', upstream.url, { vendor: 'anthropic', models: [models.messages] })
  await gateway.channel('gemini', upstream.url, { vendor: 'gemini', models: [models.gemini] })
  for (const model of Object.values(models)) await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

interface Call {
  id: string
  args: string
}
interface Step {
  question?: string
  call: Call
  result?: string
}
interface Upstream {
  model: string
  answer(call: Call, state: string, streams: boolean): void
}
interface Client {
  /** Asks; after `steps`, of which it keeps nothing but calls and results. */
  ask(model: string, steps: readonly Step[], next: string | undefined, streams: boolean): Promise<Response>
}

const event = (data: object, name?: string) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`
/** Gemini's signatures are base64. */
const asSigned = (state: string) => Buffer.from(`signed ${state}`).toString('base64')

const upstreams: Record<'Chat' | 'Messages' | 'Gemini', Upstream> = {
  Chat: {
    model: models.chat,
    answer({ id, args }, state, streams) {
      const details = [{ type: 'reasoning.encrypted', data: asSigned(state), id: 'r', format: 'google-gemini-v1', index: 0 }]
      const called = { index: 0, id, type: 'function', function: { name: 'look', arguments: args } }
      const chunk = (delta: object, finish_reason: string | null) =>
        event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [{ index: 0, delta, finish_reason }] })
      const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
      const message = { role: 'assistant', content: null, reasoning_details: details, tool_calls: [called] }
      const whole = { id: 'c', object: 'chat.completion', created: 1, model: 'up', usage }
      upstream.next(
        streams
          ? stream([
              ...[chunk({ role: 'assistant', reasoning_details: details }, null), chunk({ tool_calls: [called] }, null)],
              ...[chunk({}, 'tool_calls'), event({ id: 'c', choices: [], usage }), 'data: [DONE]\n\n'],
            ])
          : respondJson(200, { ...whole, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }),
      )
    },
  },
  Messages: {
    model: models.messages,
    answer({ id, args }, state, streams) {
      const usage = { input_tokens: 5, output_tokens: 5 }
      const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', usage }
      const thinking = { type: 'thinking', thinking: 'hm', signature: asSigned(state) }
      const called = { type: 'tool_use', id, name: 'look', input: JSON.parse(args) }
      const told = (type: string, fields: object) => event({ type, ...fields }, type)
      const half = Math.ceil(args.length / 2)
      const pieces = [args.slice(0, half), args.slice(half)].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      const start = { message: { ...message, content: [], stop_reason: null, stop_sequence: null } }
      upstream.next(
        streams
          ? stream([
              told('message_start', start),
              told('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
              told('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }),
              told('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: asSigned(state) } }),
              told('content_block_stop', { index: 0 }),
              told('content_block_start', { index: 1, content_block: { ...called, input: {} } }),
              ...pieces.map((delta) => told('content_block_delta', { index: 1, delta })),
              told('content_block_stop', { index: 1 }),
              told('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }),
              told('message_stop', {}),
            ])
          : respondJson(200, { ...message, content: [thinking, called], stop_reason: 'tool_use', stop_sequence: null }),
      )
    },
  },
  Gemini: {
    model: models.gemini,
    answer({ id, args }, state, streams) {
      const part = { functionCall: { id, name: 'look', args: JSON.parse(args) }, thoughtSignature: asSigned(state) }
      const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 }
      const whole = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }], usageMetadata }
      upstream.next(streams ? stream([event(whole)]) : respondJson(200, whole))
    },
  },
}

const post = (path: string, body: object) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })

const parameters = { type: 'object', properties: {} }
const said = (question: string | undefined) => (question === undefined ? [] : [{ role: 'user', content: question }])

function gemini(ids: boolean): Client['ask'] {
  const named = (id: string) => ({ ...(ids && { id }), name: 'look' })
  const asked = (text: string | undefined) => (text === undefined ? [] : [{ role: 'user', parts: [{ text }] }])
  return (model, steps, next, streams) =>
    post(`/v1beta/models/${model}:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`, {
      tools: [{ functionDeclarations: [{ name: 'look', parameters }] }],
      contents: [
        ...steps.flatMap(({ question, call: { id, args }, result = 'ok' }) => [
          ...asked(question),
          { role: 'model', parts: [{ functionCall: { ...named(id), args: JSON.parse(args) } }] },
          { role: 'user', parts: [{ functionResponse: { ...named(id), response: { output: result } } }] },
        ]),
        ...asked(next),
      ],
    })
}

const clients = {
  Chat: {
    ask: (model, steps, next, stream) =>
      post('/v1/chat/completions', {
        ...{ model, stream, reasoning_effort: 'high', tools: [{ type: 'function', function: { name: 'look', parameters } }] },
        messages: [
          ...steps.flatMap(({ question, call: { id, args }, result = 'ok' }) => [
            ...said(question),
            { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: args } }] },
            { role: 'tool', tool_call_id: id, content: result },
          ]),
          ...said(next),
        ],
      }),
  },
  Messages: {
    ask: (model, steps, next, stream) =>
      post('/v1/messages', {
        ...{ model, stream, max_tokens: 9_000, tools: [{ name: 'look', input_schema: parameters }] },
        messages: [
          ...steps.flatMap(({ question, call: { id, args }, result = 'ok' }) => [
            ...said(question),
            { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input: JSON.parse(args) }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
          ]),
          ...said(next),
        ],
      }),
  },
  Responses: {
    ask: (model, steps, next, stream) =>
      post('/v1/responses', {
        ...{ model, stream, store: false, reasoning: { effort: 'high' }, tools: [{ type: 'function', name: 'look', parameters }] },
        input: [
          ...steps.flatMap(({ question, call: { id, args }, result = 'ok' }) => [
            ...said(question),
            { type: 'function_call', call_id: id, name: 'look', arguments: args },
            { type: 'function_call_output', call_id: id, output: result },
          ]),
          ...said(next),
        ],
      }),
  },
  Gemini: { ask: gemini(true) },
  'Gemini without ids': { ask: gemini(false) },
} satisfies Record<string, Client>

type ClientName = keyof typeof clients
const pairs: [ClientName, keyof typeof upstreams][] = [
  ['Chat', 'Messages'],
  ['Chat', 'Gemini'],
  ['Messages', 'Chat'],
  ['Gemini', 'Chat'],
  ['Responses', 'Messages'],
]
const forms = pairs.flatMap(([client, to]) => [false, true].map((streams) => [client, to, streams] as const))

async function answered(
  client: ClientName,
  to: keyof typeof upstreams,
  steps: readonly Step[],
  next: string,
  call: Call,
  streams: boolean,
) {
  const { model, answer } = upstreams[to]
  answer(call, `${next} ${call.args}`, streams)
  const response = await clients[client].ask(model, steps, next, streams)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(call.id)])
}

/** The request to the upstream when the conversation continues. */
async function sent(client: ClientName, to: keyof typeof upstreams, steps: readonly Step[]): Promise<string> {
  const { model, answer } = upstreams[to]
  answer({ id: 'last', args: '{}' }, 'last', false)
  expect((await clients[client].ask(model, steps, undefined, false)).status).toBe(200)
  return upstream.requests.at(-1)?.text() ?? ''
}

describe.each(forms)('a client of %s and an upstream of %s, streamed: %p', (client, to, streams) => {
  const called = (name: string) => ({ id: `${name}_${client}_${to}_${streams}`, args: '{"at":1,"of":{"a":1,"b":2}}' })

  test('two conversations with the same ids each have their own', async () => {
    const call = called('same')
    for (const next of ['What of foxes?', 'What of owls?']) await answered(client, to, [], next, call, streams)
    const foxes = await sent(client, to, [{ question: 'What of foxes?', call }])
    expect(foxes).toContain(asSigned(`What of foxes? ${call.args}`))
    expect(foxes).not.toContain(asSigned(`What of owls? ${call.args}`))
    const bears = await sent(client, to, [{ question: 'What of bears?', call }])
    for (const known of ['foxes', 'owls']) expect(bears).not.toContain(asSigned(`What of ${known}? ${call.args}`))
  })

  test('a call with other arguments is another one, however they are spelled', async () => {
    const call = called('other')
    await answered(client, to, [], 'Look.', call, streams)
    const state = asSigned(`Look. ${call.args}`)
    const spelled = { ...call, args: '{ "of": {"b":2, "a":1}, "at": 1.0 }' }
    expect(await sent(client, to, [{ question: 'Look.', call: spelled }])).toContain(state)
    expect(await sent(client, to, [{ question: 'Look.', call: { ...call, args: '{"at":2}' } }])).not.toContain(state)
  })

  test('every step of a conversation has what is its own, and short questions are told apart by those before them', async () => {
    const call = called('step')
    const first = { question: 'Foxes?', call }
    const second = { question: 'Go on.', call, result: 'more' }
    await answered(client, to, [], first.question, call, streams)
    await answered(client, to, [first], second.question, call, streams)
    const all = await sent(client, to, [first, second])
    for (const { question } of [first, second]) expect(all).toContain(asSigned(`${question} ${call.args}`))
    const others = await sent(client, to, [{ ...first, question: 'Owls?' }, second])
    expect(others).not.toContain(asSigned(`Go on. ${call.args}`))
  })
})

test.each(pairs)('a client of %s and an upstream of %s: each step of a loop has its own', async (client, to) => {
  const call = { id: `loop_${client}_${to}`, args: '{}' }
  const { model, answer } = upstreams[to]
  const loop: Step[] = []
  for (const at of [0, 1, 2]) {
    answer(call, `loop ${at}`, false)
    const asked: Step[] = at === 0 ? [] : loop
    await (await clients[client].ask(model, asked, at === 0 ? 'Fetch it.' : undefined, false)).text()
    loop.push({ ...(at === 0 && { question: 'Fetch it.' }), call, result: `result ${at}` })
  }
  const all = await sent(client, to, loop)
  expect([0, 1, 2].map((at) => all.split(asSigned(`loop ${at}`)).length)).toEqual([2, 2, 2])
  const others = await sent(client, to, [{ ...loop[0], question: 'Find it.', call }, ...loop.slice(1)])
  for (const at of [0, 1, 2]) expect(others).not.toContain(asSigned(`loop ${at}`))
})

test('a call without an id is given no state of a call that happens to have the one that Parley makes up', async () => {
  const call = { id: 'call_1', args: '{"at":1}' }
  await answered('Chat', 'Messages', [], 'Foxes?', call, false)
  const step = { question: 'Owls?', call }
  expect(await sent('Gemini without ids', 'Messages', [step])).not.toContain(asSigned(`Foxes? ${call.args}`))
})

test('reminders that an agent adds to what was said do not matter', async () => {
  const call = { id: 'reminded', args: '{"at":1}' }
  const question = 'What of foxes?\n<system-reminder>\nThe list is empty.\n</system-reminder>'
  await answered('Messages', 'Chat', [], question, call, true)
  expect(await sent('Messages', 'Chat', [{ question: 'What of foxes?', call }])).toContain(asSigned(`${question} ${call.args}`))
})

describe('a question that is long enough to be told apart from others, and was still asked before', () => {
  const question = 'Summarise the record above in three sentences, and look up what is missing before you answer.'
  const picture = (bytes: string) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${bytes}`, 'latin1').toString('base64')}` },
  })
  const asked = { role: 'user', content: question }
  const before: Record<string, (of: string) => object[]> = {
    'other instructions': (of) => [{ role: 'system', content: `Record: ${of}` }, asked],
    'other words': (of) => [{ role: 'user', content: `Record: ${of}` }, { role: 'assistant', content: 'Read.' }, asked],
    'other words of the assistant': (of) => [{ role: 'user', content: 'Read it.' }, { role: 'assistant', content: `Record: ${of}` }, asked],
    'other media': (of) => [{ role: 'user', content: [{ type: 'text', text: question }, picture(of)] }],
  }
  const send = (model: string, messages: object[], id: string, rounds: number) => {
    const called = { id, type: 'function', function: { name: 'look', arguments: '{}' } }
    const round = [
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: id, content: 'nothing' },
    ]
    const tools = [{ type: 'function', function: { name: 'look', parameters } }]
    const all = [...messages, ...Array.from({ length: rounds }, () => round).flat()]
    return post('/v1/chat/completions', { model, reasoning_effort: 'high', tools, messages: all })
  }
  async function body(to: keyof typeof upstreams, messages: object[], state: string, id: string, rounds: number): Promise<string> {
    const { model, answer } = upstreams[to]
    answer({ id, args: '{}' }, state, false)
    const response = await send(model, messages, id, rounds)
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(id)])
    return upstream.requests.at(-1)?.text() ?? ''
  }

  test.each(Object.entries(before))('after %s: each conversation has its own thoughts', async (name, told) => {
    for (const of of ['Alice', 'Bob']) await body('Messages', told(of), `${name} ${of}`, name, 0)
    for (const [of, other] of [
      ['Alice', 'Bob'],
      ['Bob', 'Alice'],
    ] as const) {
      const sent = await body('Messages', told(of), 'last', name, 1)
      expect([of, other].map((one) => sent.includes(asSigned(`${name} ${one}`)))).toEqual([true, false])
    }
  })

  test('in rounds that are all the same: each has its own, in order', async () => {
    for (const round of [0, 1, 2]) await body('Messages', [asked], `same ${round}`, 'same', round)
    const sent = await body('Messages', [asked], 'last', 'same', 3)
    const found = [0, 1, 2].map((round) => sent.indexOf(asSigned(`same ${round}`)))
    expect([found.every((at) => at > 0), [...found].sort((a, b) => a - b)]).toEqual([true, found])
  })

  test.each(['Messages', 'Gemini'] as const)(
    'with instructions that change, an upstream of %s goes on without the thoughts',
    async (to) => {
      const id = `changing ${to}`
      const told = (time: string) => [{ role: 'system', content: `It is ${time}.` }, asked]
      await body(to, told('noon'), id, id, 0)
      const sent = await body(to, told('one'), 'last', id, 1)
      expect(sent).not.toContain(asSigned(id))
      expect(sent).toContain(to === 'Gemini' ? 'skip_thought_signature_validator' : '"tool_use"')
    },
  )
})

test('in a body that is read by the worker it is the same', async () => {
  const call = { id: 'large', args: '{"at":1}' }
  const long = (what: string) => `${what} ${'word '.repeat(600_000)}`
  const [foxes, owls] = [long('foxes'), long('owls')]
  const { answer, model } = upstreams.Messages
  for (const [question, state] of [
    [foxes, 'large foxes'],
    [owls, 'large owls'],
  ] as const) {
    answer(call, state, true)
    await (await clients.Chat.ask(model, [], question, true)).text()
  }
  const text = await sent('Chat', 'Messages', [{ question: foxes, call }])
  expect([text.includes(asSigned('large foxes')), text.includes(asSigned('large owls'))]).toEqual([true, false])
}, 30_000)
