import { describe, expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { interactionOf, withInput, writeInteraction } from './answer.ts'
import { readInteraction } from './request.ts'
import { openInteraction } from './stream.ts'

function read(body: object) {
  const { body: text, losses } = readInteraction(JSON.stringify({ model: 'm', ...body }))
  const { include: _, model: __, ...said } = JSON.parse(text)
  return { said, losses: losses.map(({ field, what, meaning }) => `${field}:${what}${meaning ? '!' : ''}`) }
}

describe('a request', () => {
  test('says what it says in every form', () => {
    expect(read({ model: 'models/m', input: 'a' })).toEqual({ said: { input: 'a' }, losses: [] })
    const user = (...content: object[]) => ({ type: 'message', role: 'user', content })
    expect(read({ input: { type: 'text', text: 'a' } }).said.input).toEqual([user({ type: 'input_text', text: 'a' })])
    const media = [
      { type: 'text', text: 'look' },
      { type: 'image', mime_type: 'image/jpeg', data: 'aGk=', resolution: 'high' },
      { type: 'image', uri: 'https://example.com/a.png' },
      { type: 'audio', mime_type: 'audio/mp3', data: 'aGk=' },
      { type: 'audio', mime_type: 'audio/ogg', data: 'aGk=' },
      { type: 'document', uri: `files/parleyf${'0'.repeat(32)}` },
      { type: 'video', data: 'aGk=' },
    ]
    const items = [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: 'data:image/jpeg;base64,aGk=', detail: 'high' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_audio', input_audio: { data: 'aGk=', format: 'mp3' } },
      { type: 'input_file', filename: 'audio', file_data: 'data:audio/ogg;base64,aGk=' },
      { type: 'input_file', file_id: `file_parleyf${'0'.repeat(32)}` },
      { type: 'input_file', filename: 'video', file_data: 'data:video/mp4;base64,aGk=' },
    ]
    expect(read({ input: media })).toEqual({ said: { input: [user(...items)] }, losses: [] })
    expect(
      read({
        input: [
          { role: 'user', content: 'a' },
          { role: 'model', content: [{ type: 'text', text: 'b' }] },
        ],
      }).said.input,
    ).toEqual([
      { type: 'message', role: 'user', content: 'a' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b', annotations: [] }] },
    ])
  })

  test('steps of earlier answers', () => {
    const { said, losses } = read({
      input: [
        { type: 'user_input', content: [{ type: 'text', text: 'a' }] },
        { type: 'thought', signature: 'sig', summary: [{ type: 'text', text: 'hm' }] },
        { type: 'google_search_call', id: 's', arguments: { queries: ['q'] } },
        { type: 'function_call', id: 'c', name: 'f', arguments: { Name: 1, name: 2 } },
        { type: 'function_result', call_id: 'c', name: 'f', result: { y: 2 }, is_error: true },
        { type: 'function_result', call_id: 'c', result: [{ type: 'text', text: 'z' }] },
        {
          type: 'model_output',
          content: [
            { type: 'text', text: 'b' },
            { type: 'image', data: 'aGk=' },
          ],
        },
      ],
    })
    expect(said.input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'sig' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"Name":1,"name":2}' },
      { type: 'function_call_output', call_id: 'c', output: '{"y":2}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'z' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b', annotations: [] }] },
    ])
    expect(losses).toEqual(['input.google_search_call:dropped!', 'input[4].is_error:adapted!', 'input[6].content[1]:dropped!'])
  })

  test('settings and tools', () => {
    const { said, losses } = read({
      input: 'a',
      system_instruction: 's',
      previous_interaction_id: 'p',
      store: false,
      stream: true,
      service_tier: 'standard',
      labels: { team: 'x' },
      tools: [
        { type: 'function', name: 'f', description: 'd' },
        { type: 'google_search', search_types: ['web_search', 'image_search'] },
        { type: 'code_execution' },
        { type: 'mcp_server', name: 'n', url: 'https://example.com', headers: { a: 'b' }, allowed_tools: [{ mode: 'auto', tools: ['t'] }] },
      ],
      generation_config: {
        ...{ temperature: 0.5, top_p: 0.9, max_output_tokens: 9, thinking_level: 'xhigh', thinking_summaries: 'auto' },
        ...{ tool_choice: { allowed_tools: { mode: 'any', tools: ['f'] } }, stop_sequences: ['x'], seed: 1 },
      },
      response_format: { type: 'text', mime_type: 'application/json', schema: { type: 'object' } },
      safety_settings: [],
      odd: 1,
    })
    expect(said).toEqual({
      ...{ input: 'a', instructions: 's', previous_response_id: 'p', store: false, stream: true, service_tier: 'default' },
      ...{ metadata: { team: 'x' }, temperature: 0.5, top_p: 0.9, max_output_tokens: 9, reasoning: { effort: 'xhigh', summary: 'auto' } },
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] },
      text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: false } },
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'web_search' },
        { type: 'code_interpreter', container: { type: 'auto' } },
        {
          ...{ type: 'mcp', server_label: 'n', server_url: 'https://example.com', require_approval: 'never' },
          ...{ headers: { a: 'b' }, allowed_tools: ['t'] },
        },
      ],
    })
    expect(losses.toSorted()).toEqual([
      'generation_config.seed:dropped!',
      'generation_config.stop_sequences:dropped!',
      'odd:dropped!',
      'safety_settings:dropped!',
      'tools[1].search_types:dropped!',
    ])
    const older = { response_mime_type: 'application/json', response_format: { type: 'object', properties: {} } }
    expect(read({ input: 'a', ...older }).said.text.format).toMatchObject({ schema: { type: 'object', properties: {} } })
    expect(read({ input: 'a', response_mime_type: 'application/json' }).said.text).toEqual({ format: { type: 'json_object' } })
  })

  test.each([
    [{}, 'input'],
    [{ input: 'a', agent: 'b' }, 'agent'],
    [{ input: 'a', environment: 'e' }, 'environment'],
    [{ input: 'a', cached_content: 'c' }, 'cached_content'],
    [{ input: 'a', webhook_config: {} }, 'webhook_config'],
    [{ input: 'a', tools: [{ type: 'url_context' }] }, 'tools[0].type'],
    [{ input: 'a', response_format: { type: 'image' } }, 'response_format'],
    [{ input: 'a', response_modalities: ['audio'] }, 'response_modalities'],
    [{ input: [{ type: 'image' }] }, 'input[0]'],
    [{ input: [{ type: 'image', data: 'a', uri: 'b' }] }, 'input[0]'],
    [{ input: 'a', generation_config: { tool_choice: 'odd' } }, 'generation_config.tool_choice'],
  ])('%j names %s', (body, param) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ param }))
  })
})

