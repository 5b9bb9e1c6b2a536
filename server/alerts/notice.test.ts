/** Who is notified of what, and deduplication. */
import { describe, expect, test } from 'bun:test'
import type { BudgetState } from '#shared/console/overview'
import { ofBackup, ofBalances, ofBodies, ofBreakers, ofBudgets, ofJournal, ofKeySpend, ofMargins, ofTest, ofUnpriced } from './notice.ts'

const links = { publicUrl: 'https://ai.example.com' }
const noon = Date.UTC(2026, 4, 5, 12)
const day = 86_400_000

describe('budgets', () => {
  const state = (share: number, fields: Partial<BudgetState> = {}): BudgetState => {
    return { of: 'key', id: 'k1', name: 'ci', window: 'daily', limit: '10', left: String(10 * (1 - share)), share, ...fields }
  }
  const told = (share: number, now = noon, fields: Partial<BudgetState> = {}) => ofBudgets([state(share, fields)], now, links)

  test('at 50, 80 and 100 percent', () => {
    expect([0.49, 0.5, 0.79, 0.8, 0.999, 1, 1.2].map((share) => told(share)[0]?.data.facts.percent)).toEqual([
      undefined,
      '50',
      '50',
      '80',
      '80',
      '100',
      '100',
    ])
  })

  test('once for each threshold and window', () => {
    const once = (share: number, now = noon, fields: Partial<BudgetState> = {}) => told(share, now, fields)[0]?.once
    expect(once(0.81)).toBe(once(0.95) ?? '')
    expect(once(0.81)).not.toBe(once(1) ?? '')
    expect(once(1)).toBe(once(1, noon + day / 3) ?? '')
    expect(once(1)).not.toBe(once(1, noon + day) ?? '')
    for (const window of ['weekly', 'monthly', 'total'] as const)
      expect([window, once(1, noon, { window })]).toEqual([window, once(1, noon + day, { window })])
    expect(once(1, noon, { window: 'weekly' })).not.toBe(once(1, noon + 7 * day, { window: 'weekly' }) ?? '')
    // A raised budget begins anew.
    expect(once(0.6, noon, { limit: '20' })).not.toBe(once(0.6) ?? '')
  })
})

test('a balance below what a day spends, and an empty one again', () => {
  const told = (balance: string, spent: string) => ofBalances([{ id: 'u', name: 'ann', balance, spent }], noon, links)[0]?.once
  expect(told('5', '4')).toBeUndefined()
  expect(told('5', '0')).toBeUndefined()
  expect(told('3', '4')).toBeDefined()
  expect(told('0', '4')).not.toBe(told('3', '4') ?? '')
})

test('a breaker that has been open for five minutes', () => {
  const breaker = { channel: { id: 'c', name: 'main' }, key: null, model: 'gpt', cause: 'upstream_error' }
  const told = (forMs: number) => ofBreakers([{ ...breaker, forMs }], noon, links)
  expect(told(299_999)).toEqual([])
  expect(told(300_000)[0]?.data.text).toBe('The channel main has been resting for five minutes for gpt: upstream_error.')
})

test('a key that spends five times its usual, unless it is pennies or has no past', () => {
  const told = (spent: number, usual: number) => ofKeySpend([{ id: 'k', name: 'ci', spent, usual }], noon, links)
  expect([told(4.9, 1), told(0.9, 0.01), told(100, 0)]).toEqual([[], [], []])
  expect(told(5, 1)[0]?.data).toMatchObject({
    text: 'The key ci spent 5.00 USD in ten minutes, 5 times its usual.',
    facts: { pause: 'PATCH /api/keys/k {"enabled":false}' },
  })
})

test('a margin below zero, a journal above half', () => {
  const row = { model: 'gpt', margin: '-1.5' } as Parameters<typeof ofMargins>[0][number]
  expect(ofMargins([row, { ...row, margin: '0.1' }], noon, links).map(({ data }) => data.text)).toEqual([
    'gpt cost 1.5 USD more today than it earned.',
  ])
  expect(ofJournal('i', 0.49, noon, links)).toEqual([])
  expect(ofJournal('i', 0.5, noon, links)).toHaveLength(1)
})

test('kept requests that cannot be stored: once an hour for each cause, and nothing while all is well', () => {
  expect(ofBodies('i', undefined, noon, links)).toEqual([])
  const [told] = ofBodies('i', 'ENOSPC', noon, links)
  expect(told).toMatchObject({
    kind: 'bodies',
    data: { text: 'An instance cannot store kept requests: ENOSPC. Requests are not affected.' },
  })
  const others = [ofBodies('i', 'EROFS', noon, links), ofBodies('i', 'ENOSPC', noon + 3_600_000, links)].flat()
  expect(new Set([told, ...others].map((notice) => notice?.once)).size).toBe(3)
})

test('a backup that is overdue: once a day', () => {
  expect(ofBackup('i', noon - 40 * 3_600_000, noon, links)[0]?.data).toMatchObject({
    text: 'The last backup was made 40 hours ago: a new one is overdue.',
    facts: { hours: '40' },
  })
  const told = [0, 3_600_000, 86_400_000].flatMap((later) => ofBackup('i', undefined, noon + later, links))
  expect([told[0]?.data.text, new Set(told.map(({ once }) => once)).size]).toEqual([
    'No backup could be made, and there is no earlier one.',
    2,
  ])
})

test('every link leads to the page of its subject', () => {
  const budget = { window: 'daily', limit: '1', left: '0', share: 1 } as const
  const of = (of: BudgetState['of'], id: string) => ofBudgets([{ ...budget, of, id, name: id }], noon, links)
  const channel = { id: 'ch_1', name: 'main' }
  const told = [
    ...[of('key', 'key_1'), of('user', 'usr_1'), of('group', 'a b'), of('team', 'team_1'), of('member', 'team_1.usr_1')],
    ofBalances([{ id: 'usr_1', name: 'ann', balance: '0', spent: '1' }], noon, links),
    ofBalances([{ id: 'team_1', name: 'apps', balance: '0', spent: '1' }], noon, links, 'team'),
    ofBreakers([{ channel, key: null, model: null, cause: 'upstream_error', forMs: 300_000 }], noon, links),
    [ofTest(channel, { code: 'upstream_error', message: 'no' }, noon, links)],
    ofUnpriced(['openai/gpt'], noon, links),
    ofKeySpend([{ id: 'key_1', name: 'ci', spent: 5, usual: 1 }], noon, links),
  ]
  expect(told.flat().map(({ data }) => data.link?.replace(links.publicUrl, ''))).toEqual([
    ...['/keys/key_1', '/admin/users/usr_1', '/admin/groups?open=a%20b', '/admin/teams?open=team_1', '/admin/teams?open=team_1'],
    ...['/admin/users/usr_1', '/admin/teams?open=team_1', '/admin/channels/ch_1', '/admin/channels/ch_1'],
    ...['/admin/prices?open=openai%2Fgpt', '/keys/key_1'],
  ])
})
