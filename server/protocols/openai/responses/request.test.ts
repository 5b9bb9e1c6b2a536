/** Requests: valid and refused bodies of callers, and what an upstream of this dialect is sent. */
import { describe, expect, test } from 'bun:test'
import type { Target } from '#canonical/codec'
import type { ConversationRequest, Turn } from '#canonical/conversation'
import { threadNow } from '#testing/thread-time'
import { responsesCodec as codec } from './codec.ts'

const read = (fields: Record<string, unknown>) => codec.readRequest(JSON.stringify({ model: 'm', input: 'x', ...fields }))
const target: Target = { model: 'up', capabilities: {}, stream: false }

/** A request of another dialect. */
const foreign = (fields: Partial<ConversationRequest> = {}): ConversationRequest => ({
  ...read({}),
  dialect: 'messages',
  turns: [],
  extensions: {},
  paths: { 'output.stop': 'stop_sequences' },
  ...fields,
})

const write = (request: ConversationRequest, capabilities: Target['capabilities'] = {}) => {
  const { body, losses, memo } = codec.writeRequest(request, { ...target, capabilities })
  return { body, memo, losses: losses.map(({ field, what, meaning }) => `${field} ${what}${meaning ? '!' : ''}`) }
}

const thrown = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const user = (text: string): Turn => ({ role: 'user', parts: [{ kind: 'text', text }] })
const call = (callId: string, name = 'f', argsText = '{}') => ({ kind: 'call' as const, callId, name, form: 'json' as const, argsText })
const result = (callId: string, parts: object[] = [], more: object = {}) =>
  ({ kind: 'result', callId, form: 'json', isError: false, parts, ...more }) as Turn['parts'][number]

