/** What is asked again, how answers are read in every dialect, and how two of them differ. */
import { describe, expect, test } from 'bun:test'
import type { KeptRecord, PartHead } from '#bodies/record'
import type { WordingName } from '#canonical/wording'
import type { errorTable } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { converseEvent } from '#testing/upstream/event-stream-frames'
import { answerOf } from './answer.ts'
import { differenceOf, piecesOf } from './difference.ts'
import { prepared } from './prepare.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (body: Uint8Array) => new TextDecoder().decode(body)

function kept(body: string, head: Partial<PartHead> = {}): KeptRecord {
  const content = bytes(body)
  const headers = [
    ['authorization', '***'],
    ['content-type', 'application/json'],
    ['content-length', String(content.length)],
    ['anthropic-beta', 'x'],
  ] as const
  const part = {
    border: 'client-request' as const,
    method: 'POST',
    address: '/v1/chat/completions',
    headers,
    atMs: 0,
    bytes: content.length,
    ...head,
  }
  return { requestId: 'r', at: 0, userId: 'u', keyId: null, parts: [{ ...part, body: content }] }
}

describe('what is asked', () => {
  test('the same bytes, without what was not kept', () => {
    const record = kept(' {"model":"a"}\n')
    const asked = prepared(record, {})
    expect(asked).toMatchObject({ address: '/v1/chat/completions', spoken: { dialect: 'chat' }, exact: true })
    expect(asked.body).toBe(record.parts[0]?.body ?? bytes(''))
    expect(asked.headers).toEqual([
      ['content-type', 'application/json'],
      ['anthropic-beta', 'x'],
    ])
  })

  test.each([
    [{ redacted: true }, 'body_redacted'],
    [{ leftOut: true }, 'body_incomplete'],
    [{ broken: 'client_closed_request' }, 'body_incomplete'],
    [{ headers: [['content-length', '99']] }, 'body_incomplete'],
    [{ method: 'GET', address: '/v1/realtime', frames: true }, 'not_replayable'],
  ] as [Partial<PartHead>, keyof typeof errorTable][])('%j is never sent', (head, code) => {
    expect(() => prepared(kept('{"model":"a"}', head), {})).toThrow(expect.objectContaining({ code }))
  })

  test('fields are set and removed in the text; another model goes beside it', () => {
    const asked = prepared(kept('{"model":"a","seed": 1,"n":10000000000000001}'), { model: 'b', set: { temperature: 0 }, remove: ['seed'] })
    expect(asked).toMatchObject({ model: 'b', exact: false })
    expect(JSON.parse(text(asked.body))).toMatchObject({ model: 'a', temperature: 0 })
    expect(text(asked.body)).toContain('"n":10000000000000001')
    expect(text(asked.body)).not.toContain('seed')
    expect(() => prepared(kept('{"input":"x"}', { address: '/v1/embeddings' }), { set: { a: 1 } })).toThrow(
      expect.objectContaining({ code: 'not_replayable' }),
    )
  })

  test.each([
    [
      '/v1beta/models/gemini-pro:streamGenerateContent?alt=sse&key=***',
      { model: 'up/x' },
      '/v1beta/models/up/x:streamGenerateContent?alt=sse',
      undefined,
    ],
    ['/openai/deployments/dep/chat/completions?api-version=1', {}, '/v1/chat/completions', 'dep'],
    ['/openai/v1/responses', {}, '/v1/responses', undefined],
    ['/v1/messages?beta=true', { model: 'm' }, '/v1/messages?beta=true', 'm'],
  ])('%s with %j goes to %s', (address, target, endpoint, model) => {
    const asked = prepared(kept('{}', { address }), target)
    expect([asked.address, asked.model]).toEqual([endpoint, model])
  })

  test('of the playground and of responses, what only they know is left out', () => {
    const own = prepared(kept('{"model":"a","group":"g"}', { address: '/pg/chat/completions' }), {})
    expect([own.address, text(own.body)]).toEqual(['/v1/chat/completions', '{"model":"a"}'])
    expect(text(prepared(kept('{"background":true,"model":"a"}', { address: '/v1/responses' }), {}).body)).toBe('{"model":"a"}')
  })
})

