/**
 * Converse as AWS documents it (API_runtime_Converse, API_runtime_ConverseStreamOutput). The answers have the fields and figures of
 * recordings in pydantic/pydantic-ai, tests/models/cassettes/test_bedrock: thinking_high_openai_variant, moonshotai_tool_call,
 * cache_write_and_read, guardrail_config, model_stream; requests those of native_output_qwen, top_k_nova_variant, s3_document_url_input.
 */
import { describe, expect, test } from 'bun:test'
import type { CodecContext, Memo } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { gathered } from '#canonical/response-events'
import { converseEvent, eventStreamMessage } from '#testing/upstream/event-stream-frames'
import { createEventStreamSplitter } from '#wire/event-stream'
import { messagesCodec } from '../messages/codec.ts'
import { converseCodec } from './codec.ts'

const codecContext: CodecContext = { now: () => 1_700_000_000_000, id: (prefix) => `${prefix}1` }
const memo: Memo = { toolNames: {}, wrappedTools: [] }
const nova = 'us.amazon.nova-lite-v1:0'

/** As a client of Messages asks; `more` are canonical fields of other dialects. */
function asked(body: object, more: Partial<ConversationRequest> = {}): ConversationRequest {
  const text = JSON.stringify({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...body })
  return { ...messagesCodec.readRequest(text), ...more }
}
const written = (request: ConversationRequest, model = nova) =>
  converseCodec.writeRequest(request, { model, capabilities: { mediaUrlsRefused: true }, stream: false })
const lost = (request: ConversationRequest, model = nova) => written(request, model).losses.map(({ field }) => field)

describe('a request', () => {
  test('turns, instructions, tools, results, media and breakpoints', () => {
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
    const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    const request = asked({
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      stop_sequences: ['END'],
      tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      tool_choice: { type: 'tool', name: 'look' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See', cache_control: { type: 'ephemeral' } },
            { type: 'image', source: png },
            { type: 'document', source: pdf, title: 'a/b: report', context: 'of May', citations: { enabled: true } },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: [{ type: 'image', source: png }] }],
        },
      ],
    })
    expect(written(request).body).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'See' },
            { cachePoint: { type: 'default' } },
            { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
            {
              document: {
                format: 'pdf',
                name: 'a b report',
                source: { bytes: 'JVBERi0=' },
                context: 'of May',
                citations: { enabled: true },
              },
            },
          ],
        },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'toolu_1', name: 'look', input: { at: 1 } } }] },
        {
          role: 'user',
          content: [
            {
              toolResult: {
                toolUseId: 'toolu_1',
                status: 'error',
                content: [{ image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
              },
            },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, stopSequences: ['END'], temperature: 0.5, topP: 0.9 },
      toolConfig: {
        tools: [
          { toolSpec: { name: 'look', description: 'Looks.', inputSchema: { json: { type: 'object' } } } },
          { cachePoint: { type: 'default', ttl: '1h' } },
        ],
        toolChoice: { tool: { name: 'look' } },
      },
      additionalModelRequestFields: { inferenceConfig: { topK: 20 } },
    })
  })

  test('without a limit the model has its own', () => {
    const { output } = asked({})
    const { maxTokens: _, ...unlimited } = output
    expect(written(asked({}, { output: unlimited })).body.inferenceConfig).toBeUndefined()
  })

  test('something in a bucket is named, anything else by address is fetched first', () => {
    const media = (url: string) => ({ kind: 'media', media: 'document', source: { url } }) as const
    const turns = [{ role: 'user' as const, parts: [media('s3://my-bucket/documents/test-doc.pdf')] }]
    expect(written(asked({}, { turns })).body.messages).toEqual([
      {
        role: 'user',
        content: [
          { document: { format: 'pdf', name: 'Document', source: { s3Location: { uri: 's3://my-bucket/documents/test-doc.pdf' } } } },
        ],
      },
    ])
    const target = { model: nova, capabilities: {}, stream: false }
    expect([media('s3://b/a.pdf'), media('https://a/b.pdf')].map((part) => converseCodec.needsBytes(part, target))).toEqual([false, true])
  })

  test('a schema binds the models that can be bound, others are asked in words', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const request = asked({}, { output: { ...asked({}).output, format: { kind: 'schema', schema, name: 'City', description: 'A city.' } } })
    const bound = written(request, 'qwen.qwen3-32b-v1:0')
    expect([bound.body.outputConfig, bound.losses]).toEqual([
      {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'City', description: 'A city.' } },
        },
      },
      [],
    ])
    expect(lost(request)).toEqual(['output.format'])
    expect(JSON.stringify(written(request).body.system)).toContain('city')
  })

  test('thinking in the words of each family, or a loss', () => {
    const thinks = asked({}, { reasoning: { effort: 'high' } })
    const fields = (model: string) => written(thinks, model).body.additionalModelRequestFields
    expect(fields('openai.gpt-oss-120b-1:0')).toEqual({ reasoning_effort: 'high' })
    expect(fields('qwen.qwen3-32b-v1:0')).toEqual({ reasoning_config: 'high' })
    expect(fields('us.amazon.nova-2-lite-v1:0')).toEqual({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } })
    expect([fields(nova), lost(thinks)]).toEqual([undefined, ['reasoning']])
    expect(lost(asked({}, { reasoning: { effort: 'none' } }))).toEqual([])
  })

  test('what it cannot express is a loss by name', () => {
    const request = asked({
      top_k: 5,
      metadata: { user_id: 'u' },
      context_management: { edits: [] },
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    })
    expect(lost(request, 'meta.llama3-1-8b-instruct-v1:0').sort()).toEqual([
      'context_management',
      'identity',
      'sampling.topK',
      'tools.web-search',
    ])
    expect(written(request).body.toolConfig).toBeUndefined()
  })

  test('a file in another account is refused with its path, and the citation setting of a document is reported', () => {
    const file = { type: 'file', file_id: 'file_1' }
    for (const type of ['image', 'document'])
      expect(() => written(asked({ messages: [{ role: 'user', content: [{ type, source: file }] }] }))).toThrow(
        expect.objectContaining({ code: 'unsupported_value', param: 'messages[0].content[0]' }),
      )
    const inResult = { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: file }] }
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] }
    expect(() => written(asked({ messages: [{ role: 'user', content: 'hi' }, call, { role: 'user', content: [inResult] }] }))).toThrow(
      expect.objectContaining({ code: 'unsupported_value' }),
    )
    const citations = [
      { type: 'page_location', cited_text: 'x', document_index: 0, document_title: 't', start_page_number: 1, end_page_number: 2 },
    ]
    const hi = { role: 'user', content: 'hi' }
    const said = { role: 'assistant', content: [{ type: 'text', text: 'Yes.', citations }] }
    expect(lost(asked({ messages: [hi, said, hi] }))).toEqual(['turns.citations'])
  })

  test('tools that the conversation has called are listed, long names come back', () => {
    const name = `${'a'.repeat(80)}`
    const request = asked({
      tools: [{ name, input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'gone', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '' }] },
      ],
    })
    const { body, memo: kept, losses } = written(request)
    const { tools } = body.toolConfig as { tools: { toolSpec: { name: string } }[] }
    expect(tools.map(({ toolSpec }) => toolSpec.name.length)).toEqual([61, 4])
    expect(kept.toolNames[tools[0]?.toolSpec.name ?? '']).toBe(name)
    expect(losses.map(({ field }) => field)).toEqual(['toolPolicy.mode'])
  })
})

