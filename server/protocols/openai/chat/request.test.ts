/** Requests read from Chat callers, and requests of other dialects written for Chat upstreams. */
import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, Part, ResultPart, Tool, Turn } from '#canonical/conversation'
import { conversation, named, text, user } from '#testing/conversions/conversation'
import { chatCodec as chat } from './codec.ts'

const read = (fields: Record<string, unknown>) =>
  chat.readRequest(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...fields }))
const readTurns = (...messages: unknown[]) => read({ messages }).turns
const refusal = (fields: Record<string, unknown>) => {
  try {
    read(fields)
  } catch (error) {
    return error
  }
  return undefined
}

/** A request of another dialect. */
const asked = (more: Partial<ConversationRequest> = {}) => conversation({ dialect: 'messages', turns: [user(text('x'))], ...more })
const write = (request: ConversationRequest, capabilities = {}, stream = false) => {
  const written = chat.writeRequest(request, { model: 'up', capabilities, stream })
  return { ...written, losses: named(written.losses) }
}
const writeTurns = (turns: Turn[], capabilities = {}) => write(asked({ turns }), capabilities)
const call = (callId: string, name = 'f', argsText = '{}'): Part => ({ kind: 'call', callId, name, form: 'json', argsText })
const result = (callId: string, parts: ResultPart['parts'], isError = false): Part => ({
  kind: 'result',
  callId,
  form: 'json',
  isError,
  parts,
})
const image: Part & { kind: 'media' } = { kind: 'media', media: 'image', source: { data: 'AAAA' }, mimeType: 'image/png' }
const tool = (name: string, more: Partial<Extract<Tool, { kind: 'function' }>> = {}): Tool => ({
  kind: 'function',
  name,
  parameters: { type: 'object' },
  ...more,
})

