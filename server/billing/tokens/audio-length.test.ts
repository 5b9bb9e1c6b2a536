import { expect, test } from 'bun:test'
import { mp3File, wavFile } from '#testing/sound'
import { audioSeconds } from './audio-length.ts'

test('files contain their duration, whatever they are called', async () => {
  expect(await audioSeconds(wavFile(3.5))).toBeCloseTo(3.5, 3)
  expect(await audioSeconds(mp3File(200))).toBeCloseTo((200 * 1152) / 44_100, 1)
})

test.each<[string, Uint8Array<ArrayBuffer>]>([
  ['nothing', new Uint8Array()],
  ['text', Buffer.from('hello, this is no sound at all')],
  ['noise', new Uint8Array(5000).map((_, i) => (i * 7919) % 256)],
  ['a file that claims a day in a kilobyte', lying()],
])('%s does not', async (_, bytes) => expect(await audioSeconds(bytes)).toBeUndefined())

/** One byte of sound a second, says its header. */
function lying(): Uint8Array<ArrayBuffer> {
  const file = Buffer.from(wavFile(0.1))
  file.writeUInt32LE(1, 24)
  file.writeUInt32LE(1, 28)
  return new Uint8Array(file)
}
