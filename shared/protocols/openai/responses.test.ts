import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ResponsesRequest } from './responses.ts'

const accepts = (fields: Record<string, unknown>) => TypeCompiler.Compile(ResponsesRequest).Check({ model: 'm', input: 'hi', ...fields })

test('the fields that Parley acts on have a type, all others are free', () => {
  expect(accepts({})).toBe(true)
  expect(accepts({ input: undefined, previous_response_id: 'resp_1', stream: null, x: [{}] })).toBe(true)
  expect(
    accepts({
      input: [
        { role: 'user', content: [{ type: 'later' }] },
        { type: 'later', x: 1 },
        { id: 'rs_1', type: null },
      ],
    }),
  ).toBe(true)
  for (const fields of [{ model: '' }, { input: 5 }, { input: ['x'] }, { stream: 'yes' }, { store: 1 }, { max_output_tokens: 0 }]) {
    expect(accepts(fields)).toBe(false)
  }
})
