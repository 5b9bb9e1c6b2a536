import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ChatRequest } from './chat.ts'

const accepts = (fields: Record<string, unknown>) =>
  TypeCompiler.Compile(ChatRequest).Check({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields })

test('the fields that Parley acts on have a type, all others are free', () => {
  expect(accepts({})).toBe(true)
  expect(accepts({ stream: null, n: 2, max_tokens: null, stream_options: { include_usage: true, x: 1 }, x: [{}] })).toBe(true)
  expect(
    accepts({
      messages: [
        { role: 'user', content: [{ type: 'later', x: 1 }] },
        { role: 'assistant', content: null },
      ],
    }),
  ).toBe(true)
  for (const fields of [{ model: '' }, { messages: [] }, { stream: 'yes' }, { n: 0 }, { max_tokens: 1.5 }])
    expect(accepts(fields)).toBe(false)
})
