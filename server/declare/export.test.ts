// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how the file names a variable

import { describe, expect, test } from 'bun:test'
import type { ChannelRow } from '#shared/console/channel'
import type { KeyRow } from '#shared/console/key'
import type { TeamRow } from '#shared/console/team'
import type { AccountRow } from '#shared/console/user'
import { type Declaration, readDeclaration } from './declaration.ts'
import { exportText, type MadeRows } from './export.ts'

const nothing: MadeRows = {
  ...{ groups: [], channels: [], prices: [], plans: [], held: new Map(), users: [], teams: [], keys: [], fallbacks: {}, routing: {} },
}
const vendor = {
  baseUrl: 'https://api.openai.com/v1',
  speaks: ['chat', 'responses'],
  operations: ['generate'],
} satisfies Partial<ChannelRow>
const channel: ChannelRow = {
  ...{ id: 'ch_1', name: 'openai-main', vendor: 'openai', createdAt: '', managed: 'console', ...vendor },
  keys: [
    { id: 'a', name: 'key 1', hint: 'sk-...Ab3d', weight: 1, enabled: true },
    { id: 'b', name: 'second', hint: '...', weight: 1, enabled: true },
  ],
  models: ['gpt-5', { name: 'fast', upstream: 'gpt-5-mini' }],
  ...{ groups: ['default'], priority: 0, weight: 1, enabled: true, strict: false, systemPrompt: null, headers: {}, params: {} },
  ...{ timeouts: {}, options: {}, costs: {}, foreignState: 'deny', proxy: '', tls: {}, tags: [] },
}
const group = { name: 'vip', description: '', ratio: '1', usable: true, enabled: true, managed: 'console', logBodies: false } as const
const user: AccountRow = {
  ...{ id: 'u_1', name: 'Ann', role: 'user', group: 'default', groups: ['default'], balance: '3', held: '0', createdAt: '' },
  ...{
    enabled: true,
    lastSeenAt: null,
    signsIn: false,
    secondFactor: false,
    managed: 'console',
    managementKeys: 0,
    budget: null,
    limits: null,
  },
}
const key: KeyRow = {
  ...{
    id: 'k_1',
    name: 'ci',
    user: { id: 'u_1', name: 'Ann' },
    team: null,
    note: 'n',
    createdAt: '',
    group: null,
    models: null,
    expiresAt: null,
  },
  ...{
    enabled: true,
    strict: false,
    logBodies: false,
    addresses: null,
    budget: null,
    limits: null,
    hint: 'sk-...1234',
    managed: 'console',
  },
  ...{ lastUsedAt: null, lastUsedFrom: null, previousUntil: null },
}

const team: TeamRow = {
  ...{ id: 'team_1', name: 'apps', group: 'default', groups: ['default'], models: null, claim: null, budget: null, limits: null },
  ...{ enabled: true, managed: 'console', createdAt: '', balance: '5', held: '0', members: 2, role: null },
}

/** The file read again, with the value of each of its variables made from the name. */
function again(made: MadeRows): Omit<Declaration, 'refusal'> {
  const text = exportText(made, () => vendor)
  const env = Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, `sk-of-${name}`]))
  const { refusal: _, ...declared } = readDeclaration(text, env)
  return declared
}