describe('reading', () => {
  test('what must be understood is named by its path', () => {
    const message = (fields: unknown) => ({ messages: [{ role: 'user', content: 'x' }, fields] })
    const part = (fields: unknown) => message({ role: 'user', content: [{ type: 'text', text: 'x' }, fields] })
    const made = (fields: unknown) => message({ role: 'assistant', tool_calls: [fields] })
    const cases: [string, Record<string, unknown>][] = [
      ['messages[1]', message(5)],
      ['messages[1].role', message({ role: 'robot', content: 'x' })],
      ['messages[1].content', message({ role: 'user' })],
      ['messages[1].content', message({ role: 'user', content: { a: 1 } })],
      ['messages[1].content[1]', part('x')],
      ['messages[1].content[1].type', part({ text: 'x' })],
      ['messages[1].content[1].text', part({ type: 'text' })],
      ['messages[1].content[1].image_url.url', part({ type: 'image_url', image_url: {} })],
      ['messages[1].content[1].input_audio.format', part({ type: 'input_audio', input_audio: { data: 'x', format: 'a/b"' } })],
      ['messages[1].content[1].file.file_data', part({ type: 'file', file: {} })],
      ['messages[1].content[0].type', message({ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] })],
      ['messages[1].tool_call_id', message({ role: 'tool', content: 'x' })],
      ['messages[1].tool_calls[0].id', made({ function: { name: 'f' } })],
      ['messages[1].tool_calls[0].function.name', made({ id: 'a', function: {} })],
      ['messages[1].tool_calls[0].function.arguments', made({ id: 'a', function: { name: 'f', arguments: 5 } })],
      ['tools', { tools: {} }],
      ['tools[0].function.name', { tools: [{ type: 'function', function: {} }] }],
      ['tools[0].function.parameters', { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] }],
      ['tool_choice', { tool_choice: 'sometimes' }],
      ['tool_choice.function.name', { tool_choice: { type: 'function' } }],
      ['response_format.type', { response_format: { type: 'xml' } }],
      ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
      ['temperature', { temperature: 'hot' }],
      ['stop', { stop: [5] }],
      ['logit_bias', { logit_bias: { '5': 'x' } }],
      ['reasoning_effort', { reasoning_effort: 'huge' }],
      ['top_logprobs', { top_logprobs: 21 }],
      ['stream', { stream: 'yes' }],
    ]
    for (const [param, fields] of cases) expect({ param, error: refusal(fields) }).toMatchObject({ error: { status: 400, param } })
  })

  test('null is absent, empty stops are none, and unknown fields ride along', () => {
    const nulls = Object.fromEntries(
      'temperature top_p n seed stop tools tool_choice response_format max_tokens stream stream_options logprobs reasoning_effort metadata user logit_bias verbosity modalities'
        .split(' ')
        .map((field) => [field, null]),
    )
    expect(JSON.stringify(read(nulls))).toBe(JSON.stringify(read({})))
    expect(read({ stop: '' }).output.stop).toEqual([])
    expect(read({ prediction: { a: 1 }, __proto__x: 1, group: 'g', models: [] }).extensions).toEqual({
      chat: { prediction: { a: 1 }, __proto__x: 1 },
    })
    expect(read({ user: 'u', safety_identifier: 's' })).toMatchObject({ identity: { endUser: 's' }, extensions: { chat: { user: 'u' } } })
    expect(read({ max_tokens: 5, max_completion_tokens: 7 }).output.maxTokens).toBe(7)
  })

  test('fields that are not read are reported by path, at every depth', () => {
    const { unread, extensions } = read({
      messages: [
        { role: 'system', content: 's', name: 'boss' },
        { role: 'user', content: [{ type: 'text', text: 'x', mood: 'kind' }] },
        {
          role: 'assistant',
          content: 'a',
          annotations: [],
          refusal: null,
          tool_calls: [{ id: 'a', index: 0, function: { name: 'f', arguments: '{}', later: 1 } }],
        },
        { role: 'tool', tool_call_id: 'a', name: 'f', content: 'r', 'made\nup': 1 },
      ],
      tools: [{ type: 'function', function: { name: 'f', examples: [1] }, defer_loading: true }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { any: { thing: 1 } }, new_rule: 1 } },
      prediction: { a: 1 },
    })
    expect(unread).toEqual([
      'messages[0].name',
      'messages[1].content[0].mood',
      'messages[2].tool_calls[0].function.later',
      'messages[3].*',
      'tools[0].defer_loading',
      'tools[0].function.examples',
      'response_format.json_schema.new_rule',
    ])
    expect(extensions).toEqual({ chat: { prediction: { a: 1 } } })
    expect(read({ messages: [{ role: 'user', content: 'x' }] })).not.toHaveProperty('unread')
  })

  test('citations that a client sends back are those of the text', () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://e.com/', title: 'E', start_index: 0, end_index: 1 } }]
    const [, answer] = readTurns({ role: 'user', content: 'x' }, { role: 'assistant', content: 'a', annotations })
    expect(answer?.parts).toEqual([
      { kind: 'text', text: 'a', citations: [{ kind: 'web', url: 'https://e.com/', title: 'E', start: 0, end: 1 }] },
    ])
  })

  test('data URLs by the RFC', () => {
    const source = (url: string) => readTurns({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })[0]?.parts[0]
    for (const url of [
      'data:image/png;base64,AAAA',
      'DATA:Image/PNG;charset=utf-8;name="a b.png";base64,AAAA',
      'data:image/png;base64,AA%41A',
    ]) {
      expect(source(url)).toMatchObject({ source: { data: 'AAAA' }, mimeType: 'image/png' })
    }
    expect(source('data:image/svg+xml,%3Csvg/%3E')).toMatchObject({ source: { data: btoa('<svg/>') }, mimeType: 'image/svg+xml' })
    expect(source('data:image/png,%89%00é')).toMatchObject({ source: { data: Buffer.from([0x89, 0, 0xc3, 0xa9]).toString('base64') } })
    expect(source('data:nothing')).toMatchObject({ source: { url: 'data:nothing' } })
  })

  test('T30: arguments keep their text and know where they stand', () => {
    const message = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{bad' } }],
    }
    const turns = readTurns({ role: 'system', content: 's' }, { role: 'user', content: 'x' }, { role: 'user', content: 'y' }, message)
    expect(turns.at(-1)?.parts).toMatchObject([{ argsText: '{bad', path: 'messages[3].tool_calls[0].function.arguments' }])
  })

  test('breakpoints: OpenAI’s, and the convention of other vendors on parts, messages and tools', () => {
    const { turns, tools } = read({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
          ],
        },
        { role: 'user', content: 'c', cache_control: { type: 'ephemeral' } },
      ],
      tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral' } }],
    })
    expect(turns.flatMap((turn) => turn.parts)).toMatchObject([
      { cache: { ttl: '30m' } },
      { cache: { ttl: '1h' } },
      { cache: { ttl: '5m' } },
    ])
    expect(tools).toMatchObject([{ cache: { ttl: '5m' } }])
  })

  test('the oldest form of tools', () => {
    const request = read({
      functions: [{ name: 'f', parameters: {} }],
      function_call: { name: 'f' },
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
    })
    expect(request).toMatchObject({
      tools: [{ kind: 'function', name: 'f' }],
      toolPolicy: { mode: 'required', only: ['f'], parallel: false },
    })
    expect(request.turns).toMatchObject([{ parts: [{ callId: 'call_f' }] }, { role: 'tool', parts: [{ callId: 'call_f', name: 'f' }] }])
    const { body } = chat.writeRequest(request, { model: 'up', capabilities: {}, stream: false })
    expect(body.functions).toBeUndefined()
  })

  test('hosted tools: the search option, and unknown kinds', () => {
    const raw = { search_context_size: 'low', user_location: { type: 'approximate', approximate: { city: 'Oslo' } } }
    const request = read({ web_search_options: raw, tools: [{ type: 'later', x: 1 }] })
    expect(request.tools).toEqual([
      { kind: 'native', dialect: 'chat', name: 'later', raw: { type: 'later', x: 1 } },
      { kind: 'web-search', contextSize: 'low', location: { city: 'Oslo' }, raw, dialect: 'chat' },
    ])
  })
})

