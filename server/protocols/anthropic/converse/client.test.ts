import { describe, expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { createEventStreamSplitter } from '#wire/event-stream'
import { messagesCodec } from '../messages/codec.ts'
import { converse, converseStream } from './client.ts'

const context = { now: () => 0, elapsed: () => 20 }
function read(body: object, wording = converse) {
  const { body: text, losses } = wording.readRequest(JSON.stringify(body))
  return { said: JSON.parse(text), losses: losses.map(({ field, what, meaning }) => `${field}:${what}${meaning ? '!' : ''}`) }
}
const user = (...content: object[]) => ({ role: 'user', content })
const limited = { inferenceConfig: { maxTokens: 9 } }

describe('a request of Converse in the words of Messages', () => {
  test('turns, tools and settings', () => {
    const { said, losses } = read(
      {
        system: [{ text: 's' }, { cachePoint: { type: 'default' } }],
        messages: [
          user(
            { text: 'look' },
            { image: { format: 'png', source: { bytes: 'aGk=' } } },
            { document: { format: 'md', name: 'D', source: { bytes: 'aGk=' }, citations: { enabled: true } } },
            { document: { format: 'pdf', name: 'P', source: { s3Location: { uri: 's3://b/p.pdf' } } } },
          ),
          {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
              { reasoningContent: { redactedContent: 'zz' } },
              { toolUse: { toolUseId: 't1', name: 'a', input: { x: 1 } } },
            ],
          },
          user({ toolResult: { toolUseId: 't1', status: 'error', content: [{ json: { y: 2 } }, { text: 'b' }] } }),
        ],
        inferenceConfig: { maxTokens: 9, temperature: 0.5, topP: 1, stopSequences: ['x'] },
        toolConfig: {
          tools: [
            { toolSpec: { name: 'a', description: 'd', inputSchema: { json: { type: 'object', properties: { Name: {}, name: {} } } } } },
            { cachePoint: { type: 'default', ttl: '1h' } },
          ],
          toolChoice: { tool: { name: 'a' } },
        },
        additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 }, top_k: 5 },
        outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{"type":"object"}' } } } },
      },
      converseStream,
    )
    expect(losses).toEqual([])
    expect(said).toEqual({
      stream: true,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [
        user(
          { type: 'text', text: 'look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' }, title: 'D', citations: { enabled: true } },
          { type: 'document', source: { type: 'url', url: 's3://b/p.pdf' }, title: 'P' },
        ),
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'zz' },
            { type: 'tool_use', id: 't1', name: 'a', input: { x: 1 } },
          ],
        },
        user({
          ...{ type: 'tool_result', tool_use_id: 't1', is_error: true },
          content: [
            { type: 'text', text: '{"y":2}' },
            { type: 'text', text: 'b' },
          ],
        }),
      ],
      ...{ max_tokens: 9, temperature: 0.5, top_p: 1, stop_sequences: ['x'], top_k: 5 },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [
        {
          ...{ name: 'a', description: 'd', cache_control: { type: 'ephemeral', ttl: '1h' } },
          input_schema: { type: 'object', properties: { Name: {}, name: {} } },
        },
      ],
      tool_choice: { type: 'tool', name: 'a' },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    })
    expect(() => messagesCodec.readRequest(JSON.stringify({ ...said, model: 'm' }))).not.toThrow()
  })

  test('what Messages cannot express is reported', () => {
    const { said, losses } = read({
      messages: [user({ text: 'a', extra: 1 }, { guardContent: { text: { text: 'b' } } })],
      guardrailConfig: { guardrailIdentifier: 'g' },
      requestMetadata: { a: 'b' },
      additionalModelRequestFields: { odd: 1, reasoning_effort: 'high' },
    })
    expect(losses.toSorted()).toEqual([
      'additionalModelRequestFields.odd:dropped!',
      'guardContent:dropped',
      'guardrailConfig:dropped!',
      'inferenceConfig.maxTokens:adapted!',
      'messages[0].content[0].extra:dropped!',
      'requestMetadata:dropped',
    ])
    expect(said).toMatchObject({ max_tokens: 4096, output_config: { effort: 'high' } })
  })

  test.each([
    [{ ...limited, messages: [user({ video: { format: 'mp4', source: { bytes: '' } } })] }, 'messages[0].content[0].video'],
    [{ ...limited, messages: [user({})] }, 'messages[0].content[0]'],
    [{ ...limited, messages: [user({ image: { format: 'tiff', source: {} } })] }, 'messages[0].content[0].image.format'],
    [{ ...limited, messages: [], promptVariables: {} }, 'promptVariables'],
    [{ ...limited, messages: [], toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } }, 'toolConfig.tools[0].systemTool'],
  ])('%j names %s', (body, param) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ param }))
  })
})

const usage = { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 }
const counted = { inputTokens: 5, outputTokens: 3, totalTokens: 11, cacheReadInputTokens: 2, cacheWriteInputTokens: 1 }

test('a whole answer', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    {
      type: 'text',
      text: 'Hi',
      citations: [{ type: 'char_location', document_index: 0, start_char_index: 1, end_char_index: 2, cited_text: 'c' }],
    },
    { type: 'tool_use', id: 't', name: 'a', input: {} },
  ]
  expect(JSON.parse(converse.writeAnswer(JSON.stringify({ content, stop_reason: 'refusal', usage }), context))).toEqual({
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
          {
            citationsContent: {
              content: [{ text: 'Hi' }],
              citations: [{ location: { documentChar: { documentIndex: 0, start: 1, end: 2 } }, sourceContent: [{ text: 'c' }] }],
            },
          },
          { toolUse: { toolUseId: 't', name: 'a', input: {} } },
        ],
      },
    },
    ...{ stopReason: 'content_filtered', usage: counted, metrics: { latencyMs: 20 } },
  })
})

function framesOf(events: readonly object[]): Uint8Array {
  const stream = converseStream.openStream?.(context)
  const text = events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')
  const frames = createSseSplitter().push(new TextEncoder().encode(text))
  return Buffer.concat(frames.flatMap((frame) => stream?.push(frame) ?? []))
}

test('a stream', () => {
  const bytes = framesOf([
    { type: 'message_start', message: { usage: { ...usage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'a', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'ping' },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ])
  const said = createEventStreamSplitter()
    .push(bytes)
    .map(({ event, data }) => [event, JSON.parse(data ?? '')])
  expect(said).toEqual([
    ['messageStart', { role: 'assistant' }],
    ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'a' } } }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '{}' } } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'tool_use' }],
    ['metadata', { usage: counted, metrics: { latencyMs: 20 } }],
  ])
})

test('an error in a stream is an exception', () => {
  const bytes = framesOf([{ type: 'error', error: { type: 'rate_limit_error', message: 'Later.' } }])
  expect(() => createEventStreamSplitter().push(bytes)).toThrow(expect.objectContaining({ code: 'upstream_rate_limited' }))
})
