import { describe, expect, test } from 'bun:test'
import type { Part } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import { threadNow } from '#testing/thread-time'
import { readRequest } from './request-read.ts'

const base = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }
const read = (fields: Record<string, unknown> = {}) => readRequest(JSON.stringify({ ...base, ...fields }))
const turns = (...messages: unknown[]) => read({ messages }).turns
const parts = (...content: unknown[]): Part[] => turns({ role: 'user', content })[0]?.parts ?? []
const refusal = (param: string) => expect.objectContaining({ status: 400, code: 'invalid_value', param })

describe('turns', () => {
  test('results of tools stand before the words that came with them, and know their tool', () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { a: [1] } }] }
    const answer = {
      role: 'user',
      content: [
        { type: 'text', text: 'And?' },
        { type: 'tool_result', tool_use_id: 'c1', content: 'x' },
      ],
    }
    expect(turns(...base.messages, call, answer)).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        parts: [{ kind: 'call', callId: 'c1', name: 'look', argsText: '{"a":[1]}', path: 'messages[1].content[0].input' }],
      },
      {
        role: 'tool',
        parts: [{ kind: 'result', callId: 'c1', name: 'look', isError: false, parts: [{ text: 'x' }] }],
        path: 'messages[2]',
      },
      { role: 'user', parts: [{ kind: 'text', text: 'And?' }], path: 'messages[2]' },
    ])
  })

  test('T29: kinds that have no place in a result become their JSON, and none is no part', () => {
    const result = (content: unknown) => {
      const [part] =
        turns(...base.messages, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content }] })[1]?.parts ?? []
      return part?.kind === 'result' ? part.parts : undefined
    }
    expect(result([{ type: 'tool_reference', tool_name: 'x' }])).toEqual([
      { kind: 'text', text: '{"type":"tool_reference","tool_name":"x"}' },
    ])
    expect(
      result([{ type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'W' }], citations: { enabled: true } }]),
    ).toEqual([{ kind: 'text', text: 'T\nS\nW' }])
    for (const none of ['', [], null, undefined]) expect(result(none)).toEqual([])
  })

  test('unknown roles', () => {
    expect(() => turns({ role: 'tool', content: 'x' })).toThrow(refusal('messages[0].role'))
  })
})

describe('blocks', () => {
  test('what has to be understood is checked', () => {
    const cases: [unknown, string][] = [
      [{ type: 'text' }, '.text'],
      [{ type: 'text', text: 5 }, '.text'],
      [{ type: 'image' }, '.source'],
      [{ type: 'image', source: { type: 'later' } }, '.source.type'],
      [{ type: 'image', source: { type: 'base64', data: '' } }, '.source.data'],
      [{ type: 'document', source: { type: 'url' } }, '.source.url'],
      [{ type: 'thinking' }, '.thinking'],
      [{ type: 'redacted_thinking' }, '.data'],
      [{ type: 'tool_use', id: 'x', input: {} }, '.name'],
      [{ type: 'tool_use', id: 'x', name: 'n', input: '{}' }, '.input'],
      [{ type: 'tool_result', content: 'x' }, '.tool_use_id'],
      [{ type: 'tool_result', tool_use_id: 'x', content: 5 }, '.content'],
      [{ type: 'tool_result', tool_use_id: 'x', content: ['x'] }, '.content[0]'],
    ]
    for (const [block, field] of cases) expect(() => parts(block)).toThrow(refusal(`messages[0].content[0]${field}`))
  })

  test('unknown kinds stay, with a summary', () => {
    const block = {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'web_search_result', title: 'T', url: 'https://u.example', encrypted_content: 'zz' }],
    }
    expect(parts(block)).toEqual([{ kind: 'native', dialect: 'messages', raw: block, summary: 'T\nhttps://u.example' }])
    expect(parts({ type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } })).toMatchObject([
      { summary: '[web_search {"query":"q"}]' },
    ])
    expect(parts({ type: 'compaction', content: 'So far: nothing.' })).toMatchObject([{ kind: 'native', summary: 'So far: nothing.' }])
    expect(parts({ type: 'brand_new', x: 1 })).toEqual([{ kind: 'native', dialect: 'messages', raw: { type: 'brand_new', x: 1 } }])
  })

  test('T32: whatever stands in the seal’s slot is the state of this dialect', () => {
    expect(parts({ type: 'thinking', thinking: 'hm', signature: 'gw1.abc' })).toEqual([
      { kind: 'reasoning', text: ['hm'], form: 'full', opaque: [{ dialect: 'messages', kind: 'signature', value: 'gw1.abc' }] },
    ])
    expect(parts({ type: 'thinking', thinking: '', signature: '' })).toEqual([{ kind: 'reasoning', text: [], form: 'full', opaque: [] }])
  })

  test('what has no place is noted by name', () => {
    const content = [
      { type: 'document', source: { type: 'text', data: 'x' }, context: 'c', citations: { enabled: true } },
      { type: 'thinking', thinking: 'x', cache_control: { type: 'ephemeral' } },
    ]
    expect(read({ messages: [{ role: 'user', content }] }).extensions).toEqual({
      messages: { 'document.context': true, 'document.citations': true, 'block.cache_control': true },
    })
  })

  test('a document of several blocks keeps its form', () => {
    const block = {
      type: 'document',
      source: {
        type: 'content',
        content: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      title: 'T',
    }
    const [part] = parts(block)
    expect(part).toMatchObject({ kind: 'native', raw: block })
    expect(part).toHaveProperty('summary', 'A\nB\nT')
  })
})