describe('an answer', () => {
  const usage = { inputTokens: 74, outputTokens: 110, serverToolUsage: {}, totalTokens: 184 }
  const read = (content: object[], more: object = {}) =>
    converseCodec.readResponse(
      JSON.stringify({
        metrics: { latencyMs: 844 },
        output: { message: { content, role: 'assistant' } },
        stopReason: 'end_turn',
        usage,
        ...more,
      }),
      memo,
      codecContext,
    )

  test('thoughts, text and usage', () => {
    const answer = read([{ reasoningContent: { reasoningText: { text: 'Just "ok".' } } }, { text: 'ok' }])
    expect(answer.choices[0]).toMatchObject({
      parts: [
        { kind: 'reasoning', text: ['Just "ok".'], opaque: [] },
        { kind: 'text', text: 'ok' },
      ],
      finish: { reason: 'stop', raw: 'end_turn' },
    })
    expect(answer.usage).toMatchObject({ in: { fresh: 74 }, out: { total: 110 }, provenance: 'provider', raw: usage })
    expect(answer.losses).toBeUndefined()
  })

  test('what was written to a cache and read from it', () => {
    const cached = {
      ...usage,
      inputTokens: 2,
      cacheReadInputTokens: 7,
      cacheWriteInputTokens: 1322,
      cacheDetails: [
        { inputTokens: 1000, ttl: '5m' },
        { inputTokens: 322, ttl: '1h' },
      ],
    }
    expect(read([{ text: '21' }], { usage: cached }).usage.in).toMatchObject({
      fresh: 2,
      cacheRead: 7,
      cacheWrite: { '5m': 1000, '1h': 322 },
    })
  })

  test('a call', () => {
    const call = { toolUse: { input: { city: 'London' }, name: 'get_temperature', toolUseId: 'functions.get_temperature:0' } }
    expect(read([call], { stopReason: 'tool_use' }).choices[0]).toMatchObject({
      parts: [{ kind: 'call', callId: 'functions.get_temperature:0', name: 'get_temperature', argsText: '{"city":"London"}' }],
      finish: { reason: 'tool-calls' },
    })
  })

  test.each([
    ['guardrail_intervened', 'content-filter'],
    ['content_filtered', 'content-filter'],
    ['max_tokens', 'length'],
    ['stop_sequence', 'stop-sequence'],
    ['model_context_window_exceeded', 'context-full'],
    ['malformed_tool_use', 'bad-tool-call'],
    ['malformed_model_output', 'bad-tool-call'],
  ])('%s is %s', (stopReason, reason) => {
    expect(read([{ text: 'x' }], { stopReason }).choices[0]?.finish).toMatchObject({ reason, raw: stopReason })
  })

  test('fields without a place are reported by name, the trace of a guardrail too', () => {
    const answer = read([{ text: 'x' }, { video: {} }], { trace: { guardrail: {} }, additionalModelResponseFields: { a: 1 } })
    expect(answer.losses?.map(({ field }) => field).sort()).toEqual(['additionalModelResponseFields', 'content[1].video', 'trace'])
  })

  test('anything else is no answer', () => {
    for (const body of ['{}', '[]', 'x', '{"output":{}}']) {
      expect(() => converseCodec.readResponse(body, memo, codecContext)).toThrow()
    }
  })
})

