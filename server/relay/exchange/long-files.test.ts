import { expect, test } from 'bun:test'
import { systemRandom } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'
import { turnsDuring } from '#testing/event-loop-turns'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { type LongFile, longFiles } from './long-files.ts'

/** A file read in pieces of these sizes, repeated. */
function fileOf(size: number, ...pieces: number[]): LongFile & { bytes: Buffer } {
  const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (at * 7) % 251))
  async function* open(): AsyncGenerator<Uint8Array> {
    let at = 0
    for (let turn = 0; at < size; turn++) {
      const length = pieces[turn % pieces.length] ?? size
      yield new Uint8Array(bytes.subarray(at, at + length))
      at += length
    }
  }
  return { size, bytes, open }
}

const request = (body: string, scheme?: 'sigv4'): UpstreamRequest => ({
  ...{ method: 'POST', url: 'https://up.example', headers: {}, body },
  ...(scheme && { credential: { scheme, secret: 'a:b', options: {} } }),
})
const payloadOf = ({ body }: UpstreamRequest): Payload => {
  if (typeof body !== 'object') throw new Error('no payload')
  return body
}
const piecesOf = async (payload: Payload) => Array.fromAsync(payload.open() as AsyncIterable<Uint8Array>)

const files = [fileOf(1_000_000, 1_000_000), fileOf(700_001, 1, 3, 65_536), fileOf(700_002, 200_000)]
const bodyWith = (texts: readonly string[]) =>
  JSON.stringify({
    contents: [{ parts: [...texts.map((data) => ({ data })), { url: `data:image/png;base64,${texts[1]}` }, { text: '漢字' }] }],
  })
const whole = bodyWith(files.map(({ bytes }) => bytes.toString('base64')))

test('long files make the same bytes, in pieces that are short, as often as it is opened', async () => {
  const long = longFiles(systemRandom)
  const text = bodyWith(files.map(long.mark))
  const payload = payloadOf(await long.placed(request(text)))
  for (let attempt = 0; attempt < 2; attempt++) {
    const pieces = await piecesOf(payload)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024)
    const bytes = Buffer.concat(pieces)
    expect([bytes.length, long.lengthOf(text), bytes.toString() === whole]).toEqual([payload.length, payload.length, true])
  }
  expect(payload.sha256).toBeUndefined()
})

test('what will be signed is hashed as it is sent, also bytes that were hashed with marks in them', async () => {
  const long = longFiles(systemRandom)
  const text = bodyWith(files.map(long.mark))
  const bytes = new TextEncoder().encode(text)
  const sent = [payloadOf(await long.placed(request(text, 'sigv4'))), await long.payload({ bytes, sha256: sha256Hex(bytes) })]
  expect(sent.map(({ sha256 }) => sha256)).toEqual([sha256Hex(whole), sha256Hex(whole)])
})

test('the event loop has its turn while a file is read', async () => {
  const long = longFiles(systemRandom)
  const payload = payloadOf(await long.placed(request(`"${long.mark(fileOf(3_000_000, 3_000_000))}"`)))
  expect(await turnsDuring(() => piecesOf(payload))).toBeGreaterThan(10)
})

test('a body without marks stays as it is', async () => {
  const long = longFiles(systemRandom)
  const plain = request('{"a":"漢"}')
  expect(await long.placed(plain)).toBe(plain)
  long.mark(fileOf(300_000, 1))
  expect(await long.placed(plain)).toBe(plain)
  expect(long.lengthOf('{"a":"漢"}')).toBe(11)
  const bytes = new TextEncoder().encode('{}')
  const { sha256, length } = await long.payload({ bytes, sha256: 'known' })
  expect([sha256, length]).toEqual(['known', 2])
})
