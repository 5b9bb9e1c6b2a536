import { expect, test } from 'bun:test'
import { createAttempt } from './attempt.ts'

/** A form whose calls are completed by the test. */
function form() {
  let typed = 0
  const seen: string[] = []
  const attempt = createAttempt({ begun: () => seen.push('begun'), failed: (thrown) => seen.push(`failed: ${thrown}`) }, () => typed)
  const calls: PromiseWithResolvers<void>[] = []
  const press = () =>
    attempt.run(() => {
      const call = Promise.withResolvers<void>()
      calls.push(call)
      return call.promise
    })
  return { attempt, calls, press, seen, type: () => (typed += 1) }
}

test('resubmitting a corrected form is not lost: its call follows the one that failed', async () => {
  const { attempt, calls, press, seen, type } = form()
  const first = press()
  type()
  const second = press()
  expect(calls.length).toBe(1)
  calls[0]?.reject('wrong')
  expect(await first).toBe(false)
  expect([calls.length, attempt.busy()]).toEqual([2, true])
  calls[1]?.resolve()
  expect(await second).toBe(true)
  expect([attempt.busy(), seen]).toEqual([false, ['begun', 'begun']])
})

test('submitting the same twice is one call, and its failure is reported', async () => {
  const { calls, press, seen } = form()
  const first = press()
  const second = press()
  calls[0]?.reject('wrong')
  expect([await first, await second, calls.length]).toEqual([false, false, 1])
  expect(seen).toEqual(['begun', 'failed: wrong'])
})

test('of several presses the last one counts, and none after a success', async () => {
  const { attempt, calls, press, type } = form()
  const first = press()
  type()
  const second = press()
  type()
  const third = press()
  expect(await second).toBe(false)
  calls[0]?.resolve()
  expect([await first, await third, calls.length, attempt.busy()]).toEqual([true, false, 1, false])
})

test('after a failure the same may be sent again', async () => {
  const { calls, press } = form()
  const first = press()
  calls[0]?.reject('away')
  await first
  const second = press()
  calls[1]?.resolve()
  expect(await second).toBe(true)
})
