import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GatewayError } from '#shared/errors'
import { systemRandom } from './clock.ts'
import { openSpool, type Spooled, type Upload } from './spool.ts'

let data: string
let folder: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'parley-spool-'))
  folder = join(data, 'spool')
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const kib = 1024
const bytesOf = (size: number, seed: number) => new Uint8Array(size).map((_, i) => (i * 31 + seed) % 251)
const read = async (file: Spooled) => new Uint8Array(await new Response(file.open()).arrayBuffer())

async function keep(upload: Upload, bytes: Uint8Array, step = 300 * kib): Promise<Spooled> {
  const writer = upload.file()
  for (let at = 0; at < bytes.length; at += step) await writer.write(bytes.subarray(at, at + step))
  return writer.done()
}

/** Removal is asynchronous; it gets a second. */
async function emptied(): Promise<string[]> {
  for (let i = 0; i < 100 && readdirSync(folder).length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10))
  return readdirSync(folder)
}

test('the folder is for its owner alone, and what an earlier run left is gone', async () => {
  await openSpool(folder, systemRandom)
  writeFileSync(join(folder, 'leftover'), 'x')
  await openSpool(folder, systemRandom)
  expect(readdirSync(folder)).toEqual([])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a mebibyte of an upload stays in memory, whatever it is cut into; the rest lies in files', async () => {
  const upload = (await openSpool(folder, systemRandom)).upload()
  const sizes = [0, 1, 600 * kib, 423 * kib, 2000 * kib, 500 * kib]
  const files: Spooled[] = []
  for (const [seed, size] of sizes.entries()) files.push(await keep(upload, bytesOf(size, seed)))
  expect(readdirSync(folder)).toHaveLength(2)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  for (const [seed, size] of sizes.entries()) {
    expect(files[seed]?.size).toBe(size)
    // Every attempt reads it from the beginning.
    for (let attempt = 0; attempt < 2; attempt++)
      expect(Buffer.from(await read(files[seed] as Spooled)).equals(Buffer.from(bytesOf(size, seed)))).toBe(true)
  }
  upload.release()
  upload.release()
  expect(await emptied()).toEqual([])
})

test('bytes are copied: the buffer of a socket may be used again', async () => {
  const upload = (await openSpool(folder, systemRandom)).upload()
  const writer = upload.file()
  const chunk = new Uint8Array([1, 2, 3])
  await writer.write(chunk)
  chunk.fill(9)
  expect([...(await read(await writer.done()))]).toEqual([1, 2, 3])
})

test('an upload that broke off leaves nothing', async () => {
  const upload = (await openSpool(folder, systemRandom)).upload()
  await upload.file().write(bytesOf(1100 * kib, 1))
  expect(readdirSync(folder)).toHaveLength(1)
  upload.release()
  expect(await emptied()).toEqual([])
})

test('a reader that stops half way lets go of its file', async () => {
  const upload = (await openSpool(folder, systemRandom)).upload()
  const file = await keep(upload, bytesOf(4000 * kib, 2))
  const reader = file.open().getReader()
  expect((await reader.read()).value?.length).toBeGreaterThan(0)
  await reader.cancel()
  expect(await read(file)).toHaveLength(4000 * kib)
  upload.release()
})

test('a disk that takes nothing is a 503', async () => {
  const upload = (await openSpool(folder, systemRandom)).upload()
  rmSync(folder, { recursive: true })
  const thrown = await keep(upload, bytesOf(1100 * kib, 1)).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(GatewayError)
  expect([(thrown as GatewayError).code, (thrown as GatewayError).message]).toEqual([
    'overloaded',
    'There is no room for this upload right now.',
  ])
})
