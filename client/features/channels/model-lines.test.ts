import { expect, test } from 'bun:test'
import { linesOf, modelsOf } from './model-lines.ts'

test('models become lines and come back with what else is known of them', () => {
  const models = ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini' }, { name: 'small', capabilities: { vision: true } }]
  expect(linesOf(models)).toBe('gpt-5\nfast=gpt-5-mini\nsmall')
  expect(modelsOf(linesOf(models), models)).toEqual(models)
  expect(modelsOf(' a \n\n b = c ')).toEqual(['a', { name: 'b', upstream: 'c' }])
})
