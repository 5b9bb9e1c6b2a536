import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectForm } from '#relay/operation/form'
import { systemClock, systemRandom } from '#runtime/clock'
import { openSpool, type Spool } from '#runtime/spool'
import { GatewayError } from '#shared/errors'
import { turnsDuring } from '#testing/event-loop-turns'
import { handClock } from '#testing/hand-clock'
import { readForm } from './read-form.ts'

const mebibyte = 1024 * 1024
let folder: string
let spool: Spool
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-form-'))
  spool = await openSpool(folder, systemRandom)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const post = (body: BodyInit, headers: Record<string, string> = {}) => new Request('http://127.0.0.1/', { method: 'POST', body, headers })
const typed = (body: BodyInit) => post(body, { 'content-type': 'multipart/form-data; boundary=X' })
const part = (name: string, value: string, more = '') => `--X\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`

function form(...files: number[]): FormData {
  const data = new FormData()
  for (const [index, size] of files.entries()) data.append('file', new File([new Uint8Array(size).fill(index)], `${index}.mp3`))
  data.append('model', 'm')
  return data
}

async function refusal(request: Request, clock = systemClock): Promise<string> {
  const thrown = await readForm({ spool, clock, idleMs: 60_000 }, request).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(thrown instanceof GatewayError)) throw thrown
  return `${thrown.status} ${thrown.code} ${thrown.param ?? '-'}`
}

async function emptied(): Promise<string[]> {
  for (let i = 0; i < 200 && readdirSync(folder).length > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10))
  return readdirSync(folder)
}

test('a form is read whole, the model behind the files, and released', async () => {
  const { content: body, release } = await readForm({ spool, clock: systemClock, idleMs: 60_000 }, post(form(3, 2 * mebibyte)))
  expect(body.parts.map((one) => ('open' in one ? [one.name, one.filename, one.size] : [one.name, one.value]))).toEqual([
    ['file', '0.mp3', 3],
    ['file', '1.mp3', 2 * mebibyte],
    ['model', 'm'],
  ])
  expect(body.size).toBeGreaterThan(2 * mebibyte + 3)
  expect(readdirSync(folder)).toHaveLength(1)
  release()
  expect(await emptied()).toEqual([])
})

test('others have their turn while a form is read that is here already, however small its pieces are', async () => {
  const text = Buffer.from(`${part('prompt', 'x'.repeat(7 * mebibyte))}--X--\r\n`)
  async function* pieces() {
    for (let at = 0; at < text.length; at += 64 * 1024) yield Uint8Array.from(text.subarray(at, at + 64 * 1024))
  }
  const limits = { file: 1, text: 8 * mebibyte, parts: 10 }
  const turns = await turnsDuring(() => collectForm('multipart/form-data; boundary=X', pieces(), spool.upload(), limits))
  expect(turns).toBeGreaterThanOrEqual(14)
})

test('a file of exactly 25 MiB passes', async () => {
  const { release } = await readForm({ spool, clock: systemClock, idleMs: 60_000 }, post(form(25 * mebibyte)))
  release()
  expect(await emptied()).toEqual([])
})

const refused: [what: string, request: () => Request, says: string][] = [
  ['JSON', () => post('{}', { 'content-type': 'application/json' }), '415 unsupported_media_type -'],
  ['no type', () => post(new Uint8Array(3)), '415 unsupported_media_type -'],
  ['a form of another kind', () => post('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), '415 unsupported_media_type -'],
  ['no boundary', () => post('x', { 'content-type': 'multipart/form-data' }), '400 invalid_request -'],
  ['a file of 25 MiB and a byte', () => post(form(25 * mebibyte + 1)), '413 request_too_large file'],
  ['over 100 MiB in all', () => post(form(...new Array(5).fill(21 * mebibyte))), '413 request_too_large -'],
  ['8 MiB of text and a byte', () => typed(`${part('prompt', 'x'.repeat(8 * mebibyte + 1))}--X--`), '413 request_too_large prompt'],
  ['10,000 parts', () => typed(`${part('a', '1').repeat(10_000)}--X--`), '400 invalid_request -'],
  ['no final boundary', () => typed(part('a', '1')), '400 invalid_request -'],
  ['no final boundary behind a large file', () => typed(part('f', 'x'.repeat(2 * mebibyte), '; filename="a"')), '400 invalid_request -'],
  ['nothing at all', () => typed(''), '400 invalid_request -'],
  ['text that is not UTF-8', () => typed(Buffer.from(`${part('a', '\xff')}--X--`, 'latin1')), '400 invalid_value a'],
]
test.each(refused)('refused: %s', async (_, request, says) => {
  expect(await refusal(request())).toBe(says)
  expect(await emptied()).toEqual([])
})

test('an upload that stalls is given up, and leaves nothing', async () => {
  const clock = handClock()
  const start = Buffer.from(part('f', 'x'.repeat(2 * mebibyte), '; filename="a"'))
  const outcome = refusal(typed(new ReadableStream({ start: (controller) => controller.enqueue(start) })), clock)
  for (let i = 0; i < 500 && readdirSync(folder).length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 10))
  await clock.advance(60_000)
  expect(await outcome).toBe('408 body_timeout -')
  expect(await emptied()).toEqual([])
})

test('a client that disconnects leaves no data behind', async () => {
  let pulled = 0
  const broken = new ReadableStream({
    pull: (controller) =>
      pulled++ === 0
        ? controller.enqueue(Buffer.from(part('f', 'x'.repeat(2 * mebibyte), '; filename="a"')))
        : controller.error(new Error('reset')),
  })
  expect(await refusal(typed(broken))).toBe('499 client_closed_request -')
  expect(await emptied()).toEqual([])
})

test('the memory of what arrived is given back, and the file is what was sent, however it was cut', async () => {
  const file = crypto.getRandomValues(new Uint8Array(65_536))
  const whole = Buffer.concat([
    Buffer.from(`--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`),
    file,
    Buffer.from(`\r\n${part('model', 'm')}--X--\r\n`),
  ])
  for (const size of [1000, 4099, 65_000]) {
    const pieces: Uint8Array[] = []
    async function* cut() {
      for (let at = 0; at < whole.length; at += size) {
        const piece = Uint8Array.from(whole.subarray(at, at + size))
        pieces.push(piece)
        yield piece
      }
    }
    const upload = spool.upload()
    const { parts } = await collectForm('multipart/form-data; boundary=X', cut(), upload, { file: mebibyte, text: 1000, parts: 2 })
    expect(pieces.map(({ buffer }) => buffer.byteLength)).toEqual(pieces.map(() => 0))
    const [sent, model] = parts
    if (!sent || !('open' in sent)) throw new Error('no file')
    expect(Buffer.from(await new Response(sent.open()).bytes()).equals(file)).toBe(true)
    expect(model).toEqual({ name: 'model', value: 'm' })
    upload.release()
  }
})

test('bytes that are part of a larger buffer stay as they are', async () => {
  const whole = Buffer.from(`${part('model', 'm')}--X--\r\n`)
  const larger = new Uint8Array(whole.length + 1)
  larger.set(whole)
  async function* view() {
    yield larger.subarray(0, whole.length)
  }
  await collectForm('multipart/form-data; boundary=X', view(), spool.upload(), { file: 1, text: 1000, parts: 2 })
  expect(larger.subarray(0, whole.length)).toEqual(Uint8Array.from(whole))
})
