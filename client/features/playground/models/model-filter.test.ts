import { expect, test } from 'bun:test'
import { filterModels } from './model-filter.ts'

test('models are found by words of their name and by ability', () => {
  const row = (id: string, capabilities = {}) => ({
    id,
    operations: [],
    dialects: [],
    price: {},
    priceChangedAt: null,
    contextTokens: null,
    maxOutputTokens: null,
    capabilities,
  })
  const rows = [row('gpt-5', { tools: true }), row('gpt-5-mini', { tools: false }), row('other')]
  expect(filterModels(rows, 'GPT 5', new Set()).map((one) => one.id)).toEqual(['gpt-5', 'gpt-5-mini'])
  expect(filterModels(rows, '', new Set(['tools'] as const)).map((one) => one.id)).toEqual(['gpt-5'])
})
