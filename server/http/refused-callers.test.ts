/** Log lines about refused callers: visible at the default level, and bounded. */
import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { refusedCallers } from './refused-callers.ts'

function writing() {
  const lines: [level: string, fields: object, message: string][] = []
  const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message])
  const clock = handClock()
  return { lines, clock, refused: refusedCallers({ info: write('info'), debug: write('debug') }, clock) }
}
const wrongKey = { requestId: 'req_1', code: 'invalid_api_key', status: 401, address: '192.0.2.1' } as const

test('a request without a valid key is logged at info with its address, other refusals at debug', () => {
  const { lines, refused } = writing()
  const unknown = { requestId: 'req_2', code: 'model_not_found', status: 404 } as const
  for (const each of [wrongKey, unknown]) refused(each)
  expect(lines).toEqual([
    ['info', wrongKey, 'a caller was refused'],
    ['debug', unknown, 'request refused'],
  ])
})

test('twenty a minute are written, the rest is a number in the first line of another minute', async () => {
  const { lines, clock, refused } = writing()
  for (let times = 0; times < 50; times += 1) refused(wrongKey)
  expect(lines.length).toBe(20)
  await clock.advance(60_000)
  refused(wrongKey)
  expect(lines.slice(20)).toEqual([
    ['info', { times: 30 }, 'more callers were refused'],
    ['info', wrongKey, 'a caller was refused'],
  ])
})
