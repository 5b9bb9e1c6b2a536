import { describe, expect, test } from 'bun:test'
import type { Choice, ConversationResponse, Part } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'
import { conversation, named } from '#testing/conversions/conversation'
import { writeResponse } from './response-write.ts'

const codecContext = { now: () => 5000, id: (prefix: string) => `${prefix}fresh` }

function write(parts: Part[], choice: Partial<Choice> = {}, response: Partial<ConversationResponse> = {}) {
  const whole: ConversationResponse = {
    id: 'chatcmpl-1',
    model: 'up',
    created: 5,
    choices: [{ index: 0, parts, finish: { reason: 'stop', raw: 'stop' }, ...choice }],
    usage: noUsage(),
    ...response,
  }
  const { body, losses } = writeResponse(whole, conversation({ dialect: 'messages' }), codecContext)
  return { body: JSON.parse(body), losses: named(losses) }
}

test('SPECIFICATION 2.2: every field, and all four figures', () => {
  expect(write([{ kind: 'text', text: 'Hi' }])).toEqual({
    body: {
      id: 'msg_fresh',
      type: 'message',
      role: 'assistant',
      model: 'asked',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    },
    losses: [],
  })
})

test('2.7: reasons', () => {
  const reason = (finish: Choice['finish'], parts: Part[] = []) => write(parts, { finish }).body.stop_reason
  const table = {
    stop: 'end_turn',
    'stop-sequence': 'stop_sequence',
    'tool-calls': 'tool_use',
    length: 'max_tokens',
    'context-full': 'model_context_window_exceeded',
    'content-filter': 'refusal',
    refusal: 'refusal',
    paused: 'pause_turn',
    'bad-tool-call': 'end_turn',
  } as const
  for (const [from, to] of Object.entries(table)) expect(reason({ reason: from as keyof typeof table, raw: '' })).toBe(to)
  expect(write([], { finish: { reason: 'stop-sequence', raw: '', stopSequence: 'END' } }).body.stop_sequence).toBe('END')
  // T40
  expect(write([{ kind: 'refusal', text: 'No.' }]).body).toMatchObject({ content: [{ type: 'text', text: 'No.' }], stop_reason: 'refusal' })
  expect(reason({ reason: 'length', raw: '' }, [{ kind: 'refusal', text: 'No' }])).toBe('max_tokens')
})

test('no answer ends with a bare signature', () => {
  const words: Part = { kind: 'text', text: 'Hi' }
  const thought: Part = { kind: 'reasoning', form: 'hidden', text: [], opaque: [{ dialect: 'messages', kind: 'signature', value: 'seal' }] }
  const kinds = (...parts: Part[]) => write(parts).body.content.map(({ type }: { type: string }) => type)
  expect(kinds(thought, words, thought)).toEqual(['thinking', 'text'])
  expect(kinds(thought)).toEqual(['thinking'])
})

test('T37: the arithmetic of Messages', () => {
  const usage = noUsage()
  usage.in = { fresh: 30, cacheRead: 60, cacheWrite: { '5m': 0, '1h': 0, other: 10 }, audio: 4, image: 2 }
  usage.out = { total: 50, reasoning: 30, audio: 0, image: 0 }
  usage.units.searches = 2
  expect(write([], {}, { usage, tier: 'priority' }).body.usage).toEqual({
    input_tokens: 36,
    cache_creation_input_tokens: 10,
    cache_read_input_tokens: 60,
    output_tokens: 50,
    output_tokens_details: { thinking_tokens: 30 },
    server_tool_use: { web_search_requests: 2 },
    service_tier: 'priority',
  })
  usage.in.cacheWrite = { '5m': 12000, '1h': 304, other: 0 }
  expect(write([], {}, { usage, tier: 'flex' }).body.usage).toMatchObject({
    cache_creation_input_tokens: 12304,
    cache_creation: { ephemeral_5m_input_tokens: 12000, ephemeral_1h_input_tokens: 304 },
  })
})

describe('blocks', () => {
  const call = (argsText: string): Part => ({ kind: 'call', callId: '', name: 'n', form: 'json', argsText })

  test('arguments that are no JSON object are shown as they are', () => {
    for (const argsText of ['{"a":', '[]', 'hello', 'null']) {
      expect(write([call(argsText)])).toMatchObject({
        body: { content: [{ type: 'tool_use', id: 'toolu_fresh', name: 'n', input: { _raw: argsText } }] },
        losses: ['response.call.arguments:adapted'],
      })
    }
    expect(write([call('')])).toMatchObject({ body: { content: [{ input: {} }] }, losses: [] })
  })

  test('thoughts without the seal of this dialect are shown without one', () => {
    const thought: Part = {
      kind: 'reasoning',
      text: ['a', 'b'],
      form: 'summary',
      opaque: [{ dialect: 'responses', kind: 'encrypted', value: 'x' }],
    }
    expect(write([thought]).body.content).toEqual([{ type: 'thinking', thinking: 'a\n\nb', signature: '' }])
    expect(write([{ ...thought, text: [] }]).body.content).toEqual([])
  })

  test('what this dialect has no block for', () => {
    const parts: Part[] = [
      { kind: 'media', media: 'image', source: { data: 'AAAA' } },
      { kind: 'media', media: 'audio', source: { data: 'AAAA' }, transcript: 'spoken' },
      { kind: 'native', dialect: 'gemini', raw: {}, summary: 'Ran code.' },
      { kind: 'native', dialect: 'gemini', raw: {} },
      { kind: 'text', text: '' },
    ]
    expect(write(parts)).toMatchObject({
      body: {
        content: [
          { type: 'text', text: 'spoken' },
          { type: 'text', text: 'Ran code.' },
        ],
      },
      losses: ['response.media:dropped!', 'response.native:adapted', 'response.native:dropped!'],
    })
  })

  test('one answer of several', () => {
    const choice = { index: 0, parts: [], finish: { reason: 'stop' as const, raw: '' } }
    expect(write([], {}, { choices: [choice, { ...choice, index: 1 }] }).losses).toEqual(['response.choices:dropped!'])
    expect(write([], {}, { choices: [] }).body).toMatchObject({ content: [], stop_reason: 'end_turn' })
  })
})
