/** Whole answers read from Chat upstreams and written for Chat callers. */
import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, ConversationResponse, Finish, Part } from '#canonical/conversation'
import { noUsage } from '#canonical/usage'
import { seeded } from '#testing/seeded'
import { chatCodec as chat } from './codec.ts'

const codecContext = { now: () => 5_000, id: (prefix: string) => `${prefix}made` }
const memo = { toolNames: {}, wrappedTools: [] }
const read = (answer: unknown, remembered: Parameters<typeof chat.readResponse>[1] = memo) =>
  chat.readResponse(JSON.stringify(answer), remembered, codecContext)
const readOne = (message: unknown, finish_reason: unknown = 'stop') => read({ choices: [{ index: 0, message, finish_reason }] }).choices[0]

const asked = (more: Record<string, unknown> = {}): ConversationRequest =>
  chat.readRequest(JSON.stringify({ model: 'asked', messages: [{ role: 'user', content: 'x' }], ...more }))

function write(parts: Part[], finish: Finish['reason'] = 'stop', request = asked()) {
  const response: ConversationResponse = {
    id: 'msg_1',
    model: 'up',
    created: 5,
    choices: [{ index: 0, parts, finish: { reason: finish, raw: 'x' } }],
    usage: noUsage(),
  }
  const { body, losses } = chat.writeResponse(response, request, codecContext)
  const answer = JSON.parse(body)
  return {
    answer,
    message: answer.choices[0].message,
    finish: answer.choices[0].finish_reason,
    losses: losses.map((loss) => `${loss.field}:${loss.what}`),
  }
}

describe('reading', () => {
  test('a body that is not an answer is an upstream error, whatever the status', () => {
    for (const body of [
      '',
      '<html>',
      '[]',
      '{}',
      '{"choices":5}',
      '{"choices":[]}',
      '{"choices":[null]}',
      '{"error":"x","choices":[{}]}',
    ]) {
      expect(() => chat.readResponse(body, memo, codecContext)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
    }
    expect(() => readOne({ content: 'x' }, 'error')).toThrow(expect.objectContaining({ code: 'upstream_error' }))
    expect(() => read({ choices: [{ error: { code: 429 } }] })).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
  })

  test('a silent upstream: own id, the present, an estimate', () => {
    const answer = read({ choices: [{ message: { content: '12345678' } }] })
    expect(answer).toMatchObject({
      id: 'chatcmpl-made',
      created: 5,
      model: '',
      choices: [{ index: 0, finish: { reason: 'stop', raw: '' } }],
    })
    expect(answer.usage).toMatchObject({ out: { total: 2 }, provenance: 'estimated' })
  })

  test('why it ended', () => {
    const made = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] }
    const cases: [unknown, unknown, Finish['reason']][] = [
      [{ content: 'x' }, 'stop', 'stop'],
      [made, 'stop', 'tool-calls'],
      [made, 'tool_calls', 'tool-calls'],
      [made, 'length', 'length'],
      [{ content: 'x' }, 'tool_calls', 'bad-tool-call'],
      [{ refusal: 'no' }, 'stop', 'refusal'],
      [{ content: '' }, 'content_filter', 'content-filter'],
      [{ content: 'x' }, 'MAX_TOKENS', 'length'],
      [{ content: 'x' }, 'constructor', 'stop'],
      [{ content: 'x' }, null, 'stop'],
    ]
    for (const [message, word, reason] of cases) expect(readOne(message, word)?.finish.reason).toBe(reason)
  })

  test('every place that vendors put things', () => {
    const message = {
      reasoning: 'hm',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      annotations: [{ type: 'url_citation', url: 'https://a.example.com', start_index: 0, end_index: 1 }, { type: 'file_citation' }],
      audio: { id: 'x', data: 'AAAA', transcript: 't' },
      images: [{ image_url: { url: 'https://a.example.com/x.png' } }],
      function_call: { name: 'f', arguments: { a: 1 } },
      tool_calls: [{ function: { name: 'g' } }, { function: {} }, 5, { id: 'c', custom: { name: 'h', input: 'i' } }],
    }
    expect(readOne(message)?.parts).toEqual([
      { kind: 'reasoning', text: ['hm'], form: 'full', opaque: [] },
      { kind: 'text', text: 'ab', citations: [{ kind: 'web', url: 'https://a.example.com', start: 0, end: 1 }] },
      { kind: 'media', media: 'image', source: { url: 'https://a.example.com/x.png' } },
      { kind: 'media', media: 'audio', source: { data: 'AAAA' }, mimeType: 'audio/pcm;rate=24000', transcript: 't' },
      { kind: 'call', callId: 'call_made', name: 'g', form: 'json', argsText: '' },
      { kind: 'call', callId: 'c', name: 'h', form: 'text', argsText: 'i' },
      { kind: 'call', callId: 'call_made', name: 'f', form: 'json', argsText: '{"a":1}' },
    ])
  })

  test('renamed and wrapped tools come back as the client’s; what a model wrote otherwise stays', () => {
    const remembered = { toolNames: { up: 'own' }, toolSpaces: { up: 'ns' }, wrappedTools: ['own'] }
    const call = (args: string) =>
      read({ choices: [{ message: { tool_calls: [{ id: 'a', function: { name: 'up', arguments: args } }] } }] }, remembered).choices[0]
        ?.parts[0]
    expect(call('{"input":"a b"}')).toMatchObject({ name: 'own', namespace: 'ns', form: 'text', argsText: 'a b' })
    for (const args of ['{"input":5}', 'plain', '{"inp']) expect(call(args)).toMatchObject({ argsText: args })
  })

  test('garbage and attacks: an answer or a GatewayError', () => {
    const deep = `{"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}}],"content":${'['.repeat(50_000)}${']'.repeat(50_000)}}}]}`
    const odd = [1, -1, 1e300, null, true, '', [], {}, [null], [[5]], { a: 1 }]
    const bodies = Array.from({ length: 300 }, (_, seed) => {
      const random = seeded(seed)
      const any = () => odd[random.below(odd.length)]
      const message = {
        content: any(),
        refusal: any(),
        tool_calls: random.below(2) ? any() : [any(), { id: any(), function: any(), custom: any() }],
        annotations: [any()],
        images: [any(), { image_url: any() }],
        audio: any(),
        reasoning_details: any(),
        reasoning: any(),
        function_call: any(),
      }
      return JSON.stringify({
        id: any(),
        created: any(),
        model: any(),
        usage: any(),
        choices: [{ index: any(), message: random.below(4) ? message : any(), logprobs: any(), finish_reason: any() }],
      })
    })
    for (const body of [deep, ...bodies]) {
      try {
        const response = chat.readResponse(body, memo, codecContext)
        chat.writeResponse(response, asked(), codecContext)
      } catch (error) {
        expect(error).toMatchObject({ name: 'GatewayError' })
      }
    }
  })
})

