/** Conversations of other dialects as Messages requests: roles, content and tools, row by row of the mapping tables. */
import { describe, expect, test } from 'bun:test'
import type { ConversationRequest, Part, Tool, Turn } from '#canonical/conversation'
import { assistant, call, conversation, look, named, result, text, user } from '#testing/conversions/conversation'
import { threadNow } from '#testing/thread-time'
import { messagesCodec as codec } from './codec.ts'

function write(fields: Partial<ConversationRequest> = {}, capabilities: Record<string, boolean | number> = {}) {
  const { body, losses, memo, headers } = codec.writeRequest(conversation(fields), { model: 'up', capabilities, stream: false })
  return { body, losses: named(losses), memo, headers }
}
const refusal = (param: string) => expect.objectContaining({ code: 'unsupported_value', status: 400, param })
const at = (list: unknown, index: number): unknown => (list as unknown[])[index]
const contentOf = (list: unknown, index: number): unknown[] => (at(list, index) as { content: unknown[] }).content

test('the least request', () => {
  expect(write()).toEqual({
    body: { model: 'up', max_tokens: 16384, messages: [{ role: 'user', content: 'hi' }], stream: false },
    losses: [],
    memo: { toolNames: {}, toolSpaces: {}, wrappedTools: [] },
    headers: { 'anthropic-version': '2023-06-01' },
  })
})

