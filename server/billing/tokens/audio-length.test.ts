import { expect, test } from 'bun:test'
import { systemClock } from '#runtime/clock'
import { handClock } from '#testing/hand-clock'
import { mp3File, wavFile } from '#testing/sound'
import { audioSeconds } from './audio-length.ts'

const seconds = (bytes: Uint8Array<ArrayBuffer>) =>
  audioSeconds({ size: bytes.length, open: () => new Blob([bytes]).stream() }, systemClock)

test('files tell how long they last, whatever they are called', async () => {
  expect(await seconds(wavFile(3.5))).toBeCloseTo(3.5, 3)
  expect(await seconds(mp3File(200))).toBeCloseTo((200 * 1152) / 44_100, 1)
})

test.each<[string, Uint8Array<ArrayBuffer>]>([
  ['nothing', new Uint8Array()],
  ['text', Buffer.from('hello, this is no sound at all')],
  ['noise', new Uint8Array(5000).map((_, i) => (i * 7919) % 256)],
  ['a file that claims a day in a kilobyte', lying()],
])('%s does not', async (_, bytes) => expect(await seconds(bytes)).toBeUndefined())

/** One byte of sound a second, says its header. */
function lying(): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(wavFile(0.1))
  file.writeUInt32LE(1, 24)
  file.writeUInt32LE(1, 28)
  return new Uint8Array(file)
}

test('a file that cannot be read, or not in time, tells nothing', async () => {
  const broken = () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('gone')) })
  expect(await audioSeconds({ size: 10, open: broken }, systemClock)).toBeUndefined()
  const clock = handClock()
  const silent = () => new ReadableStream<Uint8Array>()
  const asked = audioSeconds({ size: 10, open: silent }, clock)
  await clock.advance(5_000)
  expect(await asked).toBeUndefined()
  expect(clock.pending()).toBe(0)
})