describe('reading', () => {
  test('a text is a turn of the user; leading instructions are gathered, later ones stay in their place', () => {
    expect(read({ input: 'hi', instructions: 'A' })).toMatchObject({
      instructions: [{ role: 'system', text: 'A' }],
      turns: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    })
    const input = [
      { role: 'developer', content: 'B' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'C', prompt_cache_breakpoint: { mode: 'explicit' } }] },
      { role: 'user', content: 'hi' },
      { role: 'developer', content: 'D' },
    ]
    const { instructions, turns } = read({ instructions: 'A', input })
    expect(instructions).toEqual([
      { role: 'system', text: 'A' },
      { role: 'developer', text: 'B', item: true },
      { role: 'system', text: 'C', item: true, cache: { ttl: '30m' } },
    ])
    expect(turns.map(({ role, developer, path }) => ({ role, developer, path }))).toEqual([
      { role: 'user', developer: undefined, path: 'input[2]' },
      { role: 'system', developer: true, path: 'input[3]' },
    ])
  })

  test('what one answer is made of is one turn, its results another, and the name is looked up', () => {
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'E' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'a' }],
        phase: 'commentary',
        id: 'msg_1',
        status: 'completed',
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}', namespace: 'ns' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'free' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'ok' },
          { type: 'brand_new', x: 1 },
        ],
      },
      { role: 'assistant', content: 'b' },
      { role: 'assistant', content: 'c' },
    ]
    expect(read({ input }).turns).toMatchObject([
      {
        role: 'assistant',
        parts: [
          { kind: 'reasoning', form: 'hidden', text: [], opaque: [{ dialect: 'responses', kind: 'encrypted', value: 'E' }] },
          { kind: 'text', text: 'a', phase: 'commentary' },
          { kind: 'call', callId: 'c1', name: 'f', form: 'json', namespace: 'ns', path: 'input[2].arguments' },
          { kind: 'call', callId: 'c2', name: 'g', form: 'text', argsText: 'free' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { callId: 'c2', name: 'g', form: 'text' },
          { callId: 'c1', name: 'f', parts: [{ text: 'ok' }, { text: '{"type":"brand_new","x":1}' }] },
        ],
      },
      { role: 'assistant', parts: [{ text: 'b' }] },
      { role: 'assistant', parts: [{ text: 'c' }] },
    ])
  })

  test('unknown items are kept, with a summary of tool calls', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws',
      status: 'completed',
      action: { type: 'search', query: 'cats', queries: ['cats', 'dogs'] },
    }
    const shell = { type: 'local_shell_call_output', call_id: 'x', output: 'file.txt' }
    const items = [search, { id: 'msg_7' }, { type: 'compaction', encrypted_content: 'E' }, shell, { type: 'compaction_trigger' }]
    const { turns } = read({ input: items })
    expect(turns.flatMap((turn) => turn.parts.map((part) => part.kind === 'native' && part.raw))).toEqual(items)
    expect(turns.map(({ role, parts }) => [role, ...parts.map((part) => part.kind === 'native' && part.summary)])).toEqual([
      ['assistant', '[web search call: cats, dogs]', undefined],
      ['user', undefined],
      ['tool', '[local shell call output: {"output":"file.txt"}]'],
      ['user', undefined],
    ])
    const odd = { type: 'input_hologram', x: 1 }
    const message = { role: 'user', content: [{ type: 'input_text', text: 'see' }, odd] }
    expect(read({ input: [message] }).turns[0]?.parts[1]).toMatchObject({ raw: { type: 'message', role: 'user', content: [odd] } })
  })

  test('fields without a place of their own are kept by name; what is a default, or Parley’s, is not', () => {
    const { extensions } = read({
      previous_response_id: 'resp_1',
      store: false,
      background: false,
      truncation: 'disabled',
      include: [],
      group: 'vip',
      models: ['a'],
      reasoning: { effort: 'low', summary: 'detailed', context: 'all_turns' },
      service_tier: 'ultrafast',
      brand_new: { x: 1 },
      user: null,
    })
    expect(extensions.responses).toEqual({
      previous_response_id: 'resp_1',
      store: false,
      reasoning: { summary: 'detailed', context: 'all_turns' },
      service_tier: 'ultrafast',
      brand_new: { x: 1 },
    })
  })

  test('fields that are not read are reported by path, at every depth', () => {
    const request = read({
      input: [
        { type: 'message', id: 'msg_1', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'x', mood: 'kind' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}', caller: { type: 'direct' } },
        { type: 'brand_new', x: { y: 1 } },
      ],
      tools: [
        { type: 'web_search', external_web_access: false, filters: { allowed_domains: ['a.com'], later: 1 } },
        { type: 'function', name: 'f', defer_loading: true },
        { type: 'mcp', server_label: 'l' },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'l' }] },
      text: { format: { type: 'text' }, tone: 'dry' },
      brand_new: 1,
    })
    expect(request.unread).toEqual(['input[0].content[0].mood', 'input[1].caller', 'text.tone'])
    expect(request.tools[0]).toMatchObject({ live: false, unread: ['tools[0].filters.later'] })
    expect(Object.keys(request.extensions.responses ?? {}).sort()).toEqual(['brand_new', 'tool_choice'])
    expect(read({})).not.toHaveProperty('unread')
  })

  test('tool choice in all its forms', () => {
    const policy = (tool_choice: unknown) => read({ tool_choice, parallel_tool_calls: false }).toolPolicy
    expect(policy('required')).toEqual({ mode: 'required', parallel: false })
    expect(policy({ type: 'custom', name: 'f' })).toMatchObject({ mode: 'required', only: ['f'] })
    const tools = [
      { type: 'function', name: 'f' },
      { type: 'custom', name: 'g' },
    ]
    expect(policy({ type: 'allowed_tools', mode: 'auto', tools })).toMatchObject({ mode: 'auto', only: ['f', 'g'] })
    const hosted = { type: 'file_search' }
    expect(read({ tool_choice: hosted })).toMatchObject({
      toolPolicy: { mode: 'auto' },
      extensions: { responses: { tool_choice: hosted } },
    })
  })

  test.each([
    [{ input: [5] }, 'input[0]'],
    [{ input: [{ type: 'message', role: 'wizard', content: 'x' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0].image_url'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:nope' }] }] }, 'input[0].content[0].image_url'],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_url: 5 }] }] }, 'input[0].content[0].file_url'],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }] }, 'input[0].arguments'],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '' }] }, 'input[0].call_id'],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: 5 }] }, 'input[0].output'],
    [{ instructions: ['x'] }, 'instructions'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [
      { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'custom', name: 'x', format: { type: 'grammar' } }] }] },
      'tools[0].tools[0].format.syntax',
    ],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type'],
    [{ tool_choice: 5 }, 'tool_choice'],
    [{ tool_choice: 'maybe' }, 'tool_choice'],
    [{ temperature: 3 }, 'temperature'],
    [{ temperature: '1' }, 'temperature'],
    [{ top_p: -1 }, 'top_p'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ reasoning: { effort: 'huge' } }, 'reasoning.effort'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ text: { format: { type: 'yaml' } } }, 'text.format.type'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ input: null }, 'input'],
  ])('%j is refused at %s', (fields, param) => {
    const error = thrown(() => read(fields))
    expect(error).toMatchObject({ status: 400, param })
    expect(String(error)).not.toMatch(/wizard|huge|yaml|nope|maybe/)
  })

  test('attack: a million items, deep schemas, keys with a meaning of their own', () => {
    const start = threadNow()
    const input = Array.from({ length: 200_000 }, () => ({ role: 'user', content: 'x' }))
    expect(read({ input }).turns).toHaveLength(200_000)
    expect(threadNow() - start).toBeLessThan(5000)
    const odd = codec.readRequest(
      '{"model":"m","input":"x","__proto__":{"polluted":1},"tools":[{"type":"function","name":"__proto__","constructor":1}]}',
    )
    expect(odd.tools).toMatchObject([{ name: '__proto__' }])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(write(odd).body.tools).toMatchObject([{ name: '__proto__' }])
  })
})