const streams: Record<Exclude<Dialect, 'completions'>, [whole: unknown, events: string]> = {
  chat: [
    {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi you',
            tool_calls: [{ id: 'k', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    },
    `${[
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi ' }, finish_reason: null }] },
      {
        choices: [
          {
            index: 0,
            delta: { content: 'you', tool_calls: [{ index: 0, id: 'k', type: 'function', function: { name: 'f', arguments: '{"a"' } }] },
          },
        ],
      },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ]
      .map((chunk) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`)
      .join('')}data: [DONE]\n\n`,
  ],
  messages: [
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'text', text: 'Hi you' },
        { type: 'tool_use', id: 'k', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    [
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi you' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'k', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  ],
  responses: [
    {
      ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm' },
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi you', annotations: [] }],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'k', name: 'f', arguments: '{"a":1}', status: 'completed' },
      ],
    },
    [
      {
        type: 'response.created',
        response: { id: 'resp_1', object: 'response', created_at: 1, status: 'in_progress', model: 'm', output: [] },
      },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: '', annotations: [] },
      },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hi you' },
      { type: 'response.output_text.done', item_id: 'msg_1', output_index: 0, content_index: 0, text: 'Hi you' },
      {
        type: 'response.content_part.done',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part: { type: 'output_text', text: 'Hi you', annotations: [] },
      },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi you', annotations: [] }],
        },
      },
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { type: 'function_call', id: 'fc_1', call_id: 'k', name: 'f', arguments: '', status: 'in_progress' },
      },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"a":1}' },
      { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 1, arguments: '{"a":1}' },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', id: 'fc_1', call_id: 'k', name: 'f', arguments: '{"a":1}', status: 'completed' },
      },
      {
        type: 'response.completed',
        response: { id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output: [] },
      },
    ]
      .map((event, n) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: n })}\n\n`)
      .join(''),
  ],
  gemini: [
    {
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'Hi you' }, { functionCall: { name: 'f', args: { a: 1 } } }] },
          finishReason: 'STOP',
          index: 0,
        },
      ],
      modelVersion: 'm',
    },
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text: 'Hi you' }] }, index: 0 }] })}\n\ndata: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] }, finishReason: 'STOP', index: 0 }] })}\n\n`,
  ],
}

describe.each(Object.entries(streams))('an answer of %s', (dialect, [whole, events]) => {
  const said = { text: 'Hi you', calls: [{ name: 'f', args: '{"a":1}' }], finish: 'tool-calls', error: null }
  test('whole and streamed answers compare as equal', () => {
    expect(answerOf({ dialect: dialect as Dialect }, 200, bytes(JSON.stringify(whole)))).toEqual(said)
    expect(answerOf({ dialect: dialect as Dialect }, 200, bytes(events))).toEqual(said)
  })
  test('that is none is unknown; a refusal is told', () => {
    expect(answerOf({ dialect: dialect as Dialect }, 200, bytes('<html>'))).toBeUndefined()
    expect(answerOf({ dialect: dialect as Dialect }, 429, bytes('{"error":{"code":"slow","message":"Too fast."}}'))?.error).toEqual({
      code: 'slow',
      message: 'Too fast.',
    })
  })
})

test('a stream of Gemini as one array is read as its events are', () => {
  const array = JSON.stringify(
    streams.gemini[1]
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.slice('data: '.length))),
  )
  expect(answerOf({ dialect: 'gemini' }, 200, bytes(array))).toEqual(answerOf({ dialect: 'gemini' }, 200, bytes(streams.gemini[1])))
})

const ollama = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')
const call = { function: { name: 'f', arguments: { a: 1 } } }
const worded: [WordingName, Uint8Array, Uint8Array][] = [
  [
    'ollama-chat',
    bytes(ollama({ message: { content: 'Hi you', tool_calls: [call] }, done: true, done_reason: 'stop' })),
    bytes(
      ollama(
        { message: { content: 'Hi ' }, done: false },
        { message: { content: 'you' }, done: false },
        { message: { content: '', tool_calls: [call] }, done: false },
        { message: { content: '' }, done: true, done_reason: 'stop' },
      ),
    ),
  ],
  [
    'converse',
    bytes(
      JSON.stringify({
        output: {
          message: { role: 'assistant', content: [{ text: 'Hi you' }, { toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } }] },
        },
        stopReason: 'tool_use',
      }),
    ),
    Buffer.concat([
      converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hi ' } }),
      converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'you' } }),
      converseEvent('contentBlockStart', { contentBlockIndex: 1, start: { toolUse: { toolUseId: 't', name: 'f' } } }),
      converseEvent('contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"a":1}' } } }),
      converseEvent('messageStop', { stopReason: 'tool_use' }),
    ]),
  ],
  [
    'interaction',
    bytes(
      JSON.stringify({
        status: 'requires_action',
        steps: [
          { type: 'model_output', content: [{ type: 'text', text: 'Hi you' }] },
          { type: 'function_call', name: 'f', arguments: { a: 1 } },
        ],
      }),
    ),
    bytes(
      [
        { event_type: 'step.delta', delta: { type: 'text', text: 'Hi you' } },
        { event_type: 'step.start', step: { type: 'function_call', name: 'f', arguments: {} } },
        { event_type: 'step.delta', delta: { type: 'arguments_delta', arguments: '{"a":1}' } },
        { event_type: 'interaction.completed', interaction: { status: 'requires_action' } },
      ]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    ),
  ],
]

test.each(worded)('an answer in the words of %s says the same whole and streamed', (wording, whole, events) => {
  const said = { text: 'Hi you', calls: [{ name: 'f', args: '{"a":1}' }], finish: 'tool-calls', error: null }
  expect(answerOf({ dialect: 'chat', wording }, 200, whole)).toEqual(said)
  expect(answerOf({ dialect: 'chat', wording }, 200, events)).toEqual(said)
  expect(answerOf({ dialect: 'chat', wording }, 200, bytes('<html>'))).toBeUndefined()
})

describe('differences', () => {
  const answer = (text: string, args = '{}') => ({ text, calls: [{ name: 'f', args }], finish: 'stop', error: null })
  test('the order of arguments means nothing, their values do', () => {
    expect(differenceOf(answer('a', '{"x":1,"y":2}'), answer('a', '{"y":2, "x":1}'))).toEqual({
      text: 'same',
      alike: 100,
      calls: 'same',
      finish: 'same',
    })
    expect(differenceOf(answer('a', '{"x":1}'), answer('a', '{"x":"1"}')).calls).toBe('arguments')
    expect(differenceOf(answer('a'), { ...answer('a'), calls: [] }).calls).toBe('different')
  })
  test('words are marked, in Chinese signs; what differs is never all alike', () => {
    expect(piecesOf('one two three', 'one 2 three')?.filter((piece) => piece.in !== 'both')).toEqual([
      { text: 'two', in: 'original' },
      { text: '2', in: 'replay' },
    ])
    expect(
      piecesOf('订单已发货', '订单未发货')
        ?.filter((piece) => piece.in !== 'both')
        .map(({ text }) => text),
    ).toEqual(['已', '未'])
    expect(differenceOf(answer(`${'word '.repeat(1000)}a`), answer(`${'word '.repeat(1000)}b`)).alike).toBe(99)
  })
  test('what has nothing in common is given up in time', () => {
    const random = (seed: number) => Array.from({ length: 5_000 }, (_, n) => `w${(n * seed) % 7919}`).join(' ')
    expect(piecesOf(random(31), random(77))).toBeUndefined()
    expect(differenceOf(answer(random(31)), answer(random(77)))).toEqual({ text: 'different', calls: 'same', finish: 'same' })
  })
})