const response = {
  ...{ id: 'resp_1', model: 'm', status: 'completed', created_at: 0, completed_at: 2, service_tier: 'default' },
  usage: { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 7, output_tokens_details: { reasoning_tokens: 3 } },
  output: [
    { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'sig' },
    { type: 'web_search_call', id: 'w', action: { type: 'search', query: 'q' } },
    { type: 'code_interpreter_call', id: 'x', code: '1', outputs: [{ type: 'logs', logs: '1\n' }] },
    {
      type: 'message',
      content: [
        { type: 'output_text', text: 'b', annotations: [{ type: 'url_citation', url: 'u', title: 't', start_index: 0, end_index: 1 }] },
      ],
    },
    { type: 'image_generation_call', id: 'i', result: 'aGk=', output_format: 'webp' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
  ],
}

test('a whole answer', () => {
  expect(JSON.parse(writeInteraction(JSON.stringify(response)))).toEqual({
    ...{ id: 'resp_1', object: 'interaction', model: 'm', status: 'requires_action', service_tier: 'standard' },
    ...{ created: '1970-01-01T00:00:00Z', updated: '1970-01-01T00:00:02Z' },
    usage: {
      ...{ total_tokens: 17, total_input_tokens: 10, total_output_tokens: 4, total_thought_tokens: 3 },
      ...{ total_cached_tokens: 4, total_tool_use_tokens: 0 },
    },
    steps: [
      { type: 'thought', signature: 'sig', summary: [{ type: 'text', text: 'hm' }] },
      { type: 'google_search_call', id: 'w', arguments: { queries: ['q'] } },
      { type: 'code_execution_call', id: 'x', arguments: { language: 'python', code: '1' } },
      { type: 'code_execution_result', call_id: 'x', result: '1\n' },
      {
        type: 'model_output',
        content: [{ type: 'text', text: 'b', annotations: [{ type: 'url_citation', url: 'u', title: 't', start_index: 0, end_index: 1 }] }],
      },
      { type: 'model_output', content: [{ type: 'image', mime_type: 'image/webp', data: 'aGk=' }] },
      { type: 'function_call', id: 'c', name: 'f', arguments: { a: 1 } },
    ],
  })
  expect(interactionOf({ ...response, status: 'failed', error: { code: 'a', message: 'b' } })).toMatchObject({
    status: 'failed',
    errors: [{ code: 'a', message: 'b' }],
  })
  const items = { data: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=' }] }] }
  expect(JSON.parse(withInput('{"id":"a"}', JSON.stringify(items)))).toEqual({
    id: 'a',
    input: [{ type: 'user_input', content: [{ type: 'image', mime_type: 'image/png', data: 'aGk=' }] }],
  })
})

function eventsOf(said: readonly object[], after?: string): Record<string, unknown>[] {
  const stream = openInteraction(after)
  const text = said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const out = createSseSplitter()
    .push(new TextEncoder().encode(text))
    .flatMap((frame) => stream.push(frame) ?? [])
  const written = createSseSplitter().push(Buffer.concat(out))
  expect(written.at(-1)?.data).toBe('[DONE]')
  return written.slice(0, -1).map(({ data }) => JSON.parse(data ?? ''))
}

test('a stream, and the rest of it', () => {
  const opened = { ...response, output: [], usage: null }
  const said = [
    { type: 'response.created', response: opened },
    { type: 'response.in_progress', response: opened },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'hm' },
    { type: 'response.output_item.done', output_index: 0, item: response.output[0] },
    { type: 'response.output_item.added', output_index: 1, item: { type: 'web_search_call' } },
    { type: 'response.output_item.done', output_index: 1, item: response.output[1] },
    { type: 'response.output_item.added', output_index: 2, item: { type: 'message' } },
    { type: 'response.output_text.delta', output_index: 2, delta: 'b' },
    { type: 'response.output_item.done', output_index: 2, item: response.output[3] },
    { type: 'response.output_item.added', output_index: 3, item: response.output[5] },
    { type: 'response.output_item.done', output_index: 3, item: response.output[5] },
    { type: 'response.completed', response },
  ]
  const events = eventsOf(said)
  expect(
    events.map(({ event_type, index, delta, step }) => [event_type, index, delta ?? (step as { type: string } | undefined)?.type]),
  ).toEqual([
    ['interaction.created', undefined, undefined],
    ['interaction.status_update', undefined, undefined],
    ['step.start', 0, 'thought'],
    ['step.delta', 0, { type: 'thought_summary', content: { type: 'text', text: 'hm' } }],
    ['step.delta', 0, { type: 'thought_signature', signature: 'sig' }],
    ['step.stop', 0, undefined],
    ['step.start', 1, 'google_search_call'],
    ['step.stop', 1, undefined],
    ['step.start', 2, 'model_output'],
    ['step.delta', 2, { type: 'text', text: 'b' }],
    ['step.stop', 2, undefined],
    ['step.start', 3, 'function_call'],
    ['step.delta', 3, { type: 'arguments_delta', arguments: '{"a":1}' }],
    ['step.stop', 3, undefined],
    ['interaction.completed', undefined, undefined],
  ])
  expect(events.at(-1)).toMatchObject({ interaction: { id: 'resp_1', status: 'requires_action', usage: { total_tokens: 17 } } })
  expect(eventsOf(said, '9')).toEqual(events.slice(9))
})

test('an error in a stream', () => {
  const failed = { type: 'response.failed', response: { status: 'failed', error: { code: 'a', message: 'b' } } }
  expect(eventsOf([failed, failed])).toEqual([{ error: { code: 'a', message: 'b' }, event_id: '1', event_type: 'error' }])
  expect(eventsOf([{ type: 'error', code: 'a', message: 'b' }])).toMatchObject([{ error: { code: 'a', message: 'b' } }])
})
