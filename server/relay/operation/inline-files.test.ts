import { expect, test } from 'bun:test'
import type { FormFile } from '#canonical/operation/operation'
import { longFiles } from '#relay/exchange/long-files'
import { systemRandom } from '#runtime/clock'
import { GatewayError } from '#shared/errors'
import { inlineFiles } from './inline-files.ts'

const mebibyte = 1024 * 1024
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const never = new AbortController().signal

function upload(size = png.length, content: Uint8Array<ArrayBuffer> = png): FormFile & { reads: number } {
  const file = {
    name: 'image',
    filename: 'fox.gif',
    type: 'image/gif',
    size,
    reads: 0,
    open() {
      file.reads += 1
      return new Blob([content]).stream()
    },
  }
  return file
}

const fetched = { mimeType: 'image/jpeg', data: 'AAAA', bytes: 3 } as const
const refused = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  return thrown instanceof GatewayError ? [thrown.code, thrown.param] : thrown
}

test('in the order in which they are wanted, each had once, known by its first bytes', async () => {
  const addresses: string[] = []
  const inline = inlineFiles(
    async (url) => {
      addresses.push(url)
      return fetched
    },
    never,
    longFiles(systemRandom),
  )
  const file = upload()
  const wanted = [
    { source: { file }, param: 'image' },
    { source: { url: 'https://a.example/b' }, param: 'images[0]' },
    { source: { file }, param: 'image' },
  ]
  for (let candidate = 0; candidate < 2; candidate++) {
    const files = await inline(wanted)
    expect(files.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/jpeg', 'image/png'])
    expect(files[0]?.data).toBe(png.toString('base64'))
  }
  expect([file.reads, addresses]).toEqual([1, ['https://a.example/b']])
})

test('what cannot be had is said of its place', async () => {
  const inline = inlineFiles(
    async () => {
      throw new GatewayError('invalid_value', 'no')
    },
    never,
    longFiles(systemRandom),
  )
  expect(await refused(inline([{ source: { url: 'https://a.example/b' }, param: 'images[1].image_url' }]))).toEqual([
    'invalid_value',
    'images[1].image_url',
  ])
  expect(await refused(inline([{ source: { file: upload(5, Buffer.from('hello')) }, param: 'mask' }]))).toEqual(['invalid_value', 'mask'])
})

test('not more than fits, before anything is read', async () => {
  const [one, two] = [upload(12 * mebibyte), upload(12 * mebibyte)]
  const inline = inlineFiles(async () => fetched, never, longFiles(systemRandom))
  const wanted = [one, two].map((file) => ({ source: { file }, param: 'image' }))
  expect(await refused(inline(wanted))).toEqual(['request_too_large', 'image'])
  expect(two.reads).toBe(0)
})

test('a client who left is no fault of the file', async () => {
  const leaving = new AbortController()
  const inline = inlineFiles(
    async () => {
      leaving.abort()
      throw new Error('gone')
    },
    leaving.signal,
    longFiles(systemRandom),
  )
  expect(await refused(inline([{ source: { url: 'https://a.example/b' }, param: 'image' }]))).toEqual(['client_closed_request', undefined])
})

test('a file that comes in odd pieces is the same base64', async () => {
  const bytes = Buffer.concat([png, Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251))])
  const ends = [1, 3, 6, 10, 15, 22, 33, 533, 534, bytes.length]
  const pieces = ends.map((end, at) => new Uint8Array(bytes.subarray(ends[at - 1] ?? 0, end)))
  const open = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
  const file = { ...upload(bytes.length), open }
  const [read] = await inlineFiles(async () => fetched, never, longFiles(systemRandom))([{ source: { file }, param: 'image' }])
  expect(read).toEqual({ mimeType: 'image/png', data: bytes.toString('base64') })
})

test('a long file is known by its first bytes, and read when it is sent', async () => {
  const bytes = Buffer.concat([png, Buffer.alloc(mebibyte, 7)])
  const file = upload(bytes.length, bytes)
  const long = longFiles(systemRandom)
  const [read] = await inlineFiles(async () => fetched, never, long)([{ source: { file }, param: 'image' }])
  expect([read?.mimeType, read?.data.length, file.reads]).toEqual(['image/png', 27, 1])
  const text = JSON.stringify({ image: read?.data })
  const payload = await long.payload({ bytes: new TextEncoder().encode(text) })
  expect(await new Response(payload.open()).json()).toEqual({ image: bytes.toString('base64') })
  expect(file.reads).toBe(2)
})
