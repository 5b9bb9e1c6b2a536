/** Files in the bucket of a real server, on Bun and on Deno. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BucketServer, bucketServer } from '#testing/bucket/bucket-server'
import { denoArguments, denoPath } from '#testing/program/command'
import { type BucketPlace, openBucket } from './bucket.ts'

let server: BucketServer
beforeAll(async () => {
  server = await bucketServer('a b/p+x')
})
afterAll(() => server.remove())

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (found: Uint8Array | undefined) => found && new TextDecoder().decode(found)

test('a file is written, read in pieces, listed and deleted', async () => {
  const bucket = openBucket(server.place)
  await bucket.put('2.bodies', bytes('second'))
  await bucket.put('1.bodies', bytes('first file'))
  expect(await bucket.list()).toEqual([
    { name: '1.bodies', bytes: 10 },
    { name: '2.bodies', bytes: 6 },
  ])
  expect(text(await bucket.read('1.bodies', 6, 4))).toBe('file')
  expect(text(await bucket.read('1.bodies', 6, 400))).toBe('file')
  expect(text(await bucket.read('1.bodies', 400, 4))).toBe('')
  expect(await bucket.read('3.bodies', 0, 4)).toBeUndefined()
  await bucket.put('1.bodies', bytes('new'))
  await bucket.remove('2.bodies')
  await bucket.remove('2.bodies')
  expect([...(await server.objects())].map(([name, found]) => [name, text(found)])).toEqual([['1.bodies', 'new']])
  await bucket.remove('1.bodies')
})

/**
 * The test server cannot continue a list (its tokens want DES, which neither runtime has), so these pages have the form of S3's reference.
 */
test('a list of more than one page is whole', async () => {
  const asked: (string | null)[] = []
  const contents = (name: string) =>
    `<Contents><Key>a%20b/p%2Bx/${name}</Key><LastModified>2026-11-23T10:00:00.000Z</LastModified><Size>7</Size></Contents>`
  const page = (inside: string) =>
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</ListBucketResult>`
  const pages = [
    page(`<IsTruncated>true</IsTruncated>${contents('1.bodies')}<NextContinuationToken>1ue+G/&amp;=</NextContinuationToken>`),
    page(`<IsTruncated>false</IsTruncated>${contents('2.bodies')}`),
  ]
  const scripted = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://here').searchParams
    response.end(pages[asked.push(query.get('continuation-token')) - 1])
  })
  await new Promise<void>((resolve) => scripted.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(scripted.address() as AddressInfo).port}`
  expect((await openBucket({ ...server.place, endpoint }).list()).map(({ name }) => name)).toEqual(['1.bodies', '2.bodies'])
  expect(asked).toEqual([null, '1ue+G/&='])
  scripted.close()
})

test.each<[string, Partial<BucketPlace>]>([
  ['InvalidAccessKeyId', { accessKeyId: 'SOMEBODY' }],
  ['SignatureDoesNotMatch', { secretAccessKey: 'wrong' }],
  ['NoSuchBucket', { bucket: 'none' }],
  ['ECONNREFUSED', { endpoint: 'http://127.0.0.1:9' }],
])('%s is what every call says', async (code, wrong) => {
  const bucket = openBucket({ ...server.place, ...wrong })
  const calls = [bucket.list(), bucket.read('1.bodies', 0, 1), bucket.put('1.bodies', bytes('x'))]
  const said = await Promise.all(
    calls.map((call) =>
      call.then(
        () => 'fine',
        ({ code }) => code,
      ),
    ),
  )
  expect(said).toEqual([code, code, code])
})

test('Deno does the same', async () => {
  const script = `
    import { openBucket } from ${JSON.stringify(`${import.meta.dirname}/bucket.ts`)}
    const bucket = openBucket(${JSON.stringify(server.place)})
    await bucket.put('deno.bodies', new TextEncoder().encode('of Deno'))
    const read = new TextDecoder().decode(await bucket.read('deno.bodies', 3, 4))
    const [{ name }] = await bucket.list()
    await bucket.remove('deno.bodies')
    console.log(JSON.stringify([read, name, await bucket.list()]))
  `
  const deno = Bun.spawn([denoPath(), ...denoArguments, '-'], {
    stdin: new Blob([script]),
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: process.cwd(),
  })
  const [out, error] = await Promise.all([new Response(deno.stdout).text(), new Response(deno.stderr).text()])
  expect([out.trim(), error]).toEqual([JSON.stringify(['Deno', 'deno.bodies', []]), ''])
}, 60_000)
