import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { GenerateContentRequest } from './generate-content.ts'

const accepts = (fields: Record<string, unknown>) =>
  TypeCompiler.Compile(GenerateContentRequest).Check({ contents: [{ parts: [{ text: 'hi' }] }], ...fields })

test('the fields that Parley acts on have a type, all others are free', () => {
  expect(accepts({})).toBe(true)
  expect(accepts({ generationConfig: { maxOutputTokens: '100', topK: 1 }, later: [{}], tools: [{ googleSearch: {} }] })).toBe(true)
  for (const fields of [{ contents: [] }, { contents: 'hi' }, { generationConfig: { maxOutputTokens: 0 } }, { cachedContent: 5 }]) {
    expect(accepts(fields)).toBe(false)
  }
})
