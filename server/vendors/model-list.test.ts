import { expect, test } from 'bun:test'
import { vendors } from './index.ts'
import { modelList } from './model-list.ts'

test('where each layout lists its models, under whatever base URL the channel names', () => {
  expect(modelList(vendors.openai, 'https://api.openai.com/v1')).toEqual({
    url: 'https://api.openai.com/v1/models',
    headers: {},
    auth: 'bearer',
  })
  expect(modelList(vendors.openrouter, 'https://openrouter.ai')?.url).toBe('https://openrouter.ai/api/v1/models')
  expect(modelList(vendors.parley, 'http://other/v1')?.url).toBe('http://other/v1/models')
  expect(modelList(vendors.anthropic, 'https://api.anthropic.com/v1')).toEqual({
    url: 'https://api.anthropic.com/v1/models?limit=1000',
    headers: { 'anthropic-version': '2023-06-01' },
    auth: 'x-api-key',
  })
  expect(modelList(vendors.gemini, 'https://generativelanguage.googleapis.com')).toEqual({
    url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
    headers: {},
    auth: 'x-goog-api-key',
  })
})

test('vendors without one', () => {
  for (const id of ['azure-openai', 'bedrock', 'vertex', 'jina', 'demo'] as const) {
    expect([id, modelList(vendors[id], 'https://host')]).toEqual([id, undefined])
  }
})