describe('writing the conversation of another dialect', () => {
  test('T28: results side by side, their media after the last, errors marked', () => {
    const { body, losses } = writeTurns([
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'user', parts: [result('a', [text('see'), image]), result('b', [image], true), text('so?')] },
    ])
    expect(body.messages).toEqual([
      { role: 'assistant', content: null, tool_calls: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b' })] },
      { role: 'tool', tool_call_id: 'a', content: 'see' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: [image]' },
      { role: 'user', content: [expect.objectContaining({ type: 'image_url' }), expect.objectContaining({ type: 'image_url' })] },
      { role: 'user', content: 'so?' },
    ])
    expect(losses).toEqual(['result.media:adapted', 'result.isError:adapted'])
  })

  test('T29: an empty result is still a result', () => {
    const { body } = writeTurns([
      { role: 'assistant', parts: [call('a')] },
      { role: 'tool', parts: [result('a', [])] },
      { role: 'user', parts: [text('x')] },
    ])
    expect(body.messages).toContainEqual({ role: 'tool', tool_call_id: 'a', content: '(no output)' })
  })

  test('a call without a result is refused, one whose result comes in the next turn is not', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a')], path: 'messages[1]' },
      { role: 'user', parts: [text('x')] },
    ]
    expect(() => writeTurns(turns)).toThrow(expect.objectContaining({ code: 'unsupported_value', param: 'messages[1]' }))
    const split: Turn[] = [
      { role: 'assistant', parts: [call('a')] },
      { role: 'assistant', parts: [call('b')] },
      { role: 'user', parts: [result('a', [text('1')])] },
      { role: 'user', parts: [result('b', [text('2')])] },
    ]
    expect((writeTurns(split).body.messages as { role: string }[]).map((message) => message.role)).toEqual(['assistant', 'tool', 'tool'])
  })

  test('instructions keep their blocks in one message, later ones their place', () => {
    const turns: Turn[] = [
      { role: 'user', parts: [text('x')] },
      { role: 'system', parts: [text('now')] },
      { role: 'user', parts: [text('y')] },
    ]
    const instructions = [
      { role: 'system' as const, text: 'a' },
      { role: 'developer' as const, text: 'b', cache: { ttl: '5m' as const } },
    ]
    const { body, losses } = write(asked({ instructions, turns }))
    expect(body.messages).toEqual([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } },
        ],
      },
      { role: 'user', content: 'x' },
      { role: 'system', content: 'now' },
      { role: 'user', content: 'y' },
    ])
    expect(losses).toEqual(['instructions.role:adapted', 'cache.ttl:adapted'])
    expect(writeTurns(turns, { noSystemTurns: true }).body.messages).toContainEqual({ role: 'user', content: '<system>\nnow\n</system>' })
  })

  test('media that Chat has no place for are refused by the caller’s path', () => {
    const of = (part: Partial<Part> & { kind: 'media' }) => () =>
      writeTurns([{ role: 'user', parts: [{ media: 'image', source: { data: 'x' }, path: 'p', ...part } as Part] }])
    const refused = expect.objectContaining({ code: 'unsupported_value', status: 400, param: 'p' })
    expect(of({ kind: 'media', media: 'video' })).toThrow(refused)
    expect(of({ kind: 'media', media: 'document', source: { url: 'https://a.example.com' } })).toThrow(refused)
    expect(of({ kind: 'media', media: 'audio', mimeType: 'audio/flac' })).toThrow(refused)
    expect(of({ kind: 'media', source: { fileId: 'f', dialect: 'messages' } })).toThrow(refused)
  })

  test('documents and audio', () => {
    const { body, losses } = writeTurns([
      {
        role: 'user',
        parts: [
          { kind: 'media', media: 'document', source: { text: 'plain' }, title: 'T' },
          { kind: 'media', media: 'document', source: { data: 'JVBERi0=' }, mimeType: 'application/pdf', title: 'T.pdf' },
          { kind: 'media', media: 'audio', source: { data: 'x' }, mimeType: 'audio/mpeg' },
        ],
      },
    ])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'T\n\nplain' },
          { type: 'file', file: { filename: 'T.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'input_audio', input_audio: { data: 'x', format: 'mp3' } },
        ],
      },
    ])
    expect(losses).toEqual(['turns.document:adapted'])
  })

  test('reasoning: state of its own goes back, foreign state and bare text stay, text on demand', () => {
    const thought = (dialect: 'chat' | 'messages'): Part => ({
      kind: 'reasoning',
      text: ['a', 'b'],
      form: 'full',
      opaque: [{ dialect, kind: 'signature', value: 's' }],
    })
    const said = (part: Part, capabilities = {}) =>
      writeTurns(
        [
          { role: 'assistant', parts: [part, text('x')] },
          { role: 'user', parts: [text('y')] },
        ],
        capabilities,
      )
    expect(said(thought('messages'))).toMatchObject({ losses: ['turns.reasoning:dropped'] })
    expect(JSON.stringify(said(thought('messages')).body)).not.toContain('reasoning')
    expect(said(thought('chat')).body.messages).toMatchObject([
      {
        reasoning_details: [
          { text: 'a', index: 0 },
          { text: 'b', signature: 's', index: 1 },
        ],
      },
      {},
    ])
    expect(said(thought('messages'), { reasoningEchoed: true }).body.messages).toMatchObject([{ reasoning_content: 'a\n\nb' }, {}])
  })

  test('T31: a lost thought signature has a stand-in on the first call of a step, and only there', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a'), call('b')] },
      { role: 'tool', parts: [result('a', []), result('b', [])] },
    ]
    const calls = (capabilities: Record<string, boolean>) =>
      (writeTurns(turns, capabilities).body.messages as { tool_calls: { extra_content?: unknown }[] }[])[0]?.tool_calls
    expect(calls({ thoughtSignatureRequired: true })?.map((each) => each.extra_content)).toEqual([
      { google: { thought_signature: 'skip_thought_signature_validator' } },
      undefined,
    ])
    expect(calls({})?.some((each) => each.extra_content)).toBe(false)
  })

  test('ids of calls that upstreams would not take have stand-ins, the same for call and result', () => {
    const id = 'x'.repeat(500)
    const { body } = writeTurns([
      { role: 'assistant', parts: [call(id), call('a b')] },
      { role: 'tool', parts: [result('a b', []), result(id, [])] },
    ])
    expect(body.messages).toMatchObject([
      { tool_calls: [{ id: 'call_parley_1' }, { id: 'call_parley_2' }] },
      { tool_call_id: 'call_parley_2' },
      { tool_call_id: 'call_parley_1' },
    ])
  })

  test('blocks of other dialects: as text where they have one, else lost with a word', () => {
    const native = (summary?: string): Part => ({ kind: 'native', dialect: 'messages', raw: {}, ...(summary && { summary }) })
    const { body, losses } = writeTurns([
      { role: 'assistant', parts: [native('searched'), native(), text('x')] },
      { role: 'user', parts: [text('y')] },
    ])
    expect(body.messages).toMatchObject([{ content: [{ text: 'searched' }, { text: 'x' }] }, {}])
    expect(losses).toEqual(['turns.native:adapted', 'turns.native:dropped!'])
  })

  test('an assistant turn of which nothing is left is left out; text after a call moves before it', () => {
    const { body, losses } = writeTurns([
      { role: 'user', parts: [text('x')] },
      { role: 'assistant', parts: [{ kind: 'reasoning', text: [], form: 'hidden', opaque: [] }] },
      { role: 'assistant', parts: [call('a'), text('late')] },
      { role: 'tool', parts: [result('a', [text('r')])] },
    ])
    expect((body.messages as unknown[]).length).toBe(3)
    expect(body.messages).toMatchObject([{}, { content: 'late', tool_calls: [{}] }, {}])
    expect(losses).toContain('turns.order:adapted')
  })
})