describe('tools and the choice among them', () => {
  test('functions, dated tools, search', () => {
    const tools = [
      { name: 'a' },
      {
        type: 'custom',
        name: 'b',
        input_schema: { type: 'object' },
        strict: true,
        defer_loading: true,
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
      { type: 'bash_20250124', name: 'bash' },
      {
        type: 'web_search_20260318',
        name: 'web_search',
        allowed_domains: ['x.org'],
        user_location: { type: 'approximate', city: 'Rome' },
        max_uses: 3,
      },
    ]
    expect(read({ tools }).tools).toEqual([
      { kind: 'function', name: 'a', parameters: { type: 'object', properties: {} } },
      { kind: 'function', name: 'b', parameters: { type: 'object' }, strict: true, cache: { ttl: '1h' }, extra: { defer_loading: true } },
      { kind: 'native', dialect: 'messages', name: 'bash', raw: tools[2] },
      {
        kind: 'web-search',
        allowedDomains: ['x.org'],
        location: { type: 'approximate', city: 'Rome' },
        maxUses: 3,
        raw: tools[3],
        dialect: 'messages',
      },
    ])
    for (const [odd, param] of [
      [5, 'tools'],
      [[5], 'tools[0]'],
      [[{}], 'tools[0].name'],
      [[{ name: 'a', input_schema: 5 }], 'tools[0].input_schema'],
    ] as const)
      expect(() => read({ tools: odd })).toThrow(refusal(param))
  })

  test('choices', () => {
    const policy = (tool_choice: unknown) => read({ tool_choice }).toolPolicy
    expect(policy(null)).toEqual({ mode: 'auto' })
    expect(policy({ type: 'auto', disable_parallel_tool_use: true })).toEqual({ mode: 'auto', parallel: false })
    expect(policy({ type: 'any', disable_parallel_tool_use: false })).toEqual({ mode: 'required' })
    expect(policy({ type: 'tool', name: 'a' })).toEqual({ mode: 'required', only: ['a'] })
    expect(policy({ type: 'none' })).toEqual({ mode: 'none' })
    for (const [odd, param] of [
      ['auto', 'tool_choice'],
      [{}, 'tool_choice.type'],
      [{ type: 'tool' }, 'tool_choice.name'],
    ] as const)
      expect(() => policy(odd)).toThrow(refusal(param))
  })
})

test('thinking and effort', () => {
  const settings = (thinking: unknown, output_config?: unknown) => read({ thinking, output_config }).reasoning
  expect(settings(undefined)).toEqual({})
  expect(settings({ type: 'enabled', budget_tokens: 2048 })).toEqual({ budget: 2048, visible: 'summary' })
  expect(settings({ type: 'adaptive', display: 'omitted' }, { effort: 'xhigh' })).toEqual({
    adaptive: true,
    visible: 'none',
    effort: 'xhigh',
  })
  expect(settings({ type: 'disabled' }, { effort: 'high' })).toEqual({ effort: 'none', budget: 0 })
  expect(settings(undefined, { effort: 'max' })).toEqual({ effort: 'max' })
  for (const odd of [5, {}, { type: 'later' }, { type: 'enabled' }, { type: 'enabled', budget_tokens: -1 }])
    expect(() => settings(odd)).toThrow(expect.objectContaining({ status: 400 }))
  expect(() => settings(undefined, { effort: 'none' })).toThrow(refusal('output_config.effort'))
})

test('fields that only this dialect has are kept, those that only Parley reads are not', () => {
  const own = { container: 'c', context_management: { edits: [] }, cache_control: { type: 'ephemeral' }, x_new: [1] }
  const request = read({
    ...own,
    group: 'vip',
    models: ['x'],
    inference_geo: null,
    output_format: { type: 'json_schema', schema: { type: 'object' } },
  })
  expect(request.extensions).toEqual({ messages: own })
  expect(request.output.format).toEqual({ kind: 'schema', schema: { type: 'object' } })
})

test('tiers and system', () => {
  expect([read({ service_tier: 'auto' }).tier, read({ service_tier: 'standard_only' }).tier, read({ speed: 'fast' }).tier]).toEqual([
    'auto',
    'default',
    'fast',
  ])
  expect(read({ system: '' }).instructions).toEqual([])
  expect(() => read({ system: [{ type: 'image' }] })).toThrow(refusal('system[0].type'))
  expect(() => read({ system: [{ type: 'text' }] })).toThrow(refusal('system[0].text'))
})

describe('hostile bodies', () => {
  test('any value anywhere is read or refused, never a crash', () => {
    const odd: unknown[] = [null, 0, -1, 1e308, 'x', '', [], {}, [null], [[]], { type: 'x' }, [{ type: null }], { toString: 1 }, true]
    const fields = [
      'model',
      'messages',
      'system',
      'max_tokens',
      'stop_sequences',
      'tools',
      'tool_choice',
      'thinking',
      'output_config',
      'metadata',
      'service_tier',
      'output_format',
      'container',
    ]
    const keys = [
      'text',
      'source',
      'thinking',
      'signature',
      'data',
      'id',
      'name',
      'input',
      'tool_use_id',
      'content',
      'citations',
      'cache_control',
      'title',
      'context',
      'is_error',
    ]
    const kinds = [
      'text',
      'image',
      'document',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'tool_result',
      'search_result',
      'server_tool_use',
      'x',
      '__proto__',
    ]
    const attempt = (body: Record<string, unknown>) => {
      try {
        return typeof readRequest(JSON.stringify({ ...base, ...body })).model
      } catch (thrown) {
        return thrown instanceof GatewayError && thrown.status === 400 ? 'string' : thrown
      }
    }
    for (const value of odd) {
      for (const field of fields) expect({ field, value, is: attempt({ [field]: value }) }).toEqual({ field, value, is: 'string' })
      for (const type of kinds) {
        for (const key of keys) {
          const is = attempt({ messages: [{ role: 'user', content: [{ type, [key]: value }] }] })
          expect({ type, key, value, is }).toEqual({ type, key, value, is: 'string' })
        }
      }
    }
  })

  test('a hundred thousand messages, and a tree of blocks, in linear time', () => {
    const before = threadNow()
    expect(turns(...Array.from({ length: 100_000 }, () => base.messages[0]))).toHaveLength(100_000)
    let nested: unknown = { type: 'x', text: 'deep' }
    for (let depth = 0; depth < 25; depth++) nested = { type: 'x', content: [nested] }
    expect(parts(nested)).toMatchObject([{ kind: 'native' }])
    expect(threadNow() - before).toBeLessThan(5000)
  })
})

describe('fields that are not read', () => {
  test('are reported by their path, at any depth', () => {
    const content = [
      { type: 'text', text: 'x', tone: 'dry' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, transformations: [] },
    ]
    const call = { type: 'tool_use', id: 'c', name: 'f', input: { any: { thing: 1 } } }
    const request = read({
      system: [{ type: 'text', text: 's', clear_at: 1 }],
      messages: [
        { role: 'user', content, mood: 1 },
        { role: 'assistant', content: [{ ...call, caller: { type: 'direct' } }] },
        { role: 'assistant', content: [{ ...call, caller: { type: 'code_execution', tool_id: 't' } }] },
      ],
      output_config: { effort: 'low', task_budget: 5 },
      thinking: { type: 'adaptive', block_binding: 'x' },
    })
    expect([...(request.unread ?? [])].sort()).toEqual([
      'messages[0].content[0].tone',
      'messages[0].content[1].transformations',
      'messages[0].mood',
      'messages[2].content[0].caller.tool_id',
      'output_config.task_budget',
      'system[0].clear_at',
      'thinking.block_binding',
    ])
  })

  test('are none where all was read, and the rest of a web search rides along by their path', () => {
    expect(read().unread).toBeUndefined()
    const tool = { type: 'web_search_20250305', name: 'web_search', response_inclusion: 'full', blocked_domains: ['a.example'] }
    const request = read({ tools: [tool] })
    expect(request.unread).toBeUndefined()
    expect(request.extensions).toEqual({ messages: { 'tools[0].response_inclusion': true } })
    expect(request.tools).toMatchObject([{ kind: 'web-search', raw: tool }])
  })
})
