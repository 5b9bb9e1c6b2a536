/** A file that takes too long is given up, and the next one is still measured. */
import { afterAll, expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { mp3File } from '#testing/sound'
import { createAudioLengths } from './audio-lengths.ts'

// The worker runs at low priority, so it is slow when processors are busy, as in a run of many tests.
const lengths = createAudioLengths(systemClock, 6_000)
afterAll(() => lengths.close())

const file = (bytes: Uint8Array<ArrayBuffer>) => ({ size: bytes.length, open: () => new Blob([bytes]).stream() })

test('a megabyte that takes half a minute blocks no other request', async () => {
  let looks = 0
  const timer = setInterval(() => looks++, 10)
  const crafted = lengths.of(file(new Uint8Array(1024 * 1024).fill(0xff)), 'one')
  const usual = lengths.of(file(mp3File(200)), 'other')
  expect(await crafted).toBeUndefined()
  expect(await usual).toBeCloseTo((200 * 1152) / 44_100, 1)
  clearInterval(timer)
  expect(looks).toBeGreaterThan(20)
}, 60_000)

test('a file that cannot be read reveals nothing', async () => {
  const broken = () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) })
  expect(await lengths.of({ size: 10, open: broken }, 'one')).toBeUndefined()
  expect(await lengths.of({ size: 0, open: broken }, 'one')).toBeUndefined()
})
