/** Rows as new-api and one-api keep them, made for these tests. */
import { expect, test } from 'bun:test'
import { fromNewApi, type Tables, usdOf } from './new-api.ts'

const key = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL'
const tables = (fields: Partial<Tables> = {}): Tables => ({
  users: [
    { id: 1, username: 'root', password: '$2a$10$x', role: 100, status: 1, quota: 100_000_000, group: 'default', email: 'a@b.c' },
    { id: 2, username: 'ann', role: 1, status: 1, quota: 1, group: 'vip', github_id: 'ann-hub' },
    { id: 3, username: 'gone', role: 1, status: 2, quota: 5, group: 'default' },
  ],
  tokens: [
    { id: 1, user_id: 2, key, name: 'ci', status: 1, expired_time: -1, unlimited_quota: 1, remain_quota: 0, group: '' },
    {
      id: 2,
      user_id: 2,
      key: `${key}2`,
      name: 'tight',
      status: 1,
      expired_time: 1_900_000_000,
      unlimited_quota: 0,
      remain_quota: 250_000,
      model_limits_enabled: 1,
      model_limits: 'gpt-4o,o1',
      allow_ips: '10.0.0.1\n192.168.0.0/16',
      group: 'default',
    },
    { id: 3, user_id: 3, key: `${key}3`, name: 'of nobody', status: 1 },
    { id: 4, user_id: 1, key: 'short', name: 'odd', status: 1 },
  ],
  channels: [
    {
      id: 1,
      type: 1,
      key: 'sk-a\nsk-b\n',
      name: 'main',
      status: 1,
      models: 'gpt-4o,o1',
      group: 'default,vip',
      priority: 5,
      weight: 0,
      model_mapping: '{"o1":"o1-2024"}',
    },
    { id: 2, type: 43, key: 'sk-d', name: 'main', status: 2, models: 'deepseek-chat', group: 'default', setting: '{"proxy":"x"}' },
    { id: 3, type: 36, key: 'x', name: 'suno', status: 1, models: 'suno', group: 'default' },
  ],
  options: [
    { key: 'ModelRatio', value: '{"gpt-4o":1.25,"o1":7.5}' },
    { key: 'CompletionRatio', value: '{"gpt-4o":4}' },
    { key: 'GroupRatio', value: '{"default":1,"vip":0.8}' },
    { key: 'CacheRatio', value: '{"gpt-4o":0.5}' },
    { key: 'SMTPToken', value: 'hush' },
  ],
  ...fields,
})

test('clients keep their keys, people their balances, groups their ratios', () => {
  const { users, keys, groups } = fromNewApi(tables(), 'new-api')
  expect(users).toEqual([
    { name: 'root', role: 'admin', group: 'default', balance: '200' },
    { name: 'ann', role: 'user', group: 'vip', balance: '0.000002', groups: ['vip', 'default'] },
  ])
  expect(keys).toEqual([
    { name: 'ci', user: 'ann', key: `sk-${key}` },
    {
      name: 'tight',
      user: 'ann',
      key: `sk-${key}2`,
      group: 'default',
      models: ['gpt-4o', 'o1'],
      expiresAt: '2030-03-17T17:46:40.000Z',
      budget: { total: '0.5' },
      addresses: ['10.0.0.1', '192.168.0.0/16'],
    },
  ])
  expect(groups).toEqual({ default: { ratio: '1' }, vip: { ratio: '0.8' } })
})

test('channels with their keys, mappings and ranks; prices from ratios', () => {
  const { channels, prices } = fromNewApi(tables(), 'new-api')
  expect(channels).toEqual([
    {
      name: 'main',
      vendor: 'openai',
      models: ['gpt-4o', { name: 'o1', upstream: 'o1-2024' }],
      groups: ['default', 'vip'],
      keys: ['sk-a', 'sk-b'],
      priority: 5,
    },
    { name: 'main 2', vendor: 'deepseek', models: ['deepseek-chat'], groups: ['default'], keys: ['sk-d'], enabled: false },
  ])
  expect(prices).toEqual({
    'gpt-4o': { input: '2.5', output: '10', cacheRead: '1.25' },
    o1: { input: '15', output: '15' },
  })
})

test('nothing is dropped without a remark', () => {
  const { remarks } = fromNewApi(tables(), 'new-api')
  expect(remarks.map(({ about, field }) => `${about}: ${field}`).sort()).toEqual(
    [
      'channel main 2: setting',
      'channel suno: type',
      'model deepseek-chat: ModelRatio',
      'model o1: CompletionRatio',
      'option SMTPToken: value',
      'token odd: key',
      'token of nobody: user_id',
      'user ann: github_id',
      'user gone: status',
      'user root: email',
      'user root: password',
    ].sort(),
  )
  expect(JSON.stringify(remarks)).not.toMatch(/hush|sk-a|2a\$10/)
})

test('one-api numbers its types in its own way', () => {
  const channels = [{ id: 1, type: 36, key: 'k', name: 'd', status: 1, models: 'deepseek-chat', group: 'default' }]
  expect(fromNewApi(tables({ channels }), 'one-api').channels[0]?.vendor).toBe('deepseek')
})

test('units of quota are exact', () => {
  expect([usdOf(1), usdOf(500_000), usdOf(-250_000), usdOf(123_456_789), usdOf(0)]).toEqual(['0.000002', '1', '-0.5', '246.913578', '0'])
})
