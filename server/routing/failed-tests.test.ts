import { expect, test } from 'bun:test'
import { createFailedTests } from './failed-tests.ts'

test('a failed test stands until one of the same model succeeds, the newest first', () => {
  let now = 1
  const tests = createFailedTests({ now: () => now })
  tests.note('c1', 'a', 'upstream_error')
  now = 2
  tests.note('c1', 'b', 'upstream_timeout')
  tests.note('c2', 'a', undefined)
  expect(tests.all().map(({ model, cause, at }) => [model, cause, at])).toEqual([
    ['b', 'upstream_timeout', 2],
    ['a', 'upstream_error', 1],
  ])
  now = 3
  tests.note('c1', 'a', 'upstream_timeout')
  tests.note('c1', 'b', undefined)
  expect(tests.all()).toEqual([{ channelId: 'c1', model: 'a', cause: 'upstream_timeout', at: 3 }])
})