describe('a stream', () => {
  const frames = (pieces: readonly Uint8Array[]) => {
    const splitter = createEventStreamSplitter()
    return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
  }
  function events(pieces: readonly Uint8Array[]) {
    const reader = converseCodec.reader(memo, codecContext)
    const read = frames(pieces).flatMap((frame) => reader.push(frame))
    return { events: [...read, ...reader.end(undefined)], losses: reader.losses?.() ?? [] }
  }
  const at = (contentBlockIndex: number, fields: object = {}) => ({ contentBlockIndex, ...fields })
  const usage = { inputTokens: 13, outputTokens: 82, serverToolUsage: {}, totalTokens: 95 }
  const whole = [
    converseEvent('messageStart', { role: 'assistant' }),
    converseEvent('contentBlockDelta', at(0, { delta: { reasoningContent: { text: 'Hm' } } })),
    converseEvent('contentBlockDelta', at(0, { delta: { reasoningContent: { signature: 'sig' } } })),
    converseEvent('contentBlockStop', at(0)),
    converseEvent('contentBlockDelta', at(1, { delta: { text: 'The' } })),
    converseEvent('contentBlockDelta', at(1, { delta: { text: ' capital' } })),
    converseEvent('contentBlockStop', at(1)),
    converseEvent('contentBlockStart', at(2, { start: { toolUse: { toolUseId: 't1', name: 'look' } } })),
    converseEvent('contentBlockDelta', at(2, { delta: { toolUse: { input: '{"a"' } } })),
    converseEvent('contentBlockDelta', at(2, { delta: { toolUse: { input: ':1}' } } })),
    converseEvent('contentBlockStop', at(2)),
    converseEvent('messageStop', { stopReason: 'tool_use' }),
    converseEvent('metadata', { metrics: { latencyMs: 391 }, usage, serviceTier: { type: 'flex' } }),
  ]

  test('is the same answer, however its bytes are cut', () => {
    const bytes = Buffer.concat(whole)
    const expected = {
      parts: [
        { kind: 'reasoning', text: ['Hm'], opaque: [{ dialect: 'messages', kind: 'signature', value: 'sig' }] },
        { kind: 'text', text: 'The capital' },
        { kind: 'call', callId: 't1', name: 'look', argsText: '{"a":1}' },
      ],
      finish: { reason: 'tool-calls' },
    }
    for (const size of [1, 7, 100, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))
      const { events: read, losses } = events(pieces)
      expect(read.at(-1)).toEqual({ kind: 'end', tier: 'flex' })
      const answer = gathered(read)
      expect([answer.choices[0], losses]).toMatchObject([expected, []])
      expect(answer.usage).toMatchObject({ in: { fresh: 13 }, out: { total: 82 }, raw: usage })
    }
  })

  test('that ends without a reason is an error, and so is one that the service ends', () => {
    expect(events(whole.slice(0, 7)).events.at(-1)).toMatchObject({ kind: 'error', error: { code: 'upstream_error' } })
    const throttled = eventStreamMessage({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, '{}')
    expect(() => frames([throttled])).toThrow(/error/)
  })

  test('a guardrail that intervenes is a filter', () => {
    const { events: read } = events([
      converseEvent('messageStart', { role: 'assistant' }),
      converseEvent('contentBlockDelta', at(0, { delta: { text: 'Sorry.' } })),
      converseEvent('messageStop', { stopReason: 'guardrail_intervened' }),
      converseEvent('metadata', { usage, trace: { guardrail: {} } }),
    ])
    expect(gathered(read).choices[0]?.finish.reason).toBe('content-filter')
  })

  test('unknown kinds and fields are reported by name', () => {
    const more = converseEvent('contentBlockDelta', at(1, { delta: { text: '!', mood: 'glad' } }))
    const { losses } = events([...whole.slice(0, 6), more, converseEvent('heartbeat', {}), ...whole.slice(6)])
    expect(losses.map(({ field }) => field).sort()).toEqual(['delta.mood', 'events.heartbeat'])
  })
})
