import { expect, test } from 'bun:test'
import { crc32, inflateSync } from 'node:zlib'
import { editImages, generateImages } from './images.ts'
import { paint } from './picture.ts'

/** Every chunk of a PNG, with its checksum proven. */
function chunksOf(png: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(png)
  expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at)
    expect(bytes.readUInt32BE(end)).toBe(crc32(bytes.subarray(at + 4, end)))
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, end))
    at = end + 4
  }
  return chunks
}

test('a valid PNG of the size that was asked for, the same for the same prompt', async () => {
  const [one, again, other, sketch] = await Promise.all([
    paint('a fox', 48, 30),
    paint('a fox', 48, 30),
    paint('a house', 48, 30),
    paint('a fox', 48, 30, 2),
  ])
  expect(Buffer.from(one).equals(Buffer.from(again))).toBe(true)
  for (const different of [other, sketch]) expect(Buffer.from(one).equals(Buffer.from(different))).toBe(false)
  const chunks = chunksOf(one)
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
  expect([chunks.get('IHDR')?.readUInt32BE(0), chunks.get('IHDR')?.readUInt32BE(4)]).toEqual([48, 30])
  const pixels = inflateSync(chunks.get('IDAT') ?? '')
  expect(pixels).toHaveLength(49 * 30)
  expect(Math.max(...pixels)).toBeLessThan((chunks.get('PLTE')?.length ?? 0) / 3)
})

test('the answer shows what was understood', async () => {
  const images = [{ image_url: 'data:image/png;base64,AAAA' }]
  const told = await editImages({ prompt: 'a hat', images, n: 2, size: '32x64', quality: 'high', response_format: 'url' }, 7)
  const url = expect.stringMatching(/^data:image\/png;base64,/)
  const revised_prompt = 'a hat [picture: image/png, 3 bytes]'
  expect(told).toMatchObject({
    answer: {
      created: 7,
      data: [
        { url, revised_prompt },
        { url, revised_prompt },
      ],
      size: '32x64',
      quality: 'high',
      usage: { input_tokens: 102, input_tokens_details: { text_tokens: 2, image_tokens: 100 }, output_tokens: 8320 },
    },
  })
})

const bad: [object, string][] = [
  [{ prompt: undefined }, 'prompt'],
  [{ n: 11 }, 'n'],
  [{ n: 1.5 }, 'n'],
  [{ partial_images: 4 }, 'partial_images'],
  [{ quality: 'toString' }, 'quality'],
  [{ size: '1x1' }, 'size'],
  [{ size: '64' }, 'size'],
  [{ size: '4096x64' }, 'size'],
  [{ output_format: 'webp' }, 'output_format'],
]
test.each(bad)('%j is refused', async (fields, param) => {
  expect(await generateImages({ prompt: 'a fox', ...fields }, 1)).toMatchObject({ refusal: { status: 400, param } })
})

test('an edit without pictures is refused', async () => {
  expect(await editImages({ prompt: 'a hat' }, 1)).toMatchObject({ refusal: { status: 400, param: 'images' } })
})
