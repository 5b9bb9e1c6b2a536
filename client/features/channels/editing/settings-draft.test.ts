import { expect, test } from 'bun:test'
import type { ChannelRow } from '#shared/console/channel'
import { changedFields, patchFor, patchOf, settingsOf } from './settings-draft.ts'

const row: ChannelRow = {
  ...{ id: 'ch_1', name: 'main', createdAt: '', managed: 'console', vendor: 'openai', baseUrl: 'https://api.openai.com/v1', models: ['m'] },
  keys: [{ id: 'k', name: 'key 1', hint: 'sk-...Ab3d', weight: 1, enabled: true }],
  ...{ speaks: ['chat', 'responses'], operations: ['generate'], groups: ['default'], priority: 3, weight: 0, enabled: true, strict: true },
  systemPrompt: null,
  headers: { 'x-team': 'apps', 'x-api-key': 'hidden ...wxyz' },
  params: { set: { top_k: 40, mode: 'fast', version: '1', deep: { a: [true] }, empty: '' }, remove: ['logit_bias', 'seed'] },
  timeouts: { connect: 2.5, total: 600 },
  options: { region: 'eu' },
  costs: { m: { input: '1', tiers: [{ above: 200_000, input: '2' }] } },
  ...{ foreignState: 'allow', proxy: 'direct', tls: { ca: 'PEM' }, tags: ['eu', 'a b'] },
}

test('unchanged values are sent as they were', () => {
  const { id: _, createdAt, managed, vendor, models, enabled, keys, baseUrl, systemPrompt, ...same } = row
  expect(patchOf(settingsOf(row))).toEqual({ ...same, ...(baseUrl !== null && { baseUrl }), systemPrompt: '' })
})

test('only changed fields are sent, each with what belongs to it', () => {
  const before = settingsOf(row)
  const after = {
    ...before,
    connect: '',
    remove: 'seed',
    set: [{ name: 'a', value: '"1"' }, ...before.set.slice(0, 1)],
    foreignState: false,
  }
  const changed = changedFields(before, after)
  expect(changed).toEqual(['set', 'remove', 'connect', 'foreignState'])
  expect(patchFor(after, changed)).toEqual({
    params: { set: { a: '1', top_k: 40 }, remove: ['seed'] },
    timeouts: { total: 600 },
    foreignState: 'deny',
  })
})

test('new keys are added unless they replace the others; the choice is ignored without new keys', () => {
  const before = settingsOf(row)
  const sent = (part: Partial<typeof before>) => patchFor({ ...before, ...part }, changedFields(before, { ...before, ...part }))
  expect(sent({ keys: ' sk-a\nsk-b ' })).toEqual({ addKeys: ['sk-a', 'sk-b'] })
  expect(sent({ keys: 'sk-a', replaceKeys: true })).toEqual({ keys: ['sk-a'] })
  expect(sent({ replaceKeys: true })).toEqual({})
})

test('malformed JSON is reported by the name of its field', () => {
  const form = settingsOf(row)
  expect(() => patchOf({ ...form, set: [{ name: 'a', value: '{"b":' }] })).toThrow(new SyntaxError('set'))
  expect(() => patchOf({ ...form, costs: '{' })).toThrow(new SyntaxError('costs'))
})
