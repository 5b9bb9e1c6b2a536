/** Configs in Portkey's form, made for these tests. */
import { expect, test } from 'bun:test'
import { fromPortkey } from './portkey.ts'

const said = (remarks: readonly { about: string; field: string }[]) => remarks.map(({ about, field }) => `${about}: ${field}`)

test('a fallback becomes priorities, a load balance inside it weights', () => {
  const config = {
    strategy: { mode: 'fallback', on_status_codes: [429] },
    targets: [
      {
        strategy: { mode: 'loadbalance' },
        targets: [
          { provider: 'openai', api_key: 'sk-one', weight: 0.7, overrideParams: { model: 'gpt-4o', maxTokens: 5 } },
          { provider: 'azure-openai', virtual_key: 'az-main', weight: 0.3, retry: { attempts: 3 } },
        ],
      },
      {
        provider: 'anthropic',
        apiKey: 'sk-ant',
        override_params: { model: 'claude-sonnet-4' },
        request_timeout: 30_500,
        cache: { mode: 'simple' },
      },
    ],
  }
  const { channels, remarks } = fromPortkey(config, [])
  const azure = `\${${'AZ_MAIN_KEY'}}`
  expect(channels).toEqual([
    { name: 'openai', vendor: 'openai', keys: ['sk-one'], models: ['gpt-4o'], priority: 1, weight: 70, params: { set: { maxTokens: 5 } } },
    { name: 'azure-openai', vendor: 'azure-openai', keys: [azure], models: ['gpt-4o'], priority: 1, weight: 30 },
    {
      name: 'anthropic',
      vendor: 'anthropic',
      keys: ['sk-ant'],
      models: [{ name: 'gpt-4o', upstream: 'claude-sonnet-4' }],
      priority: 0,
      timeouts: { total: 31 },
    },
  ])
  expect(said(remarks).sort()).toEqual([
    ...['channel anthropic: cache', 'channel azure-openai: api_key', 'channel azure-openai: api_key', 'channel azure-openai: retry'],
    ...['config: model', 'config: strategy.on_status_codes', 'model gpt-4o: price'],
  ])
  expect(JSON.stringify(remarks)).not.toMatch(/sk-one|sk-ant/)
})

test('models that clients ask for, an address of one’s own, and what cannot be taken over', () => {
  const config = {
    strategy: { mode: 'conditional', conditions: [], default: 'x' },
    targets: [
      { name: 'own', provider: 'openai', custom_host: 'http://10.0.0.5:8000/v1', api_key: 'none' },
      { provider: '@team-slug', input_guardrails: [{ id: 'x' }] },
      { provider: 'nobody-knows', api_key: 'k' },
    ],
  }
  const { channels, remarks } = fromPortkey(config, ['llama', 'qwen'])
  expect(channels).toEqual([
    { name: 'own', vendor: 'openai', baseUrl: 'http://10.0.0.5:8000/v1', keys: ['none'], models: ['llama', 'qwen'] },
  ])
  for (const one of ['config: strategy', 'config: strategy.conditions', 'channel team-slug: virtual_key', 'channel nobody-knows: provider'])
    expect(said(remarks)).toContain(one)
})

test('only the first target of a single strategy; a fallback inside a load balance is reported', () => {
  const target = (provider: string) => ({ provider, api_key: 'k' })
  expect(fromPortkey({ targets: [target('openai'), target('groq')] }, ['m']).channels.map(({ name }) => name)).toEqual(['openai'])
  const nested = {
    strategy: { mode: 'loadbalance' },
    targets: [{ strategy: { mode: 'fallback' }, targets: [target('openai'), target('groq')] }, target('anthropic')],
  }
  const { channels, remarks } = fromPortkey(nested, ['m'])
  expect(channels.map(({ name, priority }) => [name, priority])).toEqual([
    ['openai', 1],
    ['groq', 0],
    ['anthropic', 1],
  ])
  expect(said(remarks)).toContain('config: targets')
})

test('another file, and one that names no model, are refused', () => {
  expect(() => fromPortkey({ models: [] }, [])).toThrow('no config of Portkey')
  expect(() => fromPortkey('text', [])).toThrow('no config of Portkey')
  expect(() => fromPortkey({ provider: 'openai', api_key: 'k' }, [])).toThrow('--models')
})
