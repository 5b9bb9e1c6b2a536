/** Fields of the SDKs' types that once were silently lost between dialects; each is reported, or converted. */
import { expect, test } from 'bun:test'
import type { Dialect } from '#shared/ids'
import { noMemo, readBody, testPen, written } from '#testing/conversions/codec-runs'
import { named } from '#testing/conversions/conversation'
import { conversationCodecs as codecs } from './index.ts'

const hello = { role: 'user', content: 'Hello' }
const messages = (fields: object) => ({ model: 'asked', max_tokens: 900, messages: [hello], ...fields })

function converted(from: Dialect, body: object, to: Dialect) {
  const { body: sent, losses } = written(codecs[to], readBody(codecs[from], body))
  return { sent, losses: named(losses) }
}

test('a block of a system turn that Chat cannot express is reported, and leaves no empty message', () => {
  const addition = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'look' } }
  const body = messages({ messages: [hello, { role: 'system', content: [addition] }] })
  expect(converted('messages', body, 'chat')).toEqual({
    sent: expect.objectContaining({ messages: [hello] }),
    losses: ['turns.native:dropped!'],
  })
})

test('a picture in a system turn follows in a message of the user on Chat', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }
  const body = { model: 'asked', input: [hello, { role: 'developer', content: [{ type: 'input_text', text: 'See' }, image] }] }
  expect(converted('responses', body, 'chat')).toEqual({
    sent: expect.objectContaining({
      messages: [
        hello,
        { role: 'system', content: 'See' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
      ],
    }),
    losses: ['turns.media:adapted', 'instructions.role:adapted'],
  })
})

test('citations in user text are reported towards Responses', () => {
  const cited = { type: 'char_location', cited_text: 'a', document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1 }
  const body = messages({ messages: [{ role: 'user', content: [{ type: 'text', text: 'a', citations: [cited] }] }] })
  expect(converted('messages', body, 'responses').losses).toEqual(['turns.citations:dropped'])
})

test('a cache breakpoint in the text of a result is reported towards Gemini', () => {
  const call = { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }] }
  const result = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } }] }
  expect(converted('chat', { model: 'asked', messages: [hello, call, result] }, 'gemini').losses).toEqual(['cache:dropped'])
})

test('thinking between tools, and updates in place of thoughts, are told elsewhere and go back to Messages', () => {
  const between = messages({ thinking: { type: 'between_tools' } })
  const updates = messages({ thinking: { type: 'adaptive', display: 'updates' } })
  for (const to of ['chat', 'responses', 'gemini'] as const) {
    expect(converted('messages', between, to).losses).toContain('thinking.between_tools:dropped!')
    expect(converted('messages', updates, to).losses).toContain('thinking.updates:dropped')
  }
  expect(converted('messages', between, 'messages').sent.thinking).toEqual({ type: 'between_tools' })
  expect(converted('messages', updates, 'messages').sent.thinking).toEqual({ type: 'adaptive', display: 'updates' })
})

test('names of pictures are reported, and so are parts of a model in a user turn on Chat', () => {
  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'one.png' } }
  for (const to of ['chat', 'responses', 'messages'] as const) {
    expect(converted('gemini', { contents: [{ role: 'user', parts: [picture] }] }, to).losses).toEqual(['turns.media.name:dropped'])
  }
  const called = [{ functionCall: { name: 'look', args: {} } }, { text: 'Hello' }]
  expect(converted('gemini', { contents: [{ role: 'user', parts: called }] }, 'chat').losses).toEqual(['turns.call:dropped!'])
})

test("the order of a schema's properties is kept", () => {
  const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING' }, b: { type: 'STRING' } }, propertyOrdering: ['b', 'a', 'c'] }
  const body = { contents: [{ parts: [{ text: 'Hello' }] }], tools: [{ functionDeclarations: [{ name: 'look', parameters }] }] }
  const { sent } = converted('gemini', body, 'messages')
  expect(JSON.stringify(sent.tools)).toContain('"properties":{"b":{"type":"string"},"a":{"type":"string"}}')
})

test("what Gemini says of its model's age is told", () => {
  const answer = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }], modelStatus: { modelStage: 'DEPRECATED' } }
  const { losses } = codecs.gemini.readResponse(JSON.stringify(answer), noMemo, testPen())
  expect(losses?.map(({ field }) => field)).toEqual(['modelStatus'])
})

