import { describe, expect, test } from 'bun:test'
import type { Budget } from '#shared/console/limits'
import { budgetAccounts, withLimitOf } from './budgets.ts'

const windows = (budget: Budget, at: string) =>
  budgetAccounts([{ of: 'key', id: 'k', budget }], Date.parse(at)).map(({ budget: one }) => [
    one?.span,
    one?.from?.toISOString() ?? null,
    one?.until?.toISOString() ?? null,
  ])

describe('windows of a budget', () => {
  test('UTC is the zone of a budget that names none', () => {
    expect(windows({ total: '1', daily: '1', weekly: '1', monthly: '1' }, '2026-11-21T13:45:00.123Z')).toEqual([
      ['total', null, null],
      ['month', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
      ['week', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
      ['day', '2026-11-21T00:00:00.000Z', '2026-11-22T00:00:00.000Z'],
    ])
  })

  test('the last millisecond of a day belongs to it, the next one does not', () => {
    const daily = (at: string) => windows({ daily: '1', timezone: 'Asia/Tokyo' }, at)[0]?.[1]
    expect(daily('2026-11-21T14:59:59.999Z')).toBe('2026-11-20T15:00:00.000Z')
    expect(daily('2026-11-21T15:00:00.000Z')).toBe('2026-11-21T15:00:00.000Z')
  })

  test('days that are longer and shorter than 24 hours', () => {
    const hours = (at: string) => {
      const [, from, until] = windows({ daily: '1', timezone: 'Europe/Berlin' }, at)[0] ?? []
      return (Date.parse(until ?? '') - Date.parse(from ?? '')) / 3_600_000
    }
    expect(hours('2026-03-29T12:00:00Z')).toBe(23)
    expect(hours('2026-10-25T12:00:00Z')).toBe(25)
    expect(hours('2026-10-26T12:00:00Z')).toBe(24)
  })

  test('a day that has no midnight begins when its first hour does', () => {
    // In Cairo the clock went from 00:00 to 01:00 on 2026-04-24.
    expect(windows({ daily: '1', timezone: 'Africa/Cairo' }, '2026-04-24T10:00:00Z')[0]?.[1]).toBe('2026-04-23T22:00:00.000Z')
    expect(windows({ daily: '1', timezone: 'Africa/Cairo' }, '2026-04-23T10:00:00Z')[0]?.[2]).toBe('2026-04-23T22:00:00.000Z')
  })

  test('months of every length follow each other without a gap or an overlap', () => {
    for (const timezone of ['UTC', 'America/New_York', 'Pacific/Apia', 'Asia/Kathmandu']) {
      let at = Date.parse('2026-01-15T00:00:00Z')
      for (let n = 0; n < 14; n++) {
        for (const span of ['monthly', 'weekly', 'daily'] as const) {
          const [, from, until] = windows({ [span]: '1', timezone }, new Date(at).toISOString())[0] ?? []
          const [, next] = windows({ [span]: '1', timezone }, until ?? '')[0] ?? []
          expect(Date.parse(from ?? '')).toBeLessThanOrEqual(at)
          expect(Date.parse(until ?? '')).toBeGreaterThan(at)
          expect(next).toBe(until)
        }
        at += 27 * 86_400_000 + 3_333_333
      }
    }
  })
})

test('everyone with a budget has separate accounts, in nano-dollars', () => {
  const now = Date.parse('2026-11-21T00:00:00Z')
  const accounts = budgetAccounts(
    [
      { of: 'key', id: 'k', budget: { daily: '0.5' } },
      { of: 'user', id: 'u', budget: null },
      { of: 'group', id: 'team a', budget: { total: '12.000000001' } },
    ],
    now,
  )
  expect(accounts.map(({ id, budget }) => [id, budget?.limit])).toEqual([
    ['budget:key:k:day:2026-11-21T00:00:00.000Z', 500_000_000n],
    ['budget:group:team a:total:', 12_000_000_001n],
  ])
})

describe('windows of a plan', () => {
  const plan = {
    ...{ id: 'p', name: 'pro', group: null, from: '2026-11-21T10:00:00.000Z', until: '2026-12-21T10:00:00.000Z' },
    windows: [
      { every: '5h', amount: '2' },
      { every: '1mo', amount: '30' },
    ],
  }
  const at = (now: string, budget: object = {}) => budgetAccounts([{ of: 'user', id: 'u', budget: { ...budget, plan } }], Date.parse(now))

  test('are accounts of its holder beside the budgets of its own', () => {
    expect(at('2026-11-21T16:00:00.000Z', { total: '7' }).map(({ id }) => id)).toEqual([
      'budget:user:u:total:',
      'budget:user:u:plan-5h:2026-11-21T15:00:00.000Z',
      'budget:user:u:plan-1mo:2026-11-21T10:00:00.000Z',
    ])
    const [window] = at('2026-11-21T16:00:00.000Z')
    expect(window?.budget).toMatchObject({ limit: 2_000_000_000n, of: 'user', ofId: 'u', span: 'plan-5h' })
    expect(window?.budget?.until).toEqual(new Date('2026-11-21T20:00:00.000Z'))
  })

  test('are none before the plan begins and after it has ended', () => {
    expect(at('2026-11-21T09:59:59.999Z')).toEqual([])
    expect(at('2026-12-21T09:59:59.999Z')).toHaveLength(2)
    expect(at('2026-12-21T10:00:00.000Z')).toEqual([])
  })

  test('the present limit of a window is that of the plan; without the plan it is removed', () => {
    const [window] = at('2026-11-21T16:00:00.000Z')
    if (!window) throw new Error('there is no window')
    const raised = { ...plan, windows: [{ every: '5h', amount: '3' }] }
    expect(withLimitOf({ plan: raised }, window)?.budget?.limit).toBe(3_000_000_000n)
    expect(withLimitOf({ daily: '1' }, window)).toBeUndefined()
    expect(withLimitOf(null, window)).toBeUndefined()
  })
})
