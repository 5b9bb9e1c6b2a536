import { expect, test } from 'bun:test'
import { changedFields, findEntry, movedDecimal, providersOf, readCatalogue } from './catalogue-file.ts'

test('amounts are moved by places in their text', () => {
  expect(movedDecimal('1.25e-06', 6)).toBe('1.25')
  expect(movedDecimal('3e-7', 6)).toBe('0.3')
  expect(movedDecimal('7.5e-8', 6)).toBe('0.075')
  expect(movedDecimal('0.000015', 6)).toBe('15')
  expect(movedDecimal('12', 6)).toBe('12000000')
  expect(movedDecimal('0', 6)).toBe('0')
  expect(movedDecimal('0.04', 0)).toBe('0.04')
  expect(movedDecimal('1.10', 0)).toBe('1.1')
  expect(movedDecimal('-1', 0)).toBeUndefined()
  expect(movedDecimal('1e-12', 0)).toBeUndefined()
})

test("models.dev's form is read", () => {
  const file = {
    openai: { id: 'openai', models: { 'gpt-5': { id: 'gpt-5', cost: { input: 1.25, output: 10, cache_read: 0.125 } }, free: {} } },
  }
  expect(readCatalogue(JSON.stringify(file))).toEqual([
    { provider: 'openai', model: 'gpt-5', price: { input: '1.25', output: '10', cacheRead: '0.125' } },
  ])
})

test("LiteLLM's form is read, its sample left out", () => {
  const file = `{"sample_spec": {"input_cost_per_token": 0.0, "litellm_provider": "one of ..."},
    "gemini/gemini-3": {"input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05, "litellm_provider": "gemini"}}`
  expect(readCatalogue(file)).toEqual([{ provider: 'gemini', model: 'gemini-3', price: { input: '1.25', output: '10' } }])
})

test('what is no catalogue is refused', () => {
  for (const text of ['', '[]', '{"a": 1}', 'words']) expect(readCatalogue(text)).toBeUndefined()
})

test("the channel's own provider goes first", () => {
  const entries = ['resold', 'google'].map((provider) => ({ provider, model: 'm', price: {} }))
  expect(findEntry(entries, 'm', providersOf('gemini'))?.provider).toBe('google')
  expect(findEntry(entries, 'm', providersOf('openai'))?.provider).toBe('resold')
  expect(findEntry(entries, 'other', [])).toBeUndefined()
})

test('equal amounts are no change, however they are written', () => {
  expect(changedFields({ input: '1.250', output: '10' }, { input: '1.25', output: '12', cacheRead: '0.1' })).toEqual([
    { field: 'output', from: '10', to: '12' },
    { field: 'cacheRead', from: undefined, to: '0.1' },
  ])
})