describe('what the console made, as a file', () => {
  test('rows as nobody changed them are their names, and are read again', () => {
    expect(
      again({
        ...nothing,
        groups: [{ ...group, budget: null, limits: null, fallbacks: {} }],
        channels: [channel],
        users: [user],
        keys: [key],
      }),
    ).toEqual({
      groups: [{ name: 'vip', fields: {} }],
      channels: [
        {
          ...{ name: 'openai-main', vendor: 'openai', models: channel.models },
          keys: ['sk-of-OPENAI_MAIN_KEY', { key: 'sk-of-OPENAI_MAIN_KEY_2', name: 'second' }],
        },
      ],
      prices: [],
      plans: [],
      users: [{ name: 'Ann' }],
      teams: [],
      keys: [{ name: 'ci', user: 'Ann', key: 'sk-of-ANN_CI_KEY' }],
      fallbacks: {},
      routing: {},
    })
  })

  test('keys of the same name get a number, since the file knows them by their names', () => {
    const named = (id: string, name: string) => ({ ...key, id, name })
    const made = { ...nothing, users: [user], keys: [named('a', 'ci'), named('b', 'ci 2'), named('c', 'ci'), named('d', 'ci')] }
    expect(again(made).keys.map(({ name }) => name)).toEqual(['ci', 'ci 2', 'ci 3', 'ci 4'])
  })

  test('what differs from the default stands there, and amounts keep every digit', () => {
    const made: MadeRows = {
      groups: [
        {
          ...{ ...group, description: 'First: served', ratio: '0.800000', enabled: false, logBodies: 'errors', limits: { rpm: 60 } },
          ...{ budget: { daily: '0.000000001' }, fallbacks: { 'gpt-5': { error: ['fast'] } } },
        },
      ],
      channels: [
        { ...channel, keys: [], groups: ['vip'], priority: 3, weight: 0, speaks: ['chat'], systemPrompt: 'Be brief.\nVery.', tags: ['eu'] },
      ],
      plans: [
        { id: 'p_1', name: 'pro', group: 'vip', windows: [{ every: '5h', amount: '2' }], enabled: true, managed: 'console', createdAt: '' },
        { id: 'p_2', name: 'old', group: null, windows: [], enabled: false, managed: 'console', createdAt: '' },
        { id: 'p_3', name: 'of the file', group: null, windows: [], enabled: true, managed: 'file', createdAt: '' },
      ],
      held: new Map([
        ['u_1', { name: 'old', until: '2030-01-01T00:00:00.000Z' }],
        ['team_1', { name: 'pro', until: '2030-01-01T00:00:00.000Z' }],
      ]),
      prices: [{ model: 'gpt-5', managed: 'console', input: '1.25', output: '10', tiers: [{ above: 200_000, input: '2.5' }] }],
      users: [{ ...user, role: 'admin', signsIn: true, groups: ['default', 'vip'], budget: { monthly: '50' } }],
      teams: [
        {
          row: { ...team, models: ['gpt-*'], budget: { monthly: '400' } },
          members: [
            { id: 'u_1', name: 'Ann', role: 'manager', budget: { daily: '0.5' }, spent: '1', createdAt: '' },
            { id: 'u_gone', name: 'Off', role: 'member', budget: null, spent: '0', createdAt: '' },
          ],
        },
      ],
      keys: [
        {
          ...key,
          team: { id: 'team_1', name: 'apps' },
          group: 'vip',
          models: ['gpt-*'],
          addresses: ['10.0.0.0/8'],
          enabled: false,
          logBodies: 0.1,
          strict: true,
        },
      ],
      fallbacks: { 'gpt-5': { context: ['fast'] } },
      routing: { balancing: 'cheapest' },
    }
    const { name, ...fields } = made.groups[0] as (typeof made.groups)[number]
    const { description, ratio, enabled, logBodies, limits, budget, fallbacks } = fields
    expect(again(made)).toEqual({
      groups: [{ name, fields: { description, ratio, enabled, logBodies, limits: limits ?? {}, budget: budget ?? {}, fallbacks } }],
      channels: [
        {
          ...{ name: 'openai-main', vendor: 'openai', models: channel.models, speaks: ['chat'], groups: ['vip'], priority: 3, weight: 0 },
          ...{ systemPrompt: 'Be brief.\nVery.', tags: ['eu'] },
        },
      ],
      plans: [{ name: 'pro', group: 'vip', windows: [{ every: '5h', amount: '2' }] }],
      prices: [{ model: 'gpt-5', fields: { input: '1.25', output: '10', tiers: [{ above: 200_000, input: '2.5' }] } }],
      users: [{ name: 'Ann', role: 'admin', password: 'sk-of-ANN_PASSWORD', groups: ['default', 'vip'], budget: { monthly: '50' } }],
      teams: [
        {
          ...{ name: 'apps', models: ['gpt-*'], budget: { monthly: '400' } },
          members: [{ user: 'Ann', role: 'manager', budget: { daily: '0.5' } }],
          plan: { name: 'pro', until: '2030-01-01T00:00:00.000Z' },
        },
      ],
      keys: [
        {
          ...{ name: 'ci', user: 'Ann', team: 'apps', key: 'sk-of-ANN_CI_KEY', group: 'vip', models: ['gpt-*'], addresses: ['10.0.0.0/8'] },
          ...{ enabled: false, logBodies: 0.1, strict: true },
        },
      ],
      fallbacks: { 'gpt-5': { context: ['fast'] } },
      routing: { balancing: 'cheapest' },
    })
  })

  test('hidden secrets, and texts that would be read as a variable, become variables', () => {
    const made = {
      ...channel,
      keys: [],
      baseUrl: 'https://proxy.example/v1?key=hidden+...wxyz',
      headers: { 'x-portkey-api-key': 'hidden sk-...Ab3d', 'x-plain': 'hidden gem' },
      systemPrompt: 'Costs ${amount}',
    }
    const text = exportText({ ...nothing, channels: [made] }, () => vendor)
    expect(text).not.toMatch(/wxyz|Ab3d|amount/)
    expect(text).toContain('#   OPENAI_MAIN_HEADERS_X_PORTKEY_API_KEY\n')
    expect(text).toContain('baseUrl: ${OPENAI_MAIN_BASEURL}\n')
    expect(text).toContain('x-plain: hidden gem\n')
    expect(text).toContain('systemPrompt: ${OPENAI_MAIN_SYSTEMPROMPT}\n')
  })

  test('rows of the file, rows that are switched off and keys of nobody are left out; nothing is an empty file', () => {
    const text = exportText(
      {
        ...nothing,
        channels: [{ ...channel, managed: 'file' }],
        users: [{ ...user, enabled: false }],
        keys: [key],
      },
      () => vendor,
    )
    expect(text).toBe('# What the console of Parley holds. Balances are not in it.\n\n{}\n')
    expect(readDeclaration(text, {}).channels).toEqual([])
  })
})
