import { describe, expect, test } from 'bun:test'
import { createSseSplitter } from '#shared/sse'
import { chat, embed, embeddings, generate } from './wordings.ts'

const wordings = { chat, embed, embeddings, generate }

const context = { now: () => Date.UTC(2026, 10, 1), elapsed: () => 20 }
const read = (name: keyof typeof wordings, body: object) => {
  const { body: text, losses } = wordings[name].readRequest(JSON.stringify(body))
  return { said: JSON.parse(text), losses: losses.map(({ field, what, meaning }) => `${field}:${what}${meaning ? '!' : ''}`) }
}
const png = 'iVBORw0KGgo='

describe('/api/chat in the words of Chat', () => {
  test('a conversation with tools, pictures and thoughts, whose calls get ids', () => {
    const call = (name: string) => ({ function: { name, arguments: { city: 'Paris' } } })
    const { said, losses } = read('chat', {
      model: 'm',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'look', images: [png] },
        { role: 'assistant', content: '', thinking: 'hm', tool_calls: [call('a'), call('b'), call('a')] },
        { role: 'tool', tool_name: 'b', content: 'of b' },
        { role: 'tool', tool_name: 'a', content: 'of the first a' },
        { role: 'tool', content: 'of the second a' },
      ],
      tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object', properties: { Name: {}, name: {} } } } }],
      stream: false,
    })
    expect(losses).toEqual([])
    expect(said.messages.slice(1)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'hm',
        tool_calls: ['a', 'b', 'a'].map((name, index) => ({
          id: `call_${index + 1}`,
          type: 'function',
          function: { name, arguments: '{"city":"Paris"}' },
        })),
      },
      { role: 'tool', tool_call_id: 'call_2', content: 'of b' },
      { role: 'tool', tool_call_id: 'call_1', content: 'of the first a' },
      { role: 'tool', tool_call_id: 'call_3', content: 'of the second a' },
    ])
    expect(said).toMatchObject({ model: 'm', stream: false, tools: [{ function: { name: 'a' } }] })
  })

  test('settings are converted to those of Chat, and streams are the default', () => {
    const { said, losses } = read('chat', {
      model: 'm',
      messages: [{ role: 'user', content: 'a' }],
      think: 'low',
      format: { type: 'object' },
      keep_alive: '5m',
      options: { temperature: 0, num_predict: 7, stop: ['x'], seed: 1, num_ctx: 4096, mirostat: 2, repeat_penalty: 1.1 },
      fresh: { deep: 1 },
    })
    expect(said).toEqual({
      ...{ model: 'm', stream: true, stream_options: { include_usage: true }, temperature: 0, seed: 1, max_tokens: 7, stop: ['x'] },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      reasoning_effort: 'low',
      messages: [{ role: 'user', content: 'a' }],
    })
    expect(losses.toSorted()).toEqual([
      'fresh:dropped!',
      'keep_alive:dropped',
      'options.mirostat:dropped!',
      'options.num_ctx:dropped',
      'options.repeat_penalty:dropped!',
    ])
  })

  test.each([
    ['chat', { model: 'm', messages: [{ role: 'tool', content: 'a' }] }, 'messages[0]'],
    ['chat', { model: 'm', messages: [{ role: 'user', content: 'a', images: ['zzz'] }] }, 'messages[0].images[0]'],
    ['chat', { messages: [] }, 'model'],
    ['chat', { model: 'm', messages: [], format: 3 }, 'format'],
    ['chat', { model: 'm', messages: [], think: 'wide' }, 'think'],
    ['generate', { model: 'm', prompt: 'a', raw: true }, 'raw'],
    ['generate', { model: 'm', prompt: 'a', suffix: 'b' }, 'suffix'],
    ['embeddings', { model: 'm' }, 'prompt'],
  ] as const)('%s: %j names %s', (name, body, param) => {
    expect(() => read(name, body)).toThrow(expect.objectContaining({ param }))
  })

  test('a name twice is refused', () => {
    const twice = '{"model":"m","model":"n","messages":[]}'
    expect(() => wordings.chat.readRequest(twice)).toThrow(expect.objectContaining({ code: 'ambiguous_field' }))
  })
})

