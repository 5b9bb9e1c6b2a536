import { describe, expect, test } from 'bun:test'
import { inForce, longestWindow, windowAt } from './plan-windows.ts'

const window = (every: string, from: string, now: string) => {
  const { from: begin, until } = windowAt(every, new Date(from), Date.parse(now))
  return [begin.toISOString(), until.toISOString()]
}

describe('windows of a plan', () => {
  test('follow each other from the moment the plan began, to the millisecond', () => {
    const from = '2026-11-21T13:45:07.123Z'
    expect(window('5h', from, from)).toEqual([from, '2026-11-21T18:45:07.123Z'])
    expect(window('5h', from, '2026-11-21T18:45:07.122Z')[0]).toBe(from)
    expect(window('5h', from, '2026-11-21T18:45:07.123Z')).toEqual(['2026-11-21T18:45:07.123Z', '2026-11-21T23:45:07.123Z'])
    expect(window('1w', from, '2026-12-24T00:00:00.000Z')).toEqual(['2026-12-19T13:45:07.123Z', '2026-12-26T13:45:07.123Z'])
    expect(window('30d', from, '2026-12-21T13:45:07.122Z')[0]).toBe(from)
  })

  test('months are those of the calendar, and shorter ones end on their last day', () => {
    const from = '2026-01-31T10:00:00.000Z'
    expect(window('1mo', from, '2026-02-28T09:59:59.999Z')).toEqual([from, '2026-02-28T10:00:00.000Z'])
    expect(window('1mo', from, '2026-02-28T10:00:00.000Z')).toEqual(['2026-02-28T10:00:00.000Z', '2026-03-31T10:00:00.000Z'])
    expect(window('1mo', from, '2026-03-31T09:00:00.000Z')[0]).toBe('2026-02-28T10:00:00.000Z')
  })

  test('months follow each other without a gap or an overlap for years', () => {
    for (const day of ['2024-02-29', '2026-01-30', '2026-05-31', '2026-06-15']) {
      const from = `${day}T23:59:59.999Z`
      let at = from
      for (let n = 0; n < 40; n++) {
        const [begin = '', until = ''] = window('1mo', from, at)
        expect(begin).toBe(at)
        expect(window('1mo', from, new Date(Date.parse(until) - 1).toISOString())).toEqual([begin, until])
        at = until
      }
    }
  })

  test('a plan counts from its first millisecond, and no longer in its last', () => {
    const plan = { from: '2026-11-21T00:00:00.000Z', until: '2026-11-22T00:00:00.000Z' }
    const at = (text: string) => inForce(plan, Date.parse(text))
    expect([at('2026-11-20T23:59:59.999Z'), at(plan.from), at('2026-11-21T23:59:59.999Z'), at(plan.until)]).toEqual([
      ...[false, true, true, false],
    ])
  })

  test('how long a window is at most', () => {
    expect(['744h', '31d', '4w', '1mo', '2mo'].map(longestWindow)).toEqual([31, 31, 28, 31, 62])
  })
})