describe('writing', () => {
  const call = (argsText: string, form: 'json' | 'text' = 'json'): Part => ({ kind: 'call', callId: 'a', name: 'f', form, argsText })

  test('the shape that clients rely on', () => {
    const { answer } = write([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: 'b' },
    ])
    expect(answer).toMatchObject({
      id: 'chatcmpl-made',
      object: 'chat.completion',
      created: 5,
      model: 'asked',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ab', refusal: null }, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    })
  })

  test('T21: no arguments are an empty object; content is null beside calls', () => {
    const { message, finish } = write([call(''), call('x', 'text')], 'tool-calls')
    expect(message.content).toBeNull()
    expect(message.tool_calls).toEqual([
      { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
      { id: 'a', type: 'custom', custom: { name: 'f', input: 'x' } },
    ])
    expect(finish).toBe('tool_calls')
    expect(write([call('')], 'tool-calls', asked({ functions: [] }))).toMatchObject({
      message: { function_call: { name: 'f', arguments: '{}' } },
      finish: 'function_call',
    })
  })

  test('T35: state of another dialect is not shown, one’s own is', () => {
    const hidden = (dialect: 'chat' | 'messages'): Part => ({
      kind: 'reasoning',
      text: [],
      form: 'hidden',
      opaque: [{ dialect, kind: 'redacted', value: 'v' }],
    })
    expect(JSON.stringify(write([hidden('messages'), { kind: 'text', text: 'x' }]).answer)).not.toContain('reasoning')
    expect(write([hidden('chat')]).message.reasoning_details).toEqual([{ type: 'reasoning.encrypted', data: 'v', index: 0 }])
  })

  test('T37: a prompt is the sum of its kinds, and comes back as them', () => {
    const usage = noUsage()
    usage.in.fresh = 3
    usage.in.cacheWrite['5m'] = 12_304
    usage.out.total = 550
    const response: ConversationResponse = { id: 'x', model: 'up', created: 5, choices: [], usage }
    const { usage: written } = JSON.parse(chat.writeResponse(response, asked(), codecContext).body)
    expect(written).toEqual({
      prompt_tokens: 12_307,
      completion_tokens: 550,
      total_tokens: 12_857,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 12_304 },
      completion_tokens_details: {},
    })
    expect(read({ choices: [{ message: {} }], usage: written }).usage.in).toMatchObject({
      fresh: 3,
      cacheRead: 0,
      cacheWrite: { other: 12_304 },
    })
  })

  test('T40: how a refusal is written', () => {
    expect(write([], 'content-filter')).toMatchObject({ finish: 'content_filter', message: { content: '' } })
    expect(write([], 'refusal').finish).toBe('content_filter')
    expect(write([{ kind: 'refusal', text: 'no' }], 'refusal')).toMatchObject({ finish: 'stop', message: { content: null, refusal: 'no' } })
  })

  test('citations count from the beginning of the content; those of documents have no place', () => {
    const { message, losses } = write([
      { kind: 'text', text: 'ab' },
      {
        kind: 'text',
        text: 'cd',
        citations: [
          { kind: 'web', url: 'https://a.example.com', title: 'T' },
          { kind: 'document', citedText: 'x' },
        ],
      },
    ])
    expect(message.annotations).toEqual([
      { type: 'url_citation', url_citation: { start_index: 2, end_index: 4, title: 'T', url: 'https://a.example.com' } },
    ])
    expect(losses).toEqual(['response.citations:dropped'])
  })

  test('media, blocks of other dialects, and order', () => {
    const { message, losses } = write([
      { kind: 'media', media: 'image', source: { data: 'AA' }, mimeType: 'image/webp' },
      { kind: 'media', media: 'audio', source: { data: 'BB' }, transcript: 't' },
      { kind: 'media', media: 'video', source: { data: 'CC' } },
      { kind: 'native', dialect: 'messages', raw: {}, summary: 's' },
      call('{}'),
      { kind: 'text', text: 'late' },
    ])
    expect(message).toMatchObject({
      content: 'slate',
      images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AA' } }],
      audio: { id: 'audio_made', data: 'BB', transcript: 't', expires_at: 3605 },
    })
    expect(losses.sort()).toEqual(['response.media:dropped', 'response.native:adapted', 'response.order:adapted'])
  })
})