describe('writing for an upstream', () => {
  test('nothing is kept there, and the state of reasoning is asked for', () => {
    expect(write(foreign({ turns: [user('hi')] })).body).toEqual({
      model: 'up',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      include: ['reasoning.encrypted_content'],
      store: false,
    })
    expect(write(foreign({ turns: [user('hi')], reasoning: { effort: 'low' } }), { reasoningRefused: true }).body).toMatchObject({
      include: [],
    })
    expect(codec.writeRequest(foreign(), { ...target, stream: true }).body.stream).toBe(true)
  })

  test('state that has been resolved is not sent; what only this dialect knows comes back', () => {
    const fields = {
      previous_response_id: 'r',
      conversation: 'c',
      store: true,
      truncation: 'auto',
      max_tool_calls: 3,
      reasoning: { summary: 'concise' },
    }
    const { body, losses } = write(read({ ...fields, input: [{ role: 'user', content: 'x' }] }))
    expect(body).toMatchObject({ store: true, truncation: 'auto', max_tool_calls: 3, reasoning: { summary: 'concise' } })
    expect(body).not.toHaveProperty('previous_response_id')
    expect(body).not.toHaveProperty('conversation')
    expect(losses).toEqual([])
  })

  test('instructions of any number, with their breakpoints', () => {
    const plain = [{ role: 'system' as const, text: 'A' }]
    expect(write(foreign({ instructions: plain })).body).toMatchObject({ instructions: 'A', input: [] })
    const marked = [...plain, { role: 'system' as const, text: 'B', cache: { ttl: '5m' as const } }]
    const { body, losses } = write(foreign({ instructions: marked }))
    expect(body.input).toEqual([
      {
        type: 'message',
        role: 'system',
        content: [{ type: 'input_text', text: 'B', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }],
      },
    ])
    expect(losses).toEqual(['cache.ttl adapted'])
    expect(write(foreign({ instructions: marked }), { cacheMarksRefused: true }).losses).toEqual(['cache dropped'])
  })

  test('T21, T28, T29: arguments and results as the upstream wants them', () => {
    const image = { kind: 'media', media: 'image', source: { data: 'QQ==' }, mimeType: 'image/png' }
    const turns: Turn[] = [
      { role: 'assistant', parts: [call('a', 'f', ''), call('b'), call('c')] },
      {
        role: 'user',
        parts: [
          result('a', [{ kind: 'text', text: 'no such file' }], { isError: true }),
          result('b', [{ kind: 'text', text: 'see' }, image]),
          result('c', [], { cache: { ttl: '1h' } }),
          { kind: 'text', text: 'well?' },
        ],
      },
    ]
    const { body, losses } = write(foreign({ turns }))
    expect(body.input).toEqual([
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'f', arguments: '{}' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'Error: no such file' },
      {
        type: 'function_call_output',
        call_id: 'b',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,QQ==' },
        ],
      },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_text', text: '', prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'well?' }] },
    ])
    expect(losses).toEqual(['result.isError adapted', 'cache.ttl adapted'])
  })

  test('T32: the state of reasoning goes back without an id before its call; foreign or orphaned reasoning does not', () => {
    const state = (dialect: 'responses' | 'messages') => [{ dialect, kind: 'encrypted' as const, value: 'E' }]
    const own = { kind: 'reasoning' as const, form: 'summary' as const, text: ['hm'], opaque: state('responses') }
    const turns: Turn[] = [
      { role: 'assistant', parts: [{ ...own, opaque: state('messages') }, own, call('a')] },
      { role: 'tool', parts: [result('a')] },
      { role: 'assistant', parts: [own] },
      user('go on'),
    ]
    const { body, losses } = write(foreign({ turns }))
    expect(body.input).toEqual([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'E' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ])
    expect(losses).toEqual(['turns.reasoning dropped'])
  })

  test('documents, stored files, and media that have no place', () => {
    const media = (part: object) =>
      write(foreign({ turns: [{ role: 'user', parts: [{ kind: 'media', path: 'p', ...part } as Turn['parts'][number]] }] }))
    const content = (part: object) => (media(part).body.input as { content: unknown[] }[])[0]?.content
    expect(content({ media: 'document', source: { data: 'QQ==' }, mimeType: 'application/pdf', title: 'T' })).toEqual([
      { type: 'input_file', filename: 'T', file_data: 'data:application/pdf;base64,QQ==' },
    ])
    expect(content({ media: 'document', source: { text: 'words' }, title: 'T' })).toEqual([{ type: 'input_text', text: 'T\n\nwords' }])
    for (const part of [
      { media: 'audio', source: { data: 'QQ==' } },
      { media: 'video', source: { url: 'x' } },
      { media: 'image', source: { fileId: 'f', dialect: 'messages' } },
    ]) {
      expect(thrown(() => media(part))).toMatchObject({ code: 'unsupported_value', param: 'p' })
    }
  })

  test('an answer’s own media, names, prefill and blocks of other vendors', () => {
    const turns: Turn[] = [
      { ...user('hi'), name: 'ann' },
      {
        role: 'assistant',
        parts: [
          { kind: 'media', media: 'image', source: { url: 'https://example.com/a.png' } },
          { kind: 'native', dialect: 'gemini', raw: {}, summary: '[ran code]' },
          { kind: 'native', dialect: 'gemini', raw: {} },
          { kind: 'text', text: 'So' },
        ],
      },
    ]
    const { body, losses } = write(foreign({ turns }))
    expect((body.input as { role: string; content: unknown }[]).map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'input_text', text: 'hi' }]],
      ['user', [{ type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.png' }]],
      [
        'assistant',
        [
          { type: 'output_text', text: '[ran code]' },
          { type: 'output_text', text: 'So' },
        ],
      ],
    ])
    expect(losses).toEqual([
      'turns.name dropped',
      'turns.media adapted',
      'turns.native adapted',
      'turns.native dropped!',
      'turns.prefill adapted',
    ])
    expect(thrown(() => write(foreign({ turns }), { prefillRefused: true }))).toMatchObject({ code: 'unsupported_value' })
  })

  test('calls and results must be there in pairs', () => {
    const orphan: Turn[] = [{ role: 'assistant', parts: [call('a')], path: 'messages[1]' }, user('x')]
    expect(thrown(() => write(foreign({ turns: orphan })))).toMatchObject({ code: 'unsupported_value', param: 'messages[1]' })
    const stray: Turn[] = [{ role: 'tool', parts: [result('b')], path: 'messages[2]' }]
    expect(thrown(() => write(foreign({ turns: stray })))).toMatchObject({ param: 'messages[2]' })
  })

  test('tools are renamed and named back, long ids replaced, and strictness is said', () => {
    const tool = (name: string) => ({ kind: 'function' as const, name, parameters: { type: 'object' } })
    const id = `toolu_${'x'.repeat(80)}`
    const turns: Turn[] = [
      { role: 'assistant', parts: [call(id, 'a.b')] },
      { role: 'tool', parts: [result(id)] },
    ]
    const toolPolicy = { mode: 'required' as const, only: ['a.b'], parallel: false }
    const { body, memo } = write(foreign({ tools: [tool('a.b'), { kind: 'custom', name: 'c' }], turns, toolPolicy }))
    expect(body).toMatchObject({
      tools: [
        { type: 'function', name: 'a_b', strict: false },
        { type: 'custom', name: 'c', format: { type: 'text' } },
      ],
      tool_choice: { type: 'function', name: 'a_b' },
      parallel_tool_calls: false,
    })
    expect(memo.toolNames).toEqual({ a_b: 'a.b' })
    const [made, answered] = body.input as { call_id: string; name: string }[]
    expect(made).toMatchObject({ name: 'a_b' })
    expect(made?.call_id.length).toBeLessThanOrEqual(64)
    expect(answered?.call_id).toBe(made?.call_id ?? '')
    expect(thrown(() => write(foreign({ tools: [tool('x'), tool('x')] })))).toMatchObject({ code: 'unsupported_value' })
  })

  test('hosted tools: a search is mapped, others are dropped and reported', () => {
    const tools: ConversationRequest['tools'] = [
      { kind: 'web-search', blockedDomains: ['x.com'], location: { country: 'FR' }, raw: {}, dialect: 'messages' },
      { kind: 'native', dialect: 'messages', name: 'bash_20250124', raw: {} },
      { kind: 'native', dialect: 'messages', name: 'Evil\nName', raw: {} },
    ]
    const { body, losses } = write(foreign({ tools }))
    expect(body.tools).toEqual([
      { type: 'web_search', filters: { blocked_domains: ['x.com'] }, user_location: { type: 'approximate', country: 'FR' } },
    ])
    expect(losses).toEqual(['tools.bash_20250124 dropped!', 'tools dropped!'])
  })

  test('subsets, and models that cannot be forced', () => {
    const tools = ['f', 'g'].map((name) => ({ kind: 'function' as const, name, parameters: {} }))
    const request = foreign({ tools, toolPolicy: { mode: 'required', only: ['f', 'g'] } })
    expect(write(request).body.tool_choice).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'function', name: 'f' },
        { type: 'function', name: 'g' },
      ],
    })
    expect(write(request, { forcedToolRefused: true })).toMatchObject({ losses: ['toolPolicy.mode dropped!'] })
  })

  test.each([
    [{ budget: 0 }, 'none', []],
    [{ budget: 2048 }, 'low', ['reasoning.budget adapted']],
    [{ budget: 8000 }, 'medium', ['reasoning.budget adapted']],
    [{ budget: 20_000 }, 'high', ['reasoning.budget adapted']],
    [{ budget: 40_000 }, 'xhigh', ['reasoning.budget adapted']],
    [{ budget: -1 }, undefined, []],
    [{ adaptive: true }, undefined, []],
    [{ effort: 'max' as const, budget: 5 }, 'max', []],
  ])('reasoning %j', (reasoning, effort, losses) => {
    const written = write(foreign({ reasoning: { ...reasoning, visible: 'full' } }))
    expect(written.body.reasoning).toEqual({ ...(effort && { effort }), summary: 'auto' })
    expect(written.losses).toEqual(losses)
  })

  test('sampling, limits, logprobs, labels', () => {
    const output = { format: { kind: 'json' as const }, modalities: [], stop: [], n: 1, maxTokens: 1, logprobs: 0 }
    const sampling = { temperature: 0.5, topP: 0.9, topK: 5, seed: 1, frequencyPenalty: 1 }
    const identity = { endUser: 'x'.repeat(200), metadata: { a: 'b' } }
    const { body, losses } = write(foreign({ output, sampling, identity, tier: 'flex', cache: { key: 'k' } }))
    expect(body).toMatchObject({
      max_output_tokens: 16,
      text: { format: { type: 'json_object' } },
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 0,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      metadata: { a: 'b' },
      service_tier: 'flex',
      prompt_cache_key: 'k',
    })
    expect(body).not.toHaveProperty('safety_identifier')
    expect(losses).toEqual([
      'output.maxTokens adapted',
      'sampling.topK dropped!',
      'sampling.seed dropped!',
      'sampling.frequencyPenalty dropped!',
      'identity.endUser dropped',
    ])
    expect(write(foreign({ sampling: { temperature: 1 } }), { samplingRefused: true })).toMatchObject({
      losses: ['sampling.temperature dropped!'],
    })
  })

  test('what cannot be expressed is refused under the caller’s own name for it', () => {
    const base = foreign().output
    const cases: [Partial<ConversationRequest>, string][] = [
      [{ output: { ...base, n: 2 } }, 'output.n'],
      [{ output: { ...base, modalities: ['audio'] } }, 'output.modalities'],
      [{ sampling: { logitBias: { '5': 1 } } }, 'sampling.logitBias'],
    ]
    for (const [fields, param] of cases) {
      expect(thrown(() => write(foreign(fields)))).toMatchObject({ code: 'unsupported_value', status: 400, param })
    }
  })

  test('a schema without a word about strictness is not strict', () => {
    const format = { kind: 'schema' as const, schema: { type: 'object' }, name: 'my schema!' }
    expect(write(foreign({ output: { ...foreign().output, format } })).body.text).toEqual({
      format: { type: 'json_schema', name: 'my_schema_', schema: { type: 'object' }, strict: false },
    })
  })
})
