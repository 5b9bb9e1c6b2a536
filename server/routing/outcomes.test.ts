import { expect, test } from 'bun:test'
import { channelKey, testCandidate, testChannel } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { createOutcomes, sliceMs } from './outcomes.ts'

const channel = testChannel('a', { keys: [channelKey('one'), channelKey('two')] })
const first = testCandidate(channel)

test('attempts are counted by key and model, in slices that pass away after an hour', async () => {
  const clock = handClock()
  const outcomes = createOutcomes(clock)
  const other = testCandidate(channel, channel.keys[1], 'other')
  outcomes.note(first, false)
  outcomes.note(first, true)
  outcomes.note(testCandidate(testChannel('b')), true)
  await clock.advance(sliceMs)
  outcomes.note(first, false)
  outcomes.note(other, true)
  const seen = outcomes.of('a')
  expect(seen.map(({ keyId, model }) => [keyId, model])).toEqual([
    [channel.keys[0]?.id ?? '', 'm'],
    [channel.keys[1]?.id ?? '', 'other'],
  ])
  expect(seen[0]?.slices).toHaveLength(24)
  expect(seen[0]?.slices.slice(-2)).toEqual([
    { attempts: 2, failed: 1 },
    { attempts: 1, failed: 0 },
  ])
  expect(seen[1]?.slices.at(-1)).toEqual({ attempts: 1, failed: 1 })

  // The first slice is dropped after 24, and its place is reused empty.
  await clock.advance(sliceMs * 23)
  expect(outcomes.of('a')[0]?.slices[0]).toEqual({ attempts: 1, failed: 0 })
  outcomes.note(first, true)
  expect(outcomes.of('a')[0]?.slices.at(-1)).toEqual({ attempts: 1, failed: 1 })
  await clock.advance(sliceMs * 24)
  expect(outcomes.of('a')).toEqual([])
})

test('after a long silence nothing of before is counted', async () => {
  const clock = handClock()
  const outcomes = createOutcomes(clock)
  for (let count = 0; count < 24; count++) {
    outcomes.note(first, true)
    await clock.advance(sliceMs)
  }
  await clock.advance(sliceMs * 1000)
  outcomes.note(first, false)
  expect(outcomes.of('a')[0]?.slices.reduce((sum, { attempts, failed }) => sum + attempts + failed, 0)).toBe(1)
})
