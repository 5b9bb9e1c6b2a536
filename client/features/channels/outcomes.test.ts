import { expect, test } from 'bun:test'
import type { ChannelRow, HealthRow } from '#shared/console/channel'
import { outcomeLines } from './outcomes.ts'

const channel = {
  keys: [
    { id: '1', name: 'main', hint: '', enabled: true },
    { id: '2', name: 'spare', hint: '', enabled: false },
  ],
} as ChannelRow
const met = (key: string, model: string, attempts: number, failed: number) => ({ key, model, slices: [{ attempts, failed }] })

test('what rests comes first, then what fails most; a key that rests rests for all models', () => {
  const rests: HealthRow[] = [{ key: 'main', model: 'b', state: 'open', cause: 'upstream_error', retryInMs: 1 }]
  const lines = outcomeLines(channel, [met('main', 'a', 4, 0), met('spare', 'a', 4, 1), met('main', 'b', 9, 0)], rests)
  expect(lines.map(({ key, model, off }) => [key, model, off])).toEqual([
    ['main', 'b', false],
    ['spare', 'a', true],
    ['main', 'a', false],
  ])
  expect(lines[1]).toMatchObject({ requests: 4, failed: 1, rest: undefined })
  const whole: HealthRow = { key: 'main', model: null, state: 'open', cause: 'upstream_auth_failed', retryInMs: 1 }
  expect(outcomeLines(channel, [met('main', 'a', 1, 1)], [whole])[0]?.rest).toBe(whole)
})
