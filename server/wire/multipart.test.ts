import { expect, test } from 'bun:test'
import { type MultipartPart, writeMultipart } from './multipart.ts'
import { createMultipartReader } from './multipart-reader.ts'

async function piecesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces
}

const file = (bytes: Uint8Array): MultipartPart => ({
  ...{ name: 'image', filename: 'a.png', type: 'image/png', size: bytes.length },
  open: () => new Blob([new Uint8Array(bytes)]).stream(),
})

/** Surrogate pairs fall on the ends of pieces. */
const long = `é${'😀'.repeat(100_000)}`

test('a body is as long as it says, and reads as what it was written from', async () => {
  const parts: MultipartPart[] = [
    { name: 'model', value: 'm' },
    { name: 'prompt', value: long },
    file(new Uint8Array(100_000).fill(7)),
    { name: 'empty', value: '' },
  ]
  const body = writeMultipart(parts, 'X')
  for (let times = 0; times < 2; times++) {
    const pieces = await piecesOf(body.open())
    const whole = Buffer.concat(pieces)
    expect(whole.length).toBe(body.length)
    const reader = createMultipartReader('X', 10)
    const read = new Map<string, string>()
    let name = ''
    for (const event of reader.push(whole)) {
      if (event.kind === 'part') name = event.head.name
      if (event.kind === 'part') read.set(name, '')
      if (event.kind === 'bytes') read.set(name, read.get(name) + Buffer.from(event.bytes).toString())
    }
    reader.end()
    expect([...read]).toEqual([
      ['model', 'm'],
      ['prompt', long],
      ['image', '\x07'.repeat(100_000)],
      ['empty', ''],
    ])
  }
})

test('many short texts go out together, and long ones in pieces', async () => {
  const short = writeMultipart(
    Array.from({ length: 250 }, (_, at) => ({ name: `k${at}`, value: 'x' })),
    'X',
  )
  expect((await piecesOf(short.open())).length).toBe(1)
  const pieces = await piecesOf(writeMultipart([{ name: 'prompt', value: 'x'.repeat(7 * 1024 * 1024) }], 'X').open())
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(128 * 1024)
})