describe('writing tools and settings', () => {
  test('names are made to fit and read back; namespaces and custom tools', () => {
    const tools: Tool[] = [
      tool('a.b'),
      tool('a_b'),
      tool('run', { namespace: 'web' }),
      { kind: 'custom', name: 'patch', grammar: { syntax: 'lark', definition: 'd' } },
      tool('y'.repeat(100)),
    ]
    const { body, memo } = write(asked({ tools }))
    expect(
      (body.tools as { type: string; function?: { name: string }; custom?: { name: string } }[]).map(
        (each) => each.function?.name ?? each.custom?.name,
      ),
    ).toEqual(['a_b', 'a_b_2', 'web__run', 'patch', `${'y'.repeat(56)}_2`])
    expect(memo).toMatchObject({
      toolNames: { a_b: 'a.b', a_b_2: 'a_b', web__run: 'run' },
      toolSpaces: { web__run: 'web' },
      wrappedTools: [],
    })
    const wrapped = write(asked({ tools }), { customToolsRefused: true })
    expect(wrapped.memo.wrappedTools).toEqual(['patch'])
    expect(wrapped.losses).toEqual(['tools.custom:adapted', 'tools.custom.grammar:dropped!'])
    expect(() => write(asked({ tools: [tool('f'), tool('f')] }))).toThrow(
      expect.objectContaining({ code: 'unsupported_value', param: 'tools' }),
    )
  })

  test('policies name what was written', () => {
    const tools: Tool[] = [tool('a.b'), { kind: 'custom', name: 'c' }, { kind: 'native', dialect: 'responses', name: 'mcp', raw: {} }]
    const choice = (toolPolicy: ConversationRequest['toolPolicy'], capabilities = {}) =>
      write(asked({ tools, toolPolicy }), capabilities).body.tool_choice
    expect(choice({ mode: 'auto' })).toBeUndefined()
    expect(choice({ mode: 'none' })).toBe('none')
    expect(choice({ mode: 'required', only: ['a.b'] })).toEqual({ type: 'function', function: { name: 'a_b' } })
    expect(choice({ mode: 'required', only: ['a.b', 'c'] })).toEqual({
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'required',
        tools: [
          { type: 'function', function: { name: 'a_b' } },
          { type: 'custom', custom: { name: 'c' } },
        ],
      },
    })
    expect(choice({ mode: 'required' }, { forcedToolRefused: true })).toBeUndefined()
    const { body, losses } = write(asked({ tools: tools.slice(2), toolPolicy: { mode: 'required', parallel: false } }))
    expect([body.tools, body.tool_choice, body.parallel_tool_calls]).toEqual([undefined, undefined, undefined])
    expect(losses).toEqual(['tools.mcp:dropped!'])
  })

  test('web search of another dialect', () => {
    const { body, losses } = write(
      asked({
        tools: [
          {
            kind: 'web-search',
            dialect: 'messages',
            raw: {},
            allowedDomains: ['a.example.com'],
            location: { type: 'approximate', city: 'Oslo' },
          },
        ],
      }),
    )
    expect(body.web_search_options).toEqual({ user_location: { type: 'approximate', approximate: { city: 'Oslo' } } })
    expect(losses).toEqual(['tools.web-search.allowedDomains:dropped!'])
  })

  test('a search that was only listed does not fail a model that has none', () => {
    const tools: Tool[] = [{ kind: 'web-search', dialect: 'responses', raw: {} }]
    const { body, losses } = write(asked({ tools }), { chatSearchRefused: true })
    expect(body.web_search_options).toBeUndefined()
    expect(losses).toEqual(['tools.web-search:dropped!'])
  })

  test('limits, sampling, effort, identity', () => {
    const request = asked({
      output: {
        maxTokens: 5,
        format: { kind: 'schema', schema: { type: 'object' }, name: 'a b' },
        modalities: [],
        stop: ['a'],
        n: 1,
        logprobs: 0,
      },
      sampling: { temperature: 1, topP: 0.5, topK: 3, seed: 4 },
      reasoning: { budget: 5000 },
      identity: { endUser: 'u'.repeat(129), metadata: { a: 'b' } },
      extensions: { messages: { x: 1 } },
    })
    const { body, losses } = write(request, { legacyMaxTokens: true, topPWithTemperatureRefused: true }, true)
    expect(body).toMatchObject({
      model: 'up',
      max_tokens: 5,
      stop: ['a'],
      logprobs: true,
      temperature: 1,
      seed: 4,
      reasoning_effort: 'medium',
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: 'json_schema', json_schema: { name: 'a_b', schema: { type: 'object' } } },
    })
    expect(['top_p', 'top_k', 'metadata', 'safety_identifier', 'x', 'top_logprobs'].filter((field) => field in body)).toEqual([])
    expect(losses.sort()).toEqual([
      'identity.endUser:dropped',
      'identity.metadata:dropped',
      'output.format.strict:adapted',
      'reasoning.budget:adapted',
      'sampling.topK:dropped!',
      'sampling.topP:dropped!',
      'x:dropped!',
    ])
    expect(write(request, { samplingRefused: true }).losses).toContain('sampling.temperature:dropped!')
    expect(write(request).body).toMatchObject({ max_completion_tokens: 5 })
  })

  test('what is refused names the caller’s field', () => {
    const output = asked().output
    const paths = { 'output.stop': 'stop_sequences', turns: 'messages' }
    const refused = (more: Partial<ConversationRequest>, param: string, capabilities = {}) =>
      expect(() => write(asked({ paths, ...more }), capabilities)).toThrow(expect.objectContaining({ code: 'unsupported_value', param }))
    refused({ output: { ...output, modalities: ['image'] } }, 'output.modalities')
    refused({ sampling: { logitBias: { '1': 1 } } }, 'sampling.logitBias')
    refused({ turns: [{ role: 'assistant', parts: [text('The')] }] }, 'messages', { prefillRefused: true })
    refused({ dialect: 'completions', extensions: { completions: { suffix: 'x' } } }, 'suffix')
    expect(write(asked({ turns: [{ role: 'assistant', parts: [text('The')] }] })).losses).toEqual(['turns.prefill:adapted'])
  })
})