const sse = (...chunks: (object | string)[]) =>
  new TextEncoder().encode(chunks.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''))
function lines(name: keyof typeof wordings, bytes: Uint8Array): Record<string, unknown>[] {
  const stream = wordings[name].openStream?.(context)
  const written = createSseSplitter()
    .push(bytes)
    .flatMap((frame) => stream?.push(frame) ?? [])
  const text = Buffer.concat(written).toString()
  expect(text).toEndWith('\n')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
const chunk = (delta: object, more: object = {}) => ({ model: 'm', choices: [{ index: 0, delta, finish_reason: null, ...more }] })
const usage = { prompt_tokens: 5, completion_tokens: 3 }

describe('answers of Chat in the words of Ollama', () => {
  test('a stream: pieces, whole calls, and counts on the last line', () => {
    const said = lines(
      'chat',
      sse(
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: 'hm' }),
        chunk({ content: 'Hi' }),
        chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'a', arguments: '{"x"' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
        chunk({}, { finish_reason: 'tool_calls' }),
        { model: 'm', choices: [], usage },
        '[DONE]',
      ),
    )
    expect(said.map(({ message, done }) => [message, done])).toEqual([
      [{ role: 'assistant', content: '', thinking: 'hm' }, false],
      [{ role: 'assistant', content: 'Hi' }, false],
      [{ role: 'assistant', content: '', tool_calls: [{ id: 'c1', function: { index: 0, name: 'a', arguments: { x: 1 } } }] }, false],
      [{ role: 'assistant', content: '' }, true],
    ])
    expect(said.at(-1)).toMatchObject({ model: 'm', done_reason: 'stop', prompt_eval_count: 5, eval_count: 3, total_duration: 20e6 })
  })

  test('an error in a stream is a line, and nothing follows it', () => {
    const said = lines('generate', sse(chunk({ content: 'a' }), { error: { message: 'The upstream broke off.' } }, '[DONE]'))
    expect(said).toEqual([expect.objectContaining({ response: 'a' }), { error: 'The upstream broke off.' }])
  })

  test('a call whose arguments are no JSON is an error, unless the answer was cut', () => {
    const cut = (finish_reason: string) =>
      lines(
        'chat',
        sse(chunk({ tool_calls: [{ index: 0, function: { name: 'a', arguments: '{"x' } }] }), chunk({}, { finish_reason }), '[DONE]'),
      )
    expect(cut('tool_calls')).toEqual([{ error: expect.stringContaining('not a JSON object') }])
    expect(cut('length')).toEqual([expect.objectContaining({ done: true, done_reason: 'length' })])
  })

  test('a whole answer', () => {
    const body = JSON.stringify({ model: 'm', choices: [{ message: { content: 'Hi' }, finish_reason: 'length' }], usage })
    expect(JSON.parse(wordings.generate.writeAnswer(body, context))).toMatchObject({
      ...{ model: 'm', created_at: '2026-11-01T00:00:00.000Z', response: 'Hi', done: true, done_reason: 'length', eval_count: 3 },
    })
  })

  test('vectors are passed on as they are written', () => {
    const body =
      '{"object":"list","data":[{"embedding":[0.10,-2e-7],"index":0},{"embedding": [1],"index":1}],"model":"e","usage":{"prompt_tokens":4}}'
    const written = wordings.embed.writeAnswer(body, context)
    expect(written).toContain('"embeddings":[[0.10,-2e-7],[1]]')
    expect(JSON.parse(written)).toMatchObject({ model: 'e', prompt_eval_count: 4 })
    expect(wordings.embeddings.writeAnswer(body, context)).toBe('{"embedding":[0.10,-2e-7]}')
  })
})
