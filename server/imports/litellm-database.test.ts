/** Rows as LiteLLM's database has them, made for these tests. */
import { expect, test } from 'bun:test'
import { createCipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { fromLiteLlmDatabase } from './litellm-database.ts'
import { openedValue } from './litellm-secrets.ts'
import type { LiteLlmTables } from './litellm-tables.ts'

const digest = (secret: string) => createHash('sha256').update(secret).digest('hex')
const empty = { metadata: {}, model_max_budget: {}, models: [], spend: 0 }

const tables: LiteLlmTables = {
  LiteLLM_UserTable: [
    { user_id: 'u1', user_alias: 'root', user_email: 'root@example.com', user_role: 'proxy_admin', ...empty },
    {
      user_id: 'u2',
      user_email: 'ann@example.com',
      user_role: 'internal_user',
      max_budget: 10,
      ...empty,
      spend: 2.5,
      models: ['gpt'],
      tpm_limit: '1000',
    },
  ],
  LiteLLM_TeamTable: [
    {
      ...{ team_id: 't1', team_alias: 'apps', ...empty, models: ['gpt', 'claude'], max_budget: 100, budget_duration: '30d', rpm_limit: 60 },
      members_with_roles: [
        { user_id: 'u1', role: 'admin' },
        { user_id: 'u2', role: 'user' },
        { user_id: 'gone', role: 'user' },
      ],
      metadata: { guardrails: ['pii'] },
    },
    { team_id: 't2', team_alias: 'closed', blocked: true, ...empty },
  ],
  LiteLLM_TeamMembership: [{ team_id: 't1', user_id: 'u2', spend: 1, budget_id: 'b1' }],
  LiteLLM_BudgetTable: [{ budget_id: 'b1', max_budget: 5, budget_duration: '1d', rpm_limit: 3 }],
  LiteLLM_VerificationToken: [
    {
      token: digest('sk-of-ann-1234'),
      key_alias: 'ann',
      key_name: 'sk-...1234',
      user_id: 'u2',
      ...empty,
      models: ['gpt', 'claude'],
      max_budget: 4,
      spend: 1,
    },
    {
      token: digest('sk-of-team-1234'),
      key_alias: 'ci',
      team_id: 't1',
      ...empty,
      models: ['all-team-models'],
      expires: new Date(1_900_000_000_000),
      blocked: true,
    },
    { token: digest('sk-of-closed'), key_alias: 'closed', team_id: 't2', ...empty },
    { token: 'something', key_alias: 'odd', user_id: 'u1', ...empty },
    { token: digest('sk-page'), team_id: 'litellm-dashboard', user_id: 'u1', ...empty },
    {
      token: digest('sk-odd-window'),
      key_alias: 'odd window',
      user_id: 'u1',
      ...empty,
      max_budget: 1,
      budget_duration: '45d',
      aliases: { a: 'b' },
    },
  ],
  LiteLLM_ProxyModelTable: [
    {
      model_id: '1',
      model_name: 'gpt',
      litellm_params: { model: 'openai/gpt-5', litellm_credential_name: 'house' },
      model_info: { id: '1', db_model: true },
    },
    { model_id: '2', model_name: 'claude', litellm_params: { model: 'hidden', api_key: 'hidden' } },
  ],
  LiteLLM_CredentialsTable: [{ credential_name: 'house', credential_values: { api_key: 'sk-vendor' } }],
  LiteLLM_Config: [{ param_name: 'router_settings', param_value: { fallbacks: [{ gpt: ['claude'] }] } }],
  LiteLLM_EndUserTable: [{ user_id: 'e1' }],
}
const open = (sealed: string) => (sealed === 'hidden' ? undefined : sealed)

test('clients keep their keys, teams their members and caps, what is left of budgets is what people begin with', () => {
  const { users, teams, keys } = fromLiteLlmDatabase(tables, { open, balance: '50' })
  expect(users).toEqual([
    { name: 'root', role: 'admin', balance: '50' },
    { name: 'ann@example.com', role: 'user', balance: '7.5', limits: { tpm: 1000 } },
    { name: 'litellm', role: 'user', balance: '50' },
  ])
  expect(teams).toEqual([
    {
      ...{ name: 'apps', balance: '50', budget: { monthly: '100' }, limits: { rpm: 60 }, models: ['gpt', 'claude'] },
      members: [
        { user: 'root', role: 'manager' },
        { user: 'ann@example.com', role: 'member', budget: { daily: '5' } },
        { user: 'litellm', role: 'member' },
      ],
    },
  ])
  expect(keys).toEqual([
    { name: 'ann', user: 'ann@example.com', digest: digest('sk-of-ann-1234'), models: ['gpt'], budget: { total: '3' } },
    {
      ...{ name: 'ci', user: 'litellm', team: 'apps', digest: digest('sk-of-team-1234') },
      ...{ expiresAt: '2030-03-17T17:46:40.000Z', enabled: false },
    },
    { name: 'odd window', user: 'root', digest: digest('sk-odd-window'), budget: { monthly: '1' } },
  ])
})

test('deployments of the database, with their credentials, beside those of the file', () => {
  const file = { model_list: [{ model_name: 'own', litellm_params: { model: 'openai/own', api_key: 'os.environ/KEY' } }] }
  const { channels, fallbacks, remarks } = fromLiteLlmDatabase(tables, { open, file })
  const named = `\${${'KEY'}}`
  expect(channels.map(({ keys, models }) => [keys, models])).toEqual([
    [[named], ['own']],
    [['sk-vendor'], [{ name: 'gpt', upstream: 'gpt-5' }]],
  ])
  expect(fallbacks).toEqual({ gpt: { error: ['claude'] } })
  expect(remarks).toContainEqual(expect.objectContaining({ about: 'model claude', field: 'litellm_params' }))
})

test('nothing is dropped without a remark', () => {
  const { remarks } = fromLiteLlmDatabase(tables, { open })
  const said = remarks.map(({ about, field }) => `${about}: ${field}`)
  for (const one of [
    ...['user root: user_email', 'user root: balance', 'team apps: balance', 'team apps: metadata', 'team apps: members_with_roles'],
    ...['team apps: rpm_limit', 'team closed: blocked', 'key closed: team_id', 'key odd: token', 'key ci: user_id', 'keys: team_id'],
    ...['key odd window: budget_duration', 'key odd window: aliases', 'LiteLLM_EndUserTable: rows'],
  ])
    expect(said).toContain(one)
  expect(JSON.stringify(remarks)).not.toMatch(/sk-vendor/)
})

test('what was sealed in any of its three forms is opened with the salt key, and with no other', () => {
  const salt = 'sk-salt'
  const key = createHash('sha256').update(salt).digest()
  const nonce = randomBytes(24)
  const box = Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(Buffer.from('boxed'))])
  const gcm = (text: string, key: Uint8Array) => {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }
  const derived = new Uint8Array(hkdfSync('sha256', salt, '', 'litellm-at-rest-v3', 32))
  const sealed = [box.toString('base64url'), `v2:gcm:${gcm('second', key)}`, `v3:gcm:${gcm('third', derived)}`]
  expect(sealed.map((one) => openedValue(one, salt))).toEqual(['boxed', 'second', 'third'])
  expect(sealed.map((one) => openedValue(one, 'sk-other'))).toEqual([undefined, undefined, undefined])
  // Of PyNaCl, which LiteLLM uses.
  const another = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXE_R_QyUKIpdCAhCghAVWbyShCb5e4WtDQxD_5VWzzia-FQ=='
  expect(openedValue(another, salt)).toBe('of another library')
  expect([openedValue('', salt), openedValue('plain text', salt)]).toEqual([undefined, undefined])
})
