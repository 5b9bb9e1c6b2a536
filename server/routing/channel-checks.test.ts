/** Checks of resting channels: off, due, recovered, still failing. */
import { expect, test } from 'bun:test'
import { createLog } from '#runtime/log'
import { handClock } from '#testing/hand-clock'
import { createChannelChecks } from './channel-checks.ts'
import type { HealthState } from './health-contract.ts'

const state = (channelId: string, model: string | null, fields: Partial<HealthState> = {}): HealthState => {
  return { channelId, key: 'k', model, state: 'open', cause: 'upstream_error', waitMs: 1, ...fields }
}

function checked(ailments: HealthState[], answers: (question: string) => boolean, minutes: number | null = 5) {
  const clock = handClock()
  const asked: string[] = []
  const reset: string[] = []
  const run = createChannelChecks({
    minutes: () => minutes,
    health: { resting: () => ailments, reset: (id) => void reset.push(id) },
    async test(id, { model }) {
      asked.push(`${id} ${model ?? '*'}`)
      return { ok: answers(`${id} ${model ?? '*'}`) }
    },
    clock,
    log: createLog('silent'),
  })
  return { clock, asked, reset, run }
}

test('no check is sent while checks are off, or while nothing rests', async () => {
  const off = checked([state('a', 'm')], () => true, null)
  await off.run()
  const well = checked([], () => true)
  await well.run()
  expect([off.asked, well.asked]).toEqual([[], []])
})

test('a channel whose resting models all answer is well again; another goes on resting until its next check', async () => {
  const ailments = [state('a', 'm'), state('a', 'n'), state('a', 'm', { key: 'other' }), state('b', null)]
  const { clock, asked, reset, run } = checked(ailments, (question) => question !== 'b *')
  await run()
  expect([asked.sort(), reset]).toEqual([['a m', 'a n', 'b *'], ['a']])
  await clock.advance(299_999)
  await run()
  expect(asked).toHaveLength(3)
  await clock.advance(1)
  await run()
  expect(asked).toHaveLength(6)
})

test('a test that cannot be made is no answer', async () => {
  const { reset, run } = checked([state('a', 'm')], () => {
    throw new Error('no key')
  })
  await run()
  expect(reset).toEqual([])
})