describe('2.1 instructions, roles, turns', () => {
  test('all leading instructions, in order; developer becomes system', () => {
    const instructions = [
      { role: 'system' as const, text: 'A' },
      { role: 'developer' as const, text: 'B' },
      { role: 'system' as const, text: '' },
    ]
    expect(write({ instructions })).toMatchObject({
      body: { system: [{ text: 'A' }, { text: 'B' }] },
      losses: ['instructions.role:adapted'],
    })
    expect(write({ instructions: [{ role: 'system', text: 'A' }] }).body.system).toBe('A')
  })

  test('a system message in the middle stays where it is', () => {
    const turns = [user(), { role: 'system' as const, parts: [text('S')] }, assistant(text('a')), user()]
    expect(write({ turns })).toMatchObject({ body: { messages: [{}, { role: 'system', content: 'S' }, {}, {}] }, losses: [] })
    const wrapped = { type: 'text', text: '<system>\nS\n</system>' }
    expect(write({ turns }, { noSystemTurns: true })).toMatchObject({
      body: { messages: [{ role: 'user', content: [{ text: 'hi' }, wrapped] }, { role: 'assistant' }, { role: 'user' }] },
      losses: ['turns.system:adapted'],
    })
    const between = [user(), { role: 'system' as const, parts: [text('S')] }, user()]
    expect(write({ turns: between })).toMatchObject({
      body: { messages: [{ content: [{}, wrapped, {}] }] },
      losses: ['turns.system:adapted'],
    })
    const after = [user(), assistant(text('a')), { role: 'system' as const, parts: [text('S')] }, user()]
    expect(at(write({ turns: after }).body.messages, 2)).toEqual({ role: 'user', content: [wrapped, { type: 'text', text: 'hi' }] })
  })

  test('neighbours of one role are one message; an empty assistant turn is none', () => {
    const turns = [user(text('a')), assistant(text('')), user(text('b'), text(''))]
    expect(write({ turns }).body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  test('what cannot begin or be empty is refused, by its place', () => {
    const path = 'messages[1]'
    expect(() => write({ turns: [{ ...assistant(text('a')), path }, user()] })).toThrow(refusal(path))
    expect(() => write({ turns: [user(), assistant(text('a')), { ...user(text('')), path }] })).toThrow(refusal(path))
    expect(() => write({ turns: [], paths: { turns: 'messages' } })).toThrow(refusal('messages'))
  })

  test('the beginning of the answer: trimmed at its end, refused where the model refuses it', () => {
    const turns = [user(), assistant(text('The answer is \n'))]
    expect(at(write({ turns }).body.messages, 1)).toEqual({ role: 'assistant', content: 'The answer is' })
    expect(write({ turns: [user(), assistant(text(' \n'))] }).body.messages).toHaveLength(1)
    expect(() => write({ turns }, { prefillRefused: true })).toThrow(refusal('turns'))
  })
})

test('a hundred thousand turns and tools’ calls, in linear time', () => {
  const many = 30_000
  const turns = Array.from({ length: many }, (_, index) => [
    user(text('x')),
    { role: 'system' as const, parts: [text('s')] },
    assistant(call(`c:${index}`)),
    { role: 'tool' as const, parts: [result(`c:${index}`)] },
  ]).flat()
  const before = threadNow()
  expect((write({ turns }).body.messages as unknown[]).length).toBe(3 * many + 1)
  expect(threadNow() - before).toBeLessThan(6000)
})

describe('2.2 content', () => {
  const media = (fields: Partial<Part & { kind: 'media' }>): Part => ({
    kind: 'media',
    media: 'image',
    source: { data: 'AAAA' },
    path: 'p',
    ...fields,
  })
  const first = (part: Part) => contentOf(write({ turns: [user(part, text('x'))] }).body.messages, 0)[0]

  test('images by data, address and own file', () => {
    expect(first(media({ mimeType: 'image/jpg' }))).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' },
    })
    expect(first(media({ source: { data: 'iVBORw0KGgoAAA' } }))).toMatchObject({ source: { media_type: 'image/png' } })
    expect(first(media({ source: { url: 'https://x.org/a' } }))).toEqual({ type: 'image', source: { type: 'url', url: 'https://x.org/a' } })
    expect(first(media({ source: { fileId: 'f', dialect: 'messages' } }))).toEqual({
      type: 'image',
      source: { type: 'file', file_id: 'f' },
    })
  })

  test('documents: PDF, text of any kind', () => {
    const doc = (fields: object) => first(media({ media: 'document', ...fields }))
    expect(doc({ mimeType: 'application/pdf', name: 'a.pdf' })).toEqual({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      title: 'a.pdf',
    })
    const data = Buffer.from('a,日').toString('base64')
    expect(doc({ mimeType: 'text/csv', source: { data } })).toMatchObject({
      source: { type: 'text', media_type: 'text/plain', data: 'a,日' },
    })
    expect(doc({ source: { text: 'x' }, title: 'T', name: 'n' })).toMatchObject({ source: { type: 'text', data: 'x' }, title: 'T' })
  })

  test('what Messages cannot take is refused, by its place', () => {
    const cases: Partial<Part & { kind: 'media' }>[] = [
      { media: 'audio' },
      { media: 'video' },
      { mimeType: 'image/tiff' },
      { source: { data: 'AAAA' } },
      { source: { url: 'gs://bucket/x' } },
      { source: { fileId: 'f', dialect: 'responses' } },
      { media: 'document', mimeType: 'application/zip' },
      { media: 'document' },
    ]
    for (const fields of cases) expect(() => first(media(fields))).toThrow(refusal('p'))
  })

  test('levels of detail are forgotten, foreign citations too', () => {
    expect(write({ turns: [user(media({ mimeType: 'image/png', detail: 'high' }))] }).losses).toEqual(['turns.media.detail:dropped'])
    const cited: Part = { kind: 'text', text: 'x', citations: [{ kind: 'web', url: 'https://u.org' }] }
    expect(write({ turns: [user(), assistant(cited), user()] }).losses).toEqual(['turns.citations:dropped'])
  })

  test('parts of other vendors: written as text, or dropped', () => {
    const native = (summary?: string): Part => ({ kind: 'native', dialect: 'gemini', raw: {}, ...(summary && { summary }) })
    expect(write({ turns: [user(), assistant(native('Searched.')), user()] })).toMatchObject({
      body: { messages: [{}, { content: 'Searched.' }, {}] },
      losses: ['turns.native:adapted'],
    })
    expect(write({ turns: [user(), assistant(text('a'), native()), user()] }).losses).toEqual(['turns.native:dropped!'])
  })
})

describe('2.3 tools', () => {
  test('functions, with their whole schema; strict ones in the subset', () => {
    const parameters = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'N' } },
      additionalProperties: { type: 'string' },
      $defs: {},
    }
    const tool: Tool = { ...look, description: 'D', parameters }
    expect(write({ tools: [tool] })).toMatchObject({
      body: { tools: [{ name: 'look', description: 'D', input_schema: parameters }] },
      losses: [],
    })
    const strict = write({ tools: [{ ...tool, strict: true }] })
    expect(strict.losses).toEqual(['tools.strict:adapted'])
    expect(at(strict.body.tools, 0)).toMatchObject({
      strict: true,
      input_schema: { additionalProperties: false, properties: { n: { type: 'integer', description: 'N\n{minimum: 1}' } } },
    })
  })

  test('the root of a schema is an object, or the tool is refused', () => {
    expect(at(write({ tools: [{ ...look, parameters: {} }] }).body.tools, 0)).toMatchObject({ input_schema: { type: 'object' } })
    for (const parameters of [{ type: 'string' }, { anyOf: [] }, { type: 'object', oneOf: [] }, { type: ['object', 'null'] }])
      expect(() => write({ tools: [{ ...look, parameters }] })).toThrow(refusal('tools'))
  })

  test('a tool that takes free text becomes a function of one text', () => {
    const custom: Tool = { kind: 'custom', name: 'patch', description: 'P', grammar: { syntax: 'lark', definition: 'start: X' } }
    const written = write({
      tools: [custom],
      turns: [
        user(),
        assistant({ kind: 'call', callId: 'c', name: 'patch', form: 'text', argsText: 'a "b"' }),
        { role: 'tool', parts: [result('c')] },
      ],
    })
    expect(written.losses).toEqual(['tools.custom:adapted', 'tools.custom.grammar:dropped!'])
    expect(written.memo.wrappedTools).toEqual(['patch'])
    expect(at(written.body.tools, 0)).toMatchObject({
      name: 'patch',
      description: 'P\n\nThe input must follow this lark grammar:\nstart: X',
      input_schema: { required: ['input'] },
    })
    expect(at(written.body.messages, 1)).toMatchObject({ content: [{ type: 'tool_use', input: { input: 'a "b"' } }] })
  })

  test('names are changed where they must be, in the history too, and can be read backwards', () => {
    const tools: Tool[] = [
      { ...look, name: 'a.b' },
      { ...look, name: 'run', namespace: 'web' },
    ]
    const written = write({ tools, turns: [user(), assistant(call('c', '{}', 'a.b')), { role: 'tool', parts: [result('c')] }] })
    expect((written.body.tools as { name: string }[]).map(({ name }) => name)).toEqual(['a_b', 'web__run'])
    expect(at(written.body.messages, 1)).toMatchObject({ content: [{ name: 'a_b' }] })
    expect(written.memo).toMatchObject({ toolNames: { a_b: 'a.b', web__run: 'run' }, toolSpaces: { web__run: 'web' } })
    expect(() => write({ tools: [look, look] })).toThrow(refusal('tools'))
  })

  test('the choice among them', () => {
    const choice = (toolPolicy: ConversationRequest['toolPolicy'], capabilities = {}) =>
      write({ tools: [look, { ...look, name: 'b' }], toolPolicy }, capabilities)
    expect(choice({ mode: 'auto' }).body).not.toHaveProperty('tool_choice')
    expect(choice({ mode: 'none' }).body).toMatchObject({ tool_choice: { type: 'none' }, tools: [{}, {}] })
    expect(choice({ mode: 'required' }).body.tool_choice).toEqual({ type: 'any' })
    expect(choice({ mode: 'required', only: ['b'] }).body).toMatchObject({ tool_choice: { type: 'tool', name: 'b' }, tools: [{}, {}] })
    expect(choice({ mode: 'auto', parallel: false }).body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true })
    expect(choice({ mode: 'required', parallel: false }).body.tool_choice).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    })
    expect(choice({ mode: 'auto', only: ['b'] })).toMatchObject({ body: { tools: [{ name: 'b' }] }, losses: ['toolPolicy.only:adapted'] })
    expect(() => choice({ mode: 'required', only: ['zzz'] })).toThrow(refusal('toolPolicy.only'))
    expect(choice({ mode: 'required', only: ['b'] }, { forcedToolRefused: true })).toMatchObject({
      body: { system: 'Answer by calling the tool b.' },
      losses: ['toolPolicy.mode:dropped!'],
    })
    expect(write({ toolPolicy: { mode: 'required' } }).body).not.toHaveProperty('tool_choice')
  })

  test('search is mapped, other vendors’ tools are dropped by name', () => {
    const tools: Tool[] = [
      {
        kind: 'web-search',
        allowedDomains: ['x.org'],
        blockedDomains: ['y.org'],
        contextSize: 'high',
        location: { type: 'approximate', approximate: { city: 'Rome' } },
        raw: {},
        dialect: 'chat',
      },
      { kind: 'native', dialect: 'responses', name: 'code_interpreter', raw: {} },
    ]
    expect(write({ tools })).toMatchObject({
      body: {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            allowed_domains: ['x.org'],
            user_location: { type: 'approximate', city: 'Rome' },
          },
        ],
      },
      losses: ['tools.web-search.contextSize:dropped', 'tools.web-search.blockedDomains:adapted!', 'tools.code_interpreter:dropped!'],
    })
  })

  test('hints of another vendor about a tool', () => {
    expect(write({ tools: [{ ...look, extra: { input_examples: [], defer_loading: true } }] }).losses).toEqual([
      'tools.defer_loading:dropped!',
      'tools.input_examples:dropped',
    ])
  })

  test('results come first, in the order of their calls, whatever stood between', () => {
    const turns: Turn[] = [
      user(),
      assistant(call('a:1'), call('b')),
      { role: 'tool', parts: [result('b', { kind: 'text', text: 'B' })] },
      user(text('wait')),
      { role: 'tool', parts: [result('a:1')] },
    ]
    expect(write({ turns, tools: [look] }).body.messages).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a_1', name: 'look', input: {} },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a_1', content: '(no output)' },
          { type: 'tool_result', tool_use_id: 'b', content: 'B' },
          { type: 'text', text: 'wait' },
        ],
      },
    ])
  })

  test('calls that share an id, in one turn or over several, get ids of their own, each with its result', () => {
    const answer = (words: string) => ({ role: 'tool' as const, parts: [result('c', { kind: 'text', text: words })] })
    const turns: Turn[] = [user(), assistant(call('c'), call('c')), answer('1'), answer('2'), assistant(call('c')), answer('3')]
    const { messages } = write({ turns, tools: [look] }).body
    expect([1, 2, 3, 4].map((index) => contentOf(messages, index))).toMatchObject([
      [{ id: 'c' }, { id: 'c_2' }],
      [
        { tool_use_id: 'c', content: '1' },
        { tool_use_id: 'c_2', content: '2' },
      ],
      [{ id: 'c_3' }],
      [{ tool_use_id: 'c_3', content: '3' }],
    ])
    expect(() => write({ turns: turns.toSpliced(3, 1) })).toThrow(expect.objectContaining({ code: 'unsupported_value' }))
  })

  test('calls without results and results without calls are refused', () => {
    const path = 'messages[1]'
    const orphan = { ...assistant(call('a'), call('b')), path }
    expect(() => write({ turns: [user(), orphan, { role: 'tool', parts: [result('a')] }] })).toThrow(refusal(path))
    expect(() => write({ turns: [user(), orphan] })).toThrow(refusal(path))
    expect(() => write({ turns: [user(), assistant(text('x')), { role: 'tool', parts: [result('a')], path }] })).toThrow(refusal(path))
    expect(() => write({ turns: [{ role: 'tool', parts: [result('a')], path }] })).toThrow(refusal(path))
  })

  test('T30: arguments that are no JSON object are refused by their place', () => {
    const path = 'messages[3].tool_calls[0].function.arguments'
    for (const argsText of ['{"a":', '[]', '"x"', 'null', '5', 'hello']) {
      const turns: Turn[] = [user(), assistant({ ...call('c', argsText), path } as Part), { role: 'tool', parts: [result('c')] }]
      expect(() => write({ turns })).toThrow(refusal(path))
    }
    expect(write({ turns: [user(), assistant(call('c', ' ')), { role: 'tool', parts: [result('c')] }] }).losses).toEqual([])
  })
})