test('Chat’s older list of functions and choice among them are carried, and no loss', () => {
  const functions = [{ name: 'f', parameters: { type: 'object', properties: {} } }]
  const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }
  const turns = [hello, called, { role: 'function', name: 'f', content: 'done' }]
  const ask = (function_call: unknown, to: Dialect) => converted('chat', { model: 'asked', messages: turns, functions, function_call }, to)
  const choices: [Dialect, string, unknown, unknown, unknown][] = [
    ['chat', 'tool_choice', { type: 'function', function: { name: 'f' } }, undefined, 'none'],
    ['responses', 'tool_choice', { type: 'function', name: 'f' }, undefined, 'none'],
    [
      'messages',
      'tool_choice',
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
      { type: 'auto', disable_parallel_tool_use: true },
      { type: 'none' },
    ],
    [
      'gemini',
      'toolConfig',
      { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      undefined,
      { functionCallingConfig: { mode: 'NONE' } },
    ],
  ]
  for (const [to, field, named, auto, none] of choices) {
    for (const [choice, expected] of [
      [{ name: 'f' }, named],
      ['auto', auto],
      ['none', none],
    ]) {
      const { sent, losses } = ask(choice, to)
      expect((sent as Record<string, unknown>)[field]).toEqual(expected)
      // Clients that send `functions` read one call, which Gemini has no setting for.
      expect(losses).toEqual(to === 'gemini' ? ['toolPolicy.parallel:adapted!'] : [])
    }
  }
})

const gemini = (fields: object) => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...fields })
const level = (thinkingLevel: string) => gemini({ generationConfig: { thinkingConfig: { thinkingLevel } } })

test.each([
  ['messages', messages({ service_tier: 'gold' }), 'chat', ['service_tier:dropped']],
  ['messages', messages({ speed: 'slow' }), 'responses', ['speed:dropped']],
  ['messages', messages({ service_tier: 'auto', speed: 'standard' }), 'chat', []],
  ['gemini', gemini({ serviceTier: 'gold' }), 'messages', ['serviceTier:dropped']],
  ['gemini', gemini({ serviceTier: 'SERVICE_TIER_UNSPECIFIED' }), 'messages', []],
  ['gemini', level('ULTRA'), 'chat', ['generationConfig.thinkingConfig.thinkingLevel:dropped!']],
  ['gemini', level('THINKING_LEVEL_UNSPECIFIED'), 'chat', []],
] as [Dialect, object, Dialect, string[]][])('%s: a value that only it has is reported: %j to %s', (from, body, to, losses) => {
  const usual = converted(from, from === 'gemini' ? gemini({}) : messages({}), to).losses
  expect(converted(from, body, to).losses.filter((one) => !usual.includes(one))).toEqual(losses)
})

test('tools that come as an item of the input, as those of Codex may, are tools of the request', () => {
  const exec = { type: 'custom', name: 'exec', description: 'Runs it' }
  const space = { type: 'namespace', name: 'functions', description: 'd', tools: [exec] }
  const look = (description: string) => ({ type: 'function', name: 'look', description, parameters: { type: 'object' } })
  const item = { type: 'additional_tools', role: 'developer', id: 'at_1', tools: [space, look('new')] }
  const body = { model: 'asked', input: [item, hello], tools: [look('old')], store: false }
  const { sent, losses } = converted('responses', body, 'chat')
  expect(sent).toMatchObject({
    messages: [hello],
    tools: [
      { type: 'function', function: { name: 'look', description: 'new' } },
      { type: 'custom', custom: { name: 'functions__exec', description: 'Runs it' } },
    ],
  })
  expect(losses).toEqual(['namespaces:dropped'])
})

test('a turn of the user of which nothing is left leaves no empty message', () => {
  const body = { model: 'asked', input: [{ type: 'configuration_update', reasoning: { effort: 'low' } }, hello] }
  expect(converted('responses', body, 'chat')).toEqual({
    sent: expect.objectContaining({ messages: [hello] }),
    losses: ['turns.native:dropped!'],
  })
  expect(converted('messages', messages({ messages: [{ role: 'user', content: '' }] }), 'chat').sent).toMatchObject({
    messages: [{ role: 'user', content: '' }],
  })
})
