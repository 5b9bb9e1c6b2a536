import { expect, test } from 'bun:test'
import type { ChannelRow } from '#shared/console/channel'
import { channelsJson, channelYaml } from './channel-yaml.ts'

const row: ChannelRow = {
  ...{ id: 'ch_1', createdAt: '2026-11-28T10:00:00Z', managed: 'console', name: 'openai main', vendor: 'openai-compatible' },
  baseUrl: 'https://models.example:8443/v1',
  keys: [{ id: 'k1', name: 'key 1', hint: 'sk-...4fQA', weight: 1, enabled: true }],
  speaks: ['chat', 'responses'],
  operations: ['conversation'] as never,
  groups: ['default'],
  models: ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini', capabilities: { vision: true } }, '5'],
  ...{ priority: 0, weight: 1, enabled: true, strict: false, systemPrompt: null, headers: {}, params: {}, timeouts: {}, options: {} },
  ...{ costs: {}, foreignState: 'deny', proxy: '', tls: {}, tags: [] },
}

test('defaults and secrets are left out', () => {
  expect(Bun.YAML.parse(channelYaml(row))).toEqual({
    channels: [
      {
        ...{ name: 'openai main', vendor: 'openai-compatible', baseUrl: 'https://models.example:8443/v1' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a place that Parley fills from its environment
        keys: ['${OPENAI_MAIN_KEY}'],
        speaks: ['chat', 'responses'],
        operations: ['conversation'],
        models: ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini', capabilities: { vision: true } }, '5'],
      },
    ],
  })
})

test('everything else is written, whatever it contains', () => {
  const hint = 'sk-...'
  const full: ChannelRow = {
    ...row,
    keys: [
      { id: 'k1', name: 'main-1', hint, weight: 3, enabled: true },
      { id: 'k2', name: 'spare', hint, weight: 1, enabled: true },
      { id: 'k3', name: 'off', hint, weight: 1, enabled: false },
    ],
    ...{ groups: ['vip', 'yes'], priority: -5, weight: 0, enabled: false, strict: true, tags: ['eu', '#1: a'] },
    systemPrompt: 'Say "no".\n  Then: {stop}\n',
    headers: { 'X-Team': 'a: b # c' },
    params: { set: { temperature: 0.5, stop: ['\n', 'true'], nested: { a: [1, { b: null, c: [], d: {} }] } }, remove: ['top_p'] },
    timeouts: { connect: 2.5 },
    options: { region: 'eu-west-1' },
    costs: { 'gpt-5': { input: '1.10' } },
    ...{ foreignState: 'allow', proxy: 'socks5://127.0.0.1:1080' },
  }
  const { id, createdAt, managed, keys, tls, baseUrl, ...said } = full
  const [entry] = (Bun.YAML.parse(channelYaml(full)) as { channels: Record<string, unknown>[] }).channels
  expect(entry).toEqual({
    ...said,
    baseUrl,
    keys: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a place that Parley fills from its environment
      { key: '${OPENAI_MAIN_MAIN_1_KEY}', name: 'main-1', weight: 3 },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
      { key: '${OPENAI_MAIN_SPARE_KEY}', name: 'spare' },
    ],
  } as never)
})

test('as JSON neither keys nor hints of other secrets are in it', () => {
  const secret: ChannelRow = { ...row, headers: { 'x-team': 'apps', 'x-api-key': 'hidden ...wxyz' }, priority: 3 }
  expect(JSON.parse(channelsJson([row, secret])).channels).toEqual([
    expect.not.objectContaining({ keys: expect.anything() }),
    expect.objectContaining({ name: 'openai main', priority: 3, headers: { 'x-team': 'apps' } }),
  ])
  expect(channelsJson([secret])).not.toContain('hidden')
})
