import { expect, test } from 'bun:test'
import type { ModelRow } from '#shared/console/model'
import { outputHold } from './output-hold.ts'

const model = (more: Partial<ModelRow> = {}): ModelRow => ({
  id: 'm',
  operations: ['generate'],
  dialects: ['chat'],
  price: { input: '0.25', output: '2' },
  priceChangedAt: null,
  contextTokens: null,
  maxOutputTokens: null,
  capabilities: {},
  ...more,
})

test('the hold is exact and rounded up', () => {
  expect(outputHold(model(), 4_096, '1')).toBe('0.008192')
  expect(outputHold(model({ price: { output: '0.0000001' } }), 1, '0.8')).toBe('0.000000001')
  expect(outputHold(model({ price: {} }), 1, '1')).toBeUndefined()
})
