import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { CompletionsRequest } from './completions.ts'

const accepts = (fields: Record<string, unknown>) => TypeCompiler.Compile(CompletionsRequest).Check({ model: 'm', ...fields })

test('the fields that Parley acts on have a type, all others are free', () => {
  for (const prompt of ['x', ['x', 'y'], [1, 2], [[1], [2, 3]], null, undefined])
    expect({ prompt, ok: accepts({ prompt }) }).toEqual({ prompt, ok: true })
  expect(accepts({ max_tokens: 0, n: null, best_of: 2, suffix: 'x', x: [{}] })).toBe(true)
  for (const fields of [
    { model: '' },
    { prompt: 5 },
    { prompt: [] },
    { prompt: [[]] },
    { prompt: ['x', 1] },
    { stream: 'yes' },
    { max_tokens: -1 },
  ]) {
    expect({ fields, ok: accepts(fields) }).toEqual({ fields, ok: false })
  }
})
